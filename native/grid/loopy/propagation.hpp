// Loopy belief propagation in grids, a chain at a time.
//
// Cotemporal and lagged factors send a message to the label of every layer they join. Each layer in turn collects its
// messages, runs forward-backward exactly on its own chain with them, and so updates the messages of its factors to the
// other layers. A conditioned transition sends messages to the labels that it is given, and to its own chain one about
// pairs of neighbouring labels, which that chain takes for transitions. Messages are logs with a maximum of 0. Sums
// give beliefs and the Bethe approximation of log Z, both exact where the factors and chains form a tree; maxima give
// labels, which are then improved layer by layer until no layer alone can do better.
#pragma once
#include "core/elementary.hpp"
#include "grid/loopy/chain.hpp"
#include "grid/results.hpp"

namespace dovetail {

struct LoopySettings {
    double damping;  // share of the old message in the new one
    size_t iterations;
    double tolerance;
};
struct LoopyReport {
    size_t iterations = 0;
    bool converged = true;
    double change = 0;

    void add(const LoopyReport& other) {
        iterations = std::max(iterations, other.iterations);
        converged = converged && other.converged;
        change = std::max(change, other.change);
    }
};

// A cotemporal or a lagged factor, or a conditioned transition, whose layers are those that it is given.
struct LoopyFactor {
    enum Kind { cotemporal, lagged, conditioned };

    std::vector<size_t> layers, sizes;
    Kind kind;
    size_t index;     // among those of its kind
    size_t size = 1;  // combinations of its layers' labels
    size_t own = 0;   // the layer of a conditioned transition

    size_t first() const { return kind == cotemporal ? 0 : 1; }  // token that has it
    size_t token(size_t axis, size_t t) const { return kind == lagged && axis == 0 ? t - 1 : t; }
    const double* scores(const GridView& view, size_t t) const {
        return kind == lagged        ? view.lagged(index, t)
               : kind == conditioned ? view.conditioned(index, t)
                                     : view.cotemporal(index, t);
    }
    bool is_of(size_t layer) const { return kind == conditioned && own == layer; }
};
inline std::vector<LoopyFactor> loopy_factors(const Grids& grids) {
    std::vector<LoopyFactor> out;
    for (size_t k = 0; k < grids.cotemporal.size(); ++k)
        out.push_back({grids.cotemporal[k].layers, {}, LoopyFactor::cotemporal, k});
    for (size_t k = 0; k < grids.lagged.size(); ++k)
        out.push_back({{grids.lagged[k].before, grids.lagged[k].after}, {}, LoopyFactor::lagged, k});
    for (size_t k = 0; k < grids.conditioned.size(); ++k)
        out.push_back({grids.conditioned[k].given, {}, LoopyFactor::conditioned, k, 1, grids.conditioned[k].layer});
    for (LoopyFactor& factor : out)
        for (size_t layer : factor.layers) {
            factor.sizes.push_back(grids.labels[layer]);
            factor.size *= grids.labels[layer];
        }
    return out;
}

template <class Sum> class LoopyGrid {
public:
    LoopyGrid(const GridView& view, const std::vector<LoopyFactor>& factors,
              const std::vector<ExponentialScores>& transitions)
        : view_(view), factors_(factors), inputs_(view.layers()), pair_messages_(factors.size()) {
        for (size_t i = 0; i < view.layers(); ++i)
            chains_.emplace_back(view, i, transitions[i],
                                 std::any_of(factors.begin(), factors.end(), [&](auto& f) { return f.is_of(i); }));
        messages_.resize(factors.size());
        for (size_t f = 0; f < factors.size(); ++f) {
            for (size_t axis = 0; axis < factors[f].layers.size(); ++axis) {
                inputs_[factors[f].layers[axis]].push_back({f, axis});
                messages_[f].emplace_back(view.T * factors[f].sizes[axis], 0.0);
            }
            const bool is_pair = factors[f].layers.size() == 2 && factors[f].kind != LoopyFactor::conditioned;
            linear_.emplace_back(Sum::is_max || !is_pair ? 0 : view.T, factors[f].size);
            if (factors[f].kind == LoopyFactor::conditioned) pair_messages_[f].assign(view.T * pairs_of(f), 0.0);
            else
                for (size_t t = factors[f].first(); t < view.T; ++t) linear_[f].set(t, factors[f].scores(view, t));
        }
    }

    // Sweeps until messages and beliefs settle. False if nothing is allowed.
    bool run(const LoopySettings& settings, LoopyReport& report) {
        for (auto& chain : chains_)
            if (!chain.run()) return false;
        report = {0, false, 0};
        while (report.iterations < settings.iterations && !report.converged) {
            if (!sweep(report.iterations, settings.damping)) return false;
            ++report.iterations;
            report.change = change_;
            report.converged = change_ <= settings.tolerance;
        }
        // Damping leaves messages about improbable labels behind, which log Z sees: let them catch up.
        if (report.converged && settings.damping > 0)
            for (size_t n = 0; n < chains_.size(); ++n)
                if (!sweep(report.iterations + n, 0.0)) return false;
        return true;
    }
    // Beliefs, and log Z as Bethe has it: of the chains with their messages, and of the factors, less what they share.
    double beliefs(SequenceExpectations& to) {
        double log_z = 0;
        for (size_t i = 0; i < chains_.size(); ++i) log_z += chains_[i].beliefs(to);
        for (size_t f = 0; f < factors_.size(); ++f)
            for (size_t t = factors_[f].first(); t < view_.T; ++t)
                log_z += factors_[f].kind == LoopyFactor::conditioned ? conditioned_belief(f, t, to)
                         : factors_[f].kind == LoopyFactor::lagged
                             ? factor_belief(f, t, to.lagged(factors_[f].index, t))
                             : factor_belief(f, t, to.cotemporal(factors_[f].index, t));
        return log_z;
    }
    // What a conditioned transition says about pairs of labels into token t, [L x L].
    const double* pair_message(size_t f, size_t t) const { return &pair_messages_[f][t * pairs_of(f)]; }
    // Adds a message, as it now is, to the scores of a layer's labels.
    void add_message(size_t f, size_t axis, size_t t, double* to) const {
        const size_t L = factors_[f].sizes[axis];
        const double* message = &messages_[f][axis][t * L];
        for (size_t y = 0; y < L; ++y) to[y] += message[y];
    }

private:
    struct Input {
        size_t factor, axis;
        bool operator==(const Input&) const = default;
    };

    // The factor's token whose message goes to token t of a layer; T if there is none.
    size_t source(const Input& input, size_t t) const {
        const LoopyFactor& factor = factors_[input.factor];
        const size_t at = factor.kind == LoopyFactor::lagged && input.axis == 0 ? t + 1 : t;
        return at >= factor.first() && at < view_.T ? at : view_.T;
    }
    // Each layer once, there and back in turn.
    bool sweep(size_t number, double damping) {
        change_ = 0;
        for (size_t n = 0; n < chains_.size(); ++n)
            if (!update(number % 2 ? chains_.size() - 1 - n : n, damping)) return false;
        return true;
    }
    bool update(size_t layer, double damping) {
        LoopyChain<Sum>& chain = chains_[layer];
        chain.clear_messages();
        for (const Input& input : inputs_[layer])
            for (size_t t = 0; t < view_.T; ++t) {
                const size_t at = source(input, t);
                if (at == view_.T) continue;
                if (!send(input, at, damping)) return false;
                add_message(input.factor, input.axis, at, chain.messages(t));
            }
        for (size_t f = 0; f < factors_.size(); ++f)
            for (size_t t = 1; factors_[f].is_of(layer) && t < view_.T; ++t)
                if (!send_pairs(f, t, damping)) return false;
        set_transitions(layer);
        if (!chain.run()) return false;
        change_ = std::max(change_, chain.change());
        return true;
    }
    size_t pairs_of(size_t f) const { return view_.L(factors_[f].own) * view_.L(factors_[f].own); }
    // Transitions of a conditioned chain: the plain ones, and the messages about pairs but for one factor's.
    void sum_transitions(size_t layer, size_t t, size_t but, double* to) const {
        const double* plain = view_.transition(layer, t);
        const size_t n = view_.L(layer) * view_.L(layer);
        for (size_t k = 0; k < n; ++k) to[k] += plain[k];
        for (size_t f = 0; f < factors_.size(); ++f)
            if (f != but && factors_[f].is_of(layer))
                for (size_t k = 0; k < n; ++k) to[k] += pair_message(f, t)[k];
    }
    void set_transitions(size_t layer) {
        if (std::none_of(factors_.begin(), factors_.end(), [&](auto& f) { return f.is_of(layer); })) return;
        for (size_t t = 1; t < view_.T; ++t) {
            pairs_.assign(view_.L(layer) * view_.L(layer), 0.0);
            sum_transitions(layer, t, factors_.size(), pairs_.data());
            chains_[layer].set_transitions(t, pairs_.data());
        }
    }
    void set_cavities(size_t f, size_t at, size_t but) {
        const size_t axes = factors_[f].layers.size();
        cavities_.resize(std::max(cavities_.size(), axes));
        for (size_t axis = 0; axis < axes; ++axis)
            if (axis != but) cavity({f, axis}, at, cavities_[axis]);
    }
    // To the chain of a conditioned transition: for each pair the sum over the given labels.
    bool send_pairs(size_t f, size_t at, double damping) {
        const LoopyFactor& factor = factors_[f];
        const size_t n = pairs_of(f), all = factor.layers.size();
        const double* scores = factor.scores(view_, at);
        set_cavities(f, at, all);
        fresh_.assign(n, kForbidden);
        each_cell(factor, nullptr, all, [&](size_t cell, size_t, double value) {
            for (size_t k = 0; k < n; ++k) fresh_[k] = std::max(fresh_[k], value + scores[cell * n + k]);
        });
        if constexpr (!Sum::is_max) {
            room_.assign(n, 0.0);
            each_cell(factor, nullptr, all, [&](size_t cell, size_t, double value) {
                for (size_t k = 0; k < n; ++k)
                    if (fresh_[k] != kForbidden) room_[k] += portable::exp(value + scores[cell * n + k] - fresh_[k]);
            });
            for (size_t k = 0; k < n; ++k)
                if (fresh_[k] != kForbidden) fresh_[k] += portable::log(room_[k]);
        }
        return take_over(&pair_messages_[f][at * n], damping);
    }
    // What the chain of a conditioned transition says about its pairs, but for that transition: [L x L], in pairs_.
    void set_pair_cavity(size_t f, size_t at) {
        pairs_.resize(pairs_of(f));
        chains_[factors_[f].own].pair_prior(at, pairs_.data());
        sum_transitions(factors_[f].own, at, f, pairs_.data());
    }
    // To a label that it is given.
    void conditioned_message(size_t f, size_t at, size_t axis) {
        const LoopyFactor& factor = factors_[f];
        const size_t n = pairs_of(f);
        const double* scores = factor.scores(view_, at);
        set_pair_cavity(f, at);
        std::fill(fresh_.begin(), fresh_.end(), kForbidden);
        each_cell(factor, nullptr, axis, [&](size_t cell, size_t label, double value) {
            for (size_t k = 0; k < n; ++k)
                fresh_[label] = std::max(fresh_[label], value + scores[cell * n + k] + pairs_[k]);
        });
        if constexpr (Sum::is_max) return;
        room_.assign(fresh_.size(), 0.0);
        each_cell(factor, nullptr, axis, [&](size_t cell, size_t label, double value) {
            for (size_t k = 0; fresh_[label] != kForbidden && k < n; ++k)
                room_[label] += portable::exp(value + scores[cell * n + k] + pairs_[k] - fresh_[label]);
        });
        for (size_t y = 0; y < fresh_.size(); ++y)
            if (fresh_[y] != kForbidden) fresh_[y] += portable::log(room_[y]);
    }
    // The belief of a conditioned transition, and its part in log Z.
    double conditioned_belief(size_t f, size_t t, SequenceExpectations& to) {
        const LoopyFactor& factor = factors_[f];
        const size_t n = pairs_of(f), all = factor.layers.size();
        const double* scores = factor.scores(view_, t);
        set_cavities(f, t, all);
        set_pair_cavity(f, t);
        double shared = 0;
        for (size_t axis = 0; axis < all; ++axis) {
            fresh_ = cavities_[axis];
            add_message(f, axis, t, fresh_.data());
            shared += log_sum(fresh_.data(), fresh_.size());
        }
        room_.assign(factor.size * n, 0.0);
        each_cell(factor, nullptr, all, [&](size_t cell, size_t, double value) {
            for (size_t k = 0; k < n; ++k) room_[cell * n + k] = value + scores[cell * n + k] + pairs_[k];
        });
        for (size_t k = 0; k < n; ++k) pairs_[k] += pair_message(f, t)[k];
        shared += log_sum(pairs_.data(), n);
        const double sum = log_sum(room_.data(), room_.size());
        exponentials(room_.data(), sum, room_.data(), room_.size());
        double* cells = to.conditioned(factor.index, t);
        for (size_t k = 0; k < room_.size(); ++k) cells[k] += room_[k];
        return sum - shared;
    }
    // What a layer says to one of its factors: everything it knows but from there.
    void cavity(const Input& to, size_t at, std::vector<double>& out) const {
        const LoopyFactor& factor = factors_[to.factor];
        const size_t layer = factor.layers[to.axis], t = factor.token(to.axis, at);
        const double* prior = chains_[layer].prior(t);
        out.assign(prior, prior + view_.L(layer));
        for (const Input& other : inputs_[layer])
            if (const size_t from = source(other, t); from < view_.T && !(other == to))
                add_message(other.factor, other.axis, from, out.data());
    }
    bool send(const Input& input, size_t at, double damping) {
        const LoopyFactor& factor = factors_[input.factor];
        const size_t L = factor.sizes[input.axis];
        set_cavities(input.factor, at, input.axis);
        fresh_.resize(L);
        const double* scores = factor.scores(view_, at);
        if (factor.kind == LoopyFactor::conditioned) conditioned_message(input.factor, at, input.axis);
        else if (factor.layers.size() > 2) wide_message(factor, scores, input.axis);
        else {
            const PairScores pair{scores, linear_[input.factor].at(at), linear_[input.factor].peak(at), factor.sizes[0],
                                  factor.sizes[1]};
            input.axis ? toward_second<Sum>(pair, cavities_[0].data(), fresh_.data(), room_)
                       : toward_first<Sum>(pair, cavities_[1].data(), fresh_.data(), room_);
        }
        return take_over(&messages_[input.factor][input.axis][at * L], damping);
    }
    // The fresh message, averaged with the old one, in its place. False if nothing is allowed.
    bool take_over(double* message, double damping) {
        const size_t L = fresh_.size();
        if (lower_to_zero(fresh_.data(), L) == kForbidden) return false;
        for (size_t y = 0; y < L; ++y) {
            change_ = std::max(change_, std::abs(portable::exp(fresh_[y]) - portable::exp(message[y])));
            if (damping > 0 && fresh_[y] != kForbidden) fresh_[y] = (1 - damping) * fresh_[y] + damping * message[y];
            message[y] = fresh_[y];
        }
        return lower_to_zero(message, L) != kForbidden;
    }
    // The score of each cell with the cavities of all axes but one; visit(cell, label on that axis, value).
    template <class Visit> void each_cell(const LoopyFactor& factor, const double* scores, size_t but, Visit visit) {
        labels_.assign(factor.layers.size(), 0);
        for (size_t cell = 0; cell < factor.size; ++cell) {
            double value = scores ? scores[cell] : 0.0;
            for (size_t axis = 0; axis < labels_.size(); ++axis)
                if (axis != but) value += cavities_[axis][labels_[axis]];
            visit(cell, but < labels_.size() ? labels_[but] : 0, value);
            for (size_t axis = labels_.size(); axis-- > 0;) {
                if (++labels_[axis] < factor.sizes[axis]) break;
                labels_[axis] = 0;
            }
        }
    }
    void wide_message(const LoopyFactor& factor, const double* scores, size_t axis) {
        std::fill(fresh_.begin(), fresh_.end(), kForbidden);
        each_cell(factor, scores, axis,
                  [&](size_t, size_t label, double value) { fresh_[label] = std::max(fresh_[label], value); });
        if constexpr (Sum::is_max) return;
        room_.assign(fresh_.size(), 0.0);
        each_cell(factor, scores, axis, [&](size_t, size_t label, double value) {
            if (value != kForbidden) room_[label] += portable::exp(value - fresh_[label]);
        });
        for (size_t y = 0; y < fresh_.size(); ++y)
            if (fresh_[y] != kForbidden) fresh_[y] += portable::log(room_[y]);
    }
    // The belief of a factor; log of its sum, less that of each label row with the factor's message.
    double factor_belief(size_t f, size_t t, double* to) {
        const LoopyFactor& factor = factors_[f];
        set_cavities(f, t, factor.layers.size());
        double shared = 0;
        for (size_t axis = 0; axis < factor.layers.size(); ++axis) {
            fresh_ = cavities_[axis];
            add_message(f, axis, t, fresh_.data());
            shared += log_sum(fresh_.data(), fresh_.size());
        }
        each_cell(factor, factor.scores(view_, t), factor.layers.size(),
                  [&](size_t cell, size_t, double value) { to[cell] = value; });
        const double sum = log_sum(to, factor.size);
        exponentials(to, sum, to, factor.size);
        return sum - shared;
    }

    const GridView& view_;
    const std::vector<LoopyFactor>& factors_;
    std::vector<std::vector<Input>> inputs_;  // of each layer
    std::vector<LoopyChain<Sum>> chains_;
    std::vector<std::vector<std::vector<double>>> messages_;  // of each factor and axis, [T x L] by the factor's token
    std::vector<ExponentialScores> linear_;
    std::vector<std::vector<double>> cavities_;
    std::vector<std::vector<double>> pair_messages_;  // of each conditioned transition, [T x L x L]
    std::vector<double> fresh_, room_, pairs_;
    std::vector<size_t> labels_;
    double change_ = 0;
};

// Finds labels from messages, then improves them layer by layer.
class LoopyDecoder {
public:
    LoopyDecoder(const GridView& view, const std::vector<LoopyFactor>& factors, const std::vector<int32_t*>& labels)
        : view_(view), factors_(factors), labels_(labels) {}

    double decode(const LoopyGrid<MaxOf>& grid) {
        for (size_t layer = 0; layer < view_.layers(); ++layer) place(layer, layer, &grid, kForbidden);
        constexpr double dear = -1e9;  // first break as few rules as possible, then look at scores
        if (labels_score(view_, labels_) == kForbidden) improve(dear);
        if (labels_score(view_, labels_) != kForbidden) improve(kForbidden);
        return labels_score(view_, labels_);
    }

private:
    void improve(double floor) {
        size_t settled = 0;  // layers in a row that could not be improved
        for (size_t n = 0; settled < view_.layers() && n < 100 * view_.layers(); ++n)
            settled = place(n % view_.layers(), view_.layers(), nullptr, floor) ? 0 : settled + 1;
    }
    // The best labels of a layer, given those of layers before `known` and messages from the others; whether they are
    // better.
    bool place(size_t layer, size_t known, const LoopyGrid<MaxOf>* grid, double floor) {
        const size_t L = view_.L(layer);
        scores_.resize(view_.T * L);
        for (size_t t = 0; t < view_.T; ++t) std::copy_n(view_.node(layer, t), L, &scores_[t * L]);
        for (size_t f = 0; f < factors_.size(); ++f)
            for (size_t axis = 0; axis < factors_[f].layers.size(); ++axis)
                if (factors_[f].layers[axis] == layer) add_factor(f, axis, known, grid);
        if (floor != kForbidden)
            for (double& score : scores_) score = std::max(score, floor);
        set_transitions(layer, known, grid);
        const auto transitions = [&](size_t t) {
            return transitions_.empty() ? view_.transition(layer, t) : &transitions_[t * L * L];
        };
        return improve_path(view_.T, L, scores_.data(), transitions, floor, labels_[layer], grid != nullptr);
    }
    // Those of a conditioned chain, given labels or messages; of others none, they are as they are.
    void set_transitions(size_t layer, size_t known, const LoopyGrid<MaxOf>* grid) {
        const size_t n = view_.L(layer) * view_.L(layer);
        transitions_.clear();
        for (size_t f = 0; f < factors_.size(); ++f) {
            if (!factors_[f].is_of(layer)) continue;
            if (transitions_.empty()) {
                transitions_.resize(view_.T * n);
                for (size_t t = 1; t < view_.T; ++t) std::copy_n(view_.transition(layer, t), n, &transitions_[t * n]);
            }
            const bool fixed =
                std::all_of(factors_[f].layers.begin(), factors_[f].layers.end(), [&](size_t i) { return i < known; });
            for (size_t t = 1; t < view_.T; ++t) {
                const auto label = [&](size_t i) { return static_cast<size_t>(labels_[i][t]); };
                const double* more =
                    fixed ? given_labels(view_, factors_[f].index, t, label) : grid->pair_message(f, t);
                for (size_t k = 0; k < n; ++k) transitions_[t * n + k] += more[k];
            }
        }
    }
    void add_factor(size_t f, size_t axis, size_t known, const LoopyGrid<MaxOf>* grid) {
        const LoopyFactor& factor = factors_[f];
        const size_t L = factor.sizes[axis];
        const bool conditioned = factor.kind == LoopyFactor::conditioned;
        bool fixed = !conditioned || factor.own < known;
        for (size_t n = 0; n < factor.layers.size(); ++n) fixed = fixed && (n == axis || factor.layers[n] < known);
        for (size_t at = factor.first(); at < view_.T; ++at) {
            double* to = &scores_[factor.token(axis, at) * L];
            if (!fixed) {
                grid->add_message(f, axis, at, to);
                continue;
            }
            const size_t L_own = conditioned ? view_.L(factor.own) : 1, pairs = L_own * L_own;
            size_t stride = factor.size * pairs, start = 0, own = 1;
            for (size_t n = 0; n < factor.layers.size(); ++n) {
                stride /= factor.sizes[n];
                if (n == axis) own = stride;
                else start += stride * static_cast<size_t>(labels_[factor.layers[n]][factor.token(n, at)]);
            }
            const double* scores = factor.scores(view_, at);
            if (conditioned) {
                const int32_t* path = labels_[factor.own];
                start += static_cast<size_t>(path[at - 1]) * L_own + static_cast<size_t>(path[at]);
            }
            for (size_t y = 0; y < L; ++y) to[y] += scores[start + y * own];
        }
    }

    const GridView& view_;
    const std::vector<LoopyFactor>& factors_;
    const std::vector<int32_t*>& labels_;
    std::vector<double> scores_, transitions_;
};

inline LoopyReport merge_reports(const std::vector<LoopyReport>& reports) {
    LoopyReport sum;
    for (const LoopyReport& one : reports) sum.add(one);
    return sum;
}

inline std::pair<GridLabels, LoopyReport> loopy_best(const Grids& grids, const LoopySettings& settings, int threads) {
    GridLabels found(grids);
    const std::vector<LoopyFactor> factors = loopy_factors(grids);
    const std::vector<ExponentialScores> no_transitions(grids.layers(), ExponentialScores(0, 0));
    std::vector<LoopyReport> reports(grids.n_sequences());
    each_sequence(grids, threads, [&](size_t s, size_t, size_t) {
        const GridView view(grids, s);
        LoopyGrid<MaxOf> grid(view, factors, no_transitions);
        const std::vector<int32_t*> labels = label_rows(found, view);
        found.scores[s] =
            grid.run(settings, reports[s]) ? LoopyDecoder(view, factors, labels).decode(grid) : kForbidden;
    });
    return {std::move(found), merge_reports(reports)};
}

inline std::pair<GridExpectations, LoopyReport> loopy_marginals(const Grids& grids, const LoopySettings& settings,
                                                                int threads) {
    const std::vector<LoopyFactor> factors = loopy_factors(grids);
    const std::vector<ExponentialScores> transitions = exponential_transitions(grids);
    std::vector<LoopyReport> reports(grids.n_sequences());
    GridExpectations found =
        expectations(grids, threads, [&](const GridView& view, SequenceExpectations& to, size_t s, size_t) {
            LoopyGrid<SumOf> grid(view, factors, transitions);
            return grid.run(settings, reports[s]) ? grid.beliefs(to) : kForbidden;
        });
    return {std::move(found), merge_reports(reports)};
}

}  // namespace dovetail
