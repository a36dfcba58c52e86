// Scores of several chains over the same tokens: a factorial CRF.
//
//   score(s) = sum_t [ sum_i node_i(t, s^i_t) + sum_i transition_i(t, s^i_{t-1}, s^i_t)
//                      + sum_c cotemporal_c(t, labels at t of the layers that c joins)
//                      + sum_g lagged_g(t, s^a_{t-1}, s^b_t)
//                      + sum_d conditioned_d(t, labels at t of the layers that d is given, s^i_{t-1}, s^i_t) ]
//
// Transitions, conditioned or not, and lagged factors into the first token of a sequence do not count. -infinity
// forbids.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace dovetail {

// The labels that some layers give to one token, scored together.
struct CotemporalFactor {
    std::vector<size_t> layers;  // two or more, all different
    const double* score;         // [n_tokens x L of the first x L of the second ...]
};
// The label of one layer at the token before, and of another layer at this one.
struct LaggedFactor {
    size_t before, after;
    const double* score;  // [n_tokens x L_before x L_after]
};
struct GridTransition {
    const double* score;  // [L x L] previous x label, or one such matrix into each token
    bool each_token;
};

// Transitions of one layer that depend on the labels which other layers give to the token they lead to.
struct ConditionedTransition {
    size_t layer;
    std::vector<size_t> given;  // one layer or more, all different
    const double* score;        // [labels of the given layers ... x L x L], or one such array into each token
    bool each_token;
};

// All sequences of a batch. Arrays belong to someone else, who outlives this.
struct Grids {
    std::vector<size_t> labels;       // of each layer
    std::vector<uint64_t> bounds;     // [sequences + 1] among tokens
    std::vector<const double*> node;  // [n_tokens x L_i]
    std::vector<GridTransition> transition;
    std::vector<CotemporalFactor> cotemporal;
    std::vector<LaggedFactor> lagged;
    std::vector<ConditionedTransition> conditioned;

    size_t layers() const { return labels.size(); }
    size_t n_sequences() const { return bounds.size() - 1; }
    size_t n_tokens() const { return bounds.back(); }
    // Combinations of labels that a token can have; in floating point, since there may be too many to count.
    double states() const { return std::accumulate(labels.begin(), labels.end(), 1.0, std::multiplies<>()); }
    size_t factor_size(const CotemporalFactor& factor) const {
        size_t size = 1;
        for (size_t layer : factor.layers) size *= labels[layer];
        return size;
    }
    size_t factor_size(const ConditionedTransition& factor) const {
        size_t size = labels[factor.layer] * labels[factor.layer];
        for (size_t layer : factor.given) size *= labels[layer];
        return size;
    }
};

// One sequence of them, tokens numbered from 0.
struct GridView {
    const Grids& all;
    size_t first, T;

    GridView(const Grids& grids, size_t s)
        : all(grids), first(grids.bounds[s]), T(grids.bounds[s + 1] - grids.bounds[s]) {}
    size_t layers() const { return all.layers(); }
    size_t L(size_t layer) const { return all.labels[layer]; }
    const double* node(size_t layer, size_t t) const { return all.node[layer] + (first + t) * L(layer); }
    const double* transition(size_t layer, size_t t) const {
        const GridTransition& of = all.transition[layer];
        return of.score + (of.each_token ? (first + t) * L(layer) * L(layer) : 0);
    }
    const double* cotemporal(size_t k, size_t t) const {
        return all.cotemporal[k].score + (first + t) * all.factor_size(all.cotemporal[k]);
    }
    const double* lagged(size_t k, size_t t) const {
        const LaggedFactor& of = all.lagged[k];
        return of.score + (first + t) * L(of.before) * L(of.after);
    }
    const double* conditioned(size_t k, size_t t) const {
        const ConditionedTransition& of = all.conditioned[k];
        return of.score + (of.each_token ? (first + t) * all.factor_size(of) : 0);
    }
};

}  // namespace dovetail
