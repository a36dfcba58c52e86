// Sparse message passing and beam search: of the joint states of a token only the likeliest are kept.
//
// Masses (sums over paths) choose the states. A step from token to token takes all combinations of the labels that
// matter (dense.hpp), or goes from state to state where these are too many or nothing may be dropped (step.hpp). The
// best labels are those of the best path through kept states. Expectations are those of the paths through kept states:
// in the backward pass, each state passes its probability on to its predecessors by their shares in its mass. Only kept
// states are stored; what happened between two tokens is recomputed in the backward pass.
#pragma once
#include "core/elementary.hpp"
#include "grid/sparse/dense.hpp"
#include "grid/sparse/step.hpp"

namespace dovetail {

struct SparseReport {
    double log_kept = 0;   // log of the product over tokens of the mass kept
    double least = 1;      // mass kept at a token
    double states = 0;     // kept at all tokens together
    bool all_seen = true;  // nothing was dropped, so that what was not found does not exist

    void add(const SparseReport& other) {
        log_kept += other.log_kept;
        least = std::min(least, other.least);
        states += other.states;
    }
};

class SparseSearch {
public:
    SparseSearch(const Grids& grids, const SparsePlan& plan, const std::vector<ExponentialScores>& transitions,
                 const SparseLimits& limits)
        : grids_(grids), plan_(plan), limits_(limits), dense_(grids, plan, transitions), step_(grids, plan) {}

    // The labels of the best path through kept states and its score; -infinity if there is none.
    double best(const GridView& view, const std::vector<int32_t*>& labels, SparseReport& report) {
        if (forward(view, report) == kForbidden) return kForbidden;
        size_t state =
            view.T
                ? static_cast<size_t>(std::max_element(states_.best.begin(), states_.best.end()) - states_.best.begin())
                : 0;
        for (size_t t = view.T; t-- > 0;) {
            const size_t at = starts_[t] + state;
            for (size_t i = 0; i < view.layers(); ++i)
                labels[i][t] = static_cast<int32_t>(plan_.fields[i].label(keys_[at]));
            state = origins_[at];
        }
        return labels_score(view, labels);
    }
    // Expectations over the paths through kept states; log of their sum.
    double marginals(const GridView& view, SequenceExpectations& to, SparseReport& report) {
        const double log_z = forward(view, report);
        if (log_z == kForbidden || !view.T) return log_z;
        probability_.clear();
        for (double mass : states_.mass) probability_.push_back(portable::exp(mass));
        const double sum = std::accumulate(probability_.begin(), probability_.end(), 0.0);
        for (double& p : probability_) p /= sum;
        for (size_t t = view.T; t-- > 0;) {
            add_states(view, t, to);
            if (t) hand_back(view, t, to);
        }
        return log_z;
    }

private:
    // Wider and wider where narrow limits lead to a dead end.
    double forward(const GridView& view, SparseReport& report) {
        constexpr double kAffordable = 200'000;  // joint states that may all be kept if need be
        SparseLimits& limits = used_ = limits_;
        for (int attempt = 0; attempt < 4; ++attempt) {
            report = {};
            const double log_z = forward_within(view, report);
            if (log_z != kForbidden || report.all_seen) return log_z;
            limits.epsilon = attempt == 0 ? limits.epsilon * 1e-4 : 0.0;
            limits.beam = std::min(limits.beam, SIZE_MAX / 64) * 16;
            if (attempt == 2 && grids_.states() <= kAffordable) limits.beam = SIZE_MAX;
        }
        return kForbidden;
    }
    // From states_ to next_: label by label where few labels matter, else state by state.
    bool advance(const GridView& view, size_t t, std::vector<SparseBranches>* record) {
        return dense_.advance(view, t, used_, states_, next_, record, loss_) ||
               step_.advance(view, t, used_, states_, next_, record, loss_);
    }
    double forward_within(const GridView& view, SparseReport& report) {
        keys_.clear(), masses_.clear(), origins_.clear(), starts_.assign(1, 0);
        states_.resize(1);
        states_.set(0, 0, 0.0, 0.0, 0);
        double log_z = 0;
        for (size_t t = 0; t < view.T; ++t) {
            const bool allowed = advance(view, t, nullptr);
            report.all_seen = report.all_seen && used_.epsilon == 0 && !loss_.narrowed;
            if (!allowed) return kForbidden;
            std::swap(states_, next_);
            log_z += loss_.log_scale;
            report.log_kept += portable::log(loss_.kept);
            report.least = std::min(report.least, loss_.kept);
            report.states += static_cast<double>(states_.size());
            keys_.insert(keys_.end(), states_.key.begin(), states_.key.end());
            masses_.insert(masses_.end(), states_.mass.begin(), states_.mass.end());
            origins_.insert(origins_.end(), states_.origin.begin(), states_.origin.end());
            starts_.push_back(keys_.size());
        }
        double sum = 0;
        for (double mass : states_.mass) sum += portable::exp(mass);
        return log_z + portable::log(sum);
    }
    void add_states(const GridView& view, size_t t, SequenceExpectations& to) {
        for (size_t n = 0; n < probability_.size(); ++n) {
            const auto label = [&](size_t layer) { return plan_.fields[layer].label(keys_[starts_[t] + n]); };
            for (size_t i = 0; i < view.layers(); ++i) to.labels(i, t)[label(i)] += probability_[n];
            for (size_t k = 0; k < grids_.cotemporal.size(); ++k)
                to.cotemporal(k, t)[factor_cell(grids_, grids_.cotemporal[k], label)] += probability_[n];
        }
    }
    void hand_back(const GridView& view, size_t t, SequenceExpectations& to) {
        const size_t first = starts_[t - 1], last = starts_[t];
        states_.key.assign(keys_.begin() + static_cast<std::ptrdiff_t>(first),
                           keys_.begin() + static_cast<std::ptrdiff_t>(last));
        states_.mass.assign(masses_.begin() + static_cast<std::ptrdiff_t>(first),
                            masses_.begin() + static_cast<std::ptrdiff_t>(last));
        states_.best.assign(last - first, 0.0);
        states_.origin.assign(last - first, 0);
        advance(view, t, &record_);
        for (size_t at = plan_.stages.size(); at-- > 0;) {
            const SparsePlan::Stage& stage = plan_.stages[at];
            const std::vector<size_t>& lagged = plan_.lagged_into[stage.layer];
            const std::vector<KeyField>& previous = stage.previous[stage.layer];
            double* transitions = to.transitions(stage.layer, t);
            handed_.assign(record_[at].from_key.size(), 0.0);
            for (const auto& branch : record_[at].branches) {
                const double p = probability_[branch.to] * branch.share;
                const uint64_t key = record_[at].from_key[branch.from];
                handed_[branch.from] += p;
                transitions[previous[0].label(key) * stage.L + branch.label] += p;
                for (size_t n = 0; n < lagged.size(); ++n)
                    to.lagged(lagged[n], t)[previous[n + 1].label(key) * stage.L + branch.label] += p;
                for (size_t k : plan_.conditioned[stage.layer]) {
                    const size_t cell = cell_of(grids_, grids_.conditioned[k].given,
                                                [&](size_t i) { return plan_.fields[i].label(key); });
                    to.conditioned(k, t)[(cell * stage.L + previous[0].label(key)) * stage.L + branch.label] += p;
                }
            }
            probability_.swap(handed_);
        }
    }

    const Grids& grids_;
    const SparsePlan& plan_;
    const SparseLimits limits_;
    SparseLimits used_{};
    DenseStep dense_;
    SparseStep step_;
    SparseLoss loss_;
    SparseStates states_, next_;
    std::vector<size_t> starts_;     // [T + 1] where a token's states begin among
    std::vector<uint64_t> keys_;     // the states kept at all tokens,
    std::vector<double> masses_;     // their masses
    std::vector<uint32_t> origins_;  // and where their best paths come from
    std::vector<double> probability_, handed_;
    std::vector<SparseBranches> record_;
};

// A search a worker, made where it works.
class SparseSearches {
public:
    SparseSearches(const Grids& grids, const SparseLimits& limits, int threads)
        : plan_(grids), transitions_(exponential_transitions(grids)), reports(grids.n_sequences()) {
        for (int worker = 0; worker < std::max(1, threads); ++worker)
            searches_.emplace_back(grids, plan_, transitions_, limits);
    }
    SparseSearch& of(size_t worker) { return searches_[worker]; }
    SparseReport report() const {
        SparseReport sum;
        for (const SparseReport& one : reports) sum.add(one);
        return sum;
    }

private:
    SparsePlan plan_;
    std::vector<ExponentialScores> transitions_;
    std::vector<SparseSearch> searches_;

public:
    std::vector<SparseReport> reports;  // [sequences]
};

inline std::pair<GridLabels, SparseReport> sparse_best(const Grids& grids, const SparseLimits& limits, int threads) {
    GridLabels found(grids);
    SparseSearches searches(grids, limits, threads);
    each_sequence(grids, threads, [&](size_t s, size_t, size_t worker) {
        const GridView view(grids, s);
        found.scores[s] = searches.of(worker).best(view, label_rows(found, view), searches.reports[s]);
    });
    return {std::move(found), searches.report()};
}

inline std::pair<GridExpectations, SparseReport> sparse_marginals(const Grids& grids, const SparseLimits& limits,
                                                                  int threads) {
    SparseSearches searches(grids, limits, threads);
    GridExpectations found =
        expectations(grids, threads, [&](const GridView& view, SequenceExpectations& to, size_t s, size_t worker) {
            return searches.of(worker).marginals(view, to, searches.reports[s]);
        });
    return {std::move(found), searches.report()};
}

}  // namespace dovetail
