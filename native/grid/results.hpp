// Results of approximate inference in grids, and how sequences are divided among threads.
#pragma once
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "grid/scores.hpp"

namespace dovetail {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

struct GridLabels {
    std::vector<std::vector<int32_t>> labels;  // of each layer, [n_tokens]
    std::vector<double> scores;                // [sequences]; -infinity where nothing allowed was found

    explicit GridLabels(const Grids& grids)
        : labels(grids.layers(), std::vector<int32_t>(grids.n_tokens())), scores(grids.n_sequences()) {}
};

// Expectations have the shapes of the scores they belong to.
struct GridExpectations {
    std::vector<double> log_z;  // [sequences]; -infinity where nothing allowed was found
    std::vector<std::vector<double>> labels, transitions, cotemporal, lagged, conditioned;

    explicit GridExpectations(const Grids& grids) : log_z(grids.n_sequences()) {
        const size_t tokens = grids.n_tokens();
        for (size_t i = 0; i < grids.layers(); ++i) {
            const size_t L = grids.labels[i];
            labels.emplace_back(tokens * L);
            transitions.emplace_back((grids.transition[i].each_token ? tokens : 1) * L * L);
        }
        for (const CotemporalFactor& factor : grids.cotemporal)
            cotemporal.emplace_back(tokens * grids.factor_size(factor));
        for (const LaggedFactor& factor : grids.lagged)
            lagged.emplace_back(tokens * grids.labels[factor.before] * grids.labels[factor.after]);
        for (const ConditionedTransition& factor : grids.conditioned)
            conditioned.emplace_back((factor.each_token ? tokens : 1) * grids.factor_size(factor));
    }
};

// Where one sequence's expectations go. Transitions of all tokens together, conditioned or not, are summed up a few
// sequences at a time.
class SequenceExpectations {
public:
    using Sums = std::vector<std::vector<double>>;  // like the scores: transitions of each layer, then conditioned ones

    SequenceExpectations(const GridView& view, GridExpectations& all, Sums& sums)
        : view_(view), all_(all), sums_(sums) {}
    double* labels(size_t layer, size_t t) { return &all_.labels[layer][(view_.first + t) * view_.L(layer)]; }
    double* transitions(size_t layer, size_t t) {
        const size_t size = view_.L(layer) * view_.L(layer);
        return view_.all.transition[layer].each_token ? &all_.transitions[layer][(view_.first + t) * size]
                                                      : sums_[layer].data();
    }
    double* cotemporal(size_t k, size_t t) {
        return &all_.cotemporal[k][(view_.first + t) * view_.all.factor_size(view_.all.cotemporal[k])];
    }
    double* lagged(size_t k, size_t t) {
        const LaggedFactor& of = view_.all.lagged[k];
        return &all_.lagged[k][(view_.first + t) * view_.L(of.before) * view_.L(of.after)];
    }
    double* conditioned(size_t k, size_t t) {
        const ConditionedTransition& of = view_.all.conditioned[k];
        return of.each_token ? &all_.conditioned[k][(view_.first + t) * view_.all.factor_size(of)]
                             : sums_[view_.layers() + k].data();
    }

private:
    const GridView& view_;
    GridExpectations& all_;
    Sums& sums_;
};

// Calls run(s, share, worker) for every sequence; sequences of a share run one after another, on one thread. How
// sequences are divided does not depend on the number of threads, so sums over shares do not either.
constexpr size_t kShares = 64;
template <class Run> void each_sequence(const Grids& grids, int threads, Run run) {
    const size_t n = grids.n_sequences(), shares = std::min(n, kShares);
    parallel(shares, threads, [&](size_t share, size_t worker) {
        for (size_t s = n * share / shares; s < n * (share + 1) / shares; ++s) run(s, share, worker);
    });
}

// run(view, expectations, s, worker) returns log Z of a sequence.
template <class Run> GridExpectations expectations(const Grids& grids, int threads, Run run) {
    GridExpectations out(grids);
    std::vector<SequenceExpectations::Sums> sums(kShares);
    each_sequence(grids, threads, [&](size_t s, size_t share, size_t worker) {
        if (sums[share].empty()) {
            for (size_t L : grids.labels) sums[share].emplace_back(L * L);
            for (const ConditionedTransition& of : grids.conditioned) sums[share].emplace_back(grids.factor_size(of));
        }
        const GridView view(grids, s);
        SequenceExpectations to(view, out, sums[share]);
        out.log_z[s] = run(view, to, s, worker);
    });
    const size_t N = grids.layers();
    for (const auto& share : sums)
        for (size_t i = 0; i < share.size(); ++i) {
            if (i < N ? grids.transition[i].each_token : grids.conditioned[i - N].each_token) continue;
            std::vector<double>& to = i < N ? out.transitions[i] : out.conditioned[i - N];
            for (size_t k = 0; k < share[i].size(); ++k) to[k] += share[i][k];
        }
    return out;
}

// Where the labels of some layers lie in an array over all labels of these; label(layer) gives each.
template <class Label> size_t cell_of(const Grids& grids, const std::vector<size_t>& layers, Label label) {
    size_t cell = 0;
    for (size_t layer : layers) cell = cell * grids.labels[layer] + label(layer);
    return cell;
}
template <class Label> size_t factor_cell(const Grids& grids, const CotemporalFactor& factor, Label label) {
    return cell_of(grids, factor.layers, label);
}
// The scores of a conditioned transition, [L x L], given the labels at the token.
template <class Label> const double* given_labels(const GridView& view, size_t k, size_t t, Label label) {
    const ConditionedTransition& of = view.all.conditioned[k];
    return view.conditioned(k, t) + cell_of(view.all, of.given, label) * view.L(of.layer) * view.L(of.layer);
}

// The score of a sequence's labels: labels[layer][t].
inline double labels_score(const GridView& view, const std::vector<int32_t*>& labels) {
    double sum = 0;
    for (size_t t = 0; t < view.T; ++t) {
        const auto label = [&](size_t layer) { return static_cast<size_t>(labels[layer][t]); };
        const auto before = [&](size_t layer) { return static_cast<size_t>(labels[layer][t - 1]); };
        for (size_t i = 0; i < view.layers(); ++i) {
            sum += view.node(i, t)[label(i)];
            if (t) sum += view.transition(i, t)[before(i) * view.L(i) + label(i)];
        }
        for (size_t k = 0; k < view.all.cotemporal.size(); ++k)
            sum += view.cotemporal(k, t)[factor_cell(view.all, view.all.cotemporal[k], label)];
        for (size_t k = 0; t && k < view.all.lagged.size(); ++k) {
            const LaggedFactor& of = view.all.lagged[k];
            sum += view.lagged(k, t)[before(of.before) * view.L(of.after) + label(of.after)];
        }
        for (size_t k = 0; t && k < view.all.conditioned.size(); ++k) {
            const size_t i = view.all.conditioned[k].layer;
            sum += given_labels(view, k, t, label)[before(i) * view.L(i) + label(i)];
        }
    }
    return sum;
}

// A sequence's rows of the labels of all layers.
inline std::vector<int32_t*> label_rows(GridLabels& found, const GridView& view) {
    std::vector<int32_t*> rows;
    for (auto& layer : found.labels) rows.push_back(layer.data() + view.first);
    return rows;
}

}  // namespace dovetail
