// From features to the scores of a sequence: label scores a token, and transitions where features weigh on those.
//
//   score_t[j]   = sum_k value_k * weight(feature_k, j)
//   into_t[i][j] = transition(i, j) + sum_k value_k * weight(feature_k, i, j)
#pragma once
#include "chain/constraints.hpp"
#include "chain/model.hpp"
#include "core/blocks.hpp"
#include "features/dataset.hpp"

namespace dovetail {

// Encoded sequences. Feature ids are those of `model`, which outlives the batch. `base`, [n_tokens x Lp] or empty, are
// label scores that come on top of those of the features.
struct Batch {
    const Model* model;
    Features x;
    Array<float> base;

    size_t first(size_t s) const { return x.sequences[s]; }
    size_t length(size_t s) const { return x.sequences[s + 1] - x.sequences[s]; }
};

inline Vec<float> load_as(const float* from, float) { return load(from); }
inline Vec<double> load_as(const float* from, double) { return widened(load(from)); }

// Adds up dense rows, a group of blocks kept in registers.
template <class R> struct DenseSum {
    const float* dense;
    const std::vector<uint32_t>& rows;
    const float* value;  // or nullptr: all 1
    size_t n;
    int Lp;
    R* out;
    template <int G> void run(int block) const {
        Vec<R> sum[G] = {};
        for (size_t k = 0; k < n; ++k) {
            const float* row = dense + static_cast<size_t>(rows[k]) * Lp + block * kLane;
            if (value)
                for (int g = 0; g < G; ++g) sum[g] = fma(R(value[k]), load_as(row + g * kLane, R()), sum[g]);
            else
                for (int g = 0; g < G; ++g) sum[g] += load_as(row + g * kLane, R());
        }
        for (int g = 0; g < G; ++g) store(out + (block + g) * kLane, sum[g]);
    }
};

template <class R> class TokenScorer {
public:
    explicit TokenScorer(const Model& model) : model_(model) {}

    // out: [Lp], padding 0.
    void score(const Features& x, uint64_t t, R* out) {
        split(x, t);
        if (t + 1 < x.n_tokens()) prefetch(x, t + 1);
        const bool valued = !x.values.empty();
        each_group<R, 1>(
            model_.Lp / kLane,
            DenseSum<R>{model_.dense.data(), dense_, valued ? dense_value_.data() : nullptr, n_dense_, model_.Lp, out});
        for (size_t k = 0; k < n_pairs_; ++k) {
            const R value = valued ? R(pair_value_[k]) : R(1);
            model_.each_pair(pairs_[k], [&](int label, float weight) { out[label] += value * weight; });
        }
    }
    // The score of one label alone.
    double score(const Features& x, uint64_t t, int label) const {
        double sum = 0;
        for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k) {
            const uint32_t row = model_.row[x.ids[k]];
            if (row != kNone) sum += (x.values.empty() ? 1.0 : x.values[k]) * weight(row, label);
        }
        return sum;
    }
    // Calls visit(previous * Lp + label, score) for each cell that the token's features on transitions add to.
    template <class Visit> void each_cell(const Features& x, uint64_t t, Visit visit) const {
        for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k) {
            const uint32_t at = model_.edge_row[x.ids[k]];
            if (at == kNone) continue;
            const R value = x.values.empty() ? R(1) : R(x.values[k]);
            model_.each_cell(at, [&](uint32_t place, float weight) { visit(place, value * R(weight)); });
        }
    }
    bool any_cell(const Features& x, uint64_t t) const {
        if (!model_.has_edges()) return false;
        for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k)
            if (model_.edge_row[x.ids[k]] != kNone) return true;
        return false;
    }

private:
    // Dense rows apart from pairs, without branches: which kind comes next is hard to predict.
    void split(const Features& x, uint64_t t) {
        const uint64_t begin = x.tokens[t], n = x.tokens[t + 1] - begin;
        if (dense_.size() <= n)
            dense_.resize(n + 1), pairs_.resize(n + 1), dense_value_.resize(n + 1), pair_value_.resize(n + 1);
        n_dense_ = n_pairs_ = 0;
        const size_t rows = model_.dense.size() / model_.Lp;
        for (uint64_t k = 0; k < n; ++k) {
            const uint32_t row = model_.row[x.ids[begin + k]];
            const float value = x.values.empty() ? 1.0f : x.values[begin + k];
            dense_[n_dense_] = row & ~kDenseRow, dense_value_[n_dense_] = value;
            pairs_[n_pairs_] = row, pair_value_[n_pairs_] = value;
            n_dense_ += (row & kDenseRow) != 0 && (row & ~kDenseRow) < rows;
            n_pairs_ += (row & kDenseRow) == 0;
        }
    }
    void prefetch(const Features& x, uint64_t t) const {
        for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k) {
            const uint32_t row = model_.row[x.ids[k]];
            if (row & kDenseRow) {
                if (row == kNone) continue;
                const float* weights = model_.dense.data() + static_cast<size_t>(row & ~kDenseRow) * model_.Lp;
                __builtin_prefetch(weights);
                __builtin_prefetch(weights + std::min(model_.Lp, 32) - 1);
            } else {
                __builtin_prefetch(model_.pair_label.data() + row);
                __builtin_prefetch(model_.pair_weight.data() + row);
            }
        }
    }
    double weight(uint32_t row, int label) const {
        const size_t dense = row & ~kDenseRow;
        if (row & kDenseRow)
            return dense < model_.dense.size() / model_.Lp ? model_.dense[dense * model_.Lp + label] : 0.0;
        double sum = 0;
        model_.each_pair(row, [&](int y, float weight) { sum += y == label ? weight : 0.0f; });
        return sum;
    }
    const Model& model_;
    std::vector<uint32_t> dense_, pairs_;
    std::vector<float> dense_value_, pair_value_;
    size_t n_dense_ = 0, n_pairs_ = 0;
};

// What inference may use: constraints of the model, and labels a token may take, [n_tokens x L] or nullptr.
struct Limits {
    const Constraints& constraints;
    const uint8_t* allowed;

    bool any() const { return allowed || !constraints.start.empty() || !constraints.end.empty(); }
    bool permits(const Batch& batch, size_t s, size_t t, int j) const {
        const auto& [legal, start, end] = constraints;
        return (!allowed || allowed[(batch.first(s) + t) * batch.model->L + j]) && (t || start.empty() || start[j]) &&
               (t + 1 < batch.length(s) || end.empty() || end[j]);
    }
};

// One sequence ready for recursions over logarithms: whatever is not allowed has the score -infinity.
template <class R> class Chain {
public:
    Chain(const Model& model, const PaddedTransitions<R>& transitions)
        : model_(model), transitions_(transitions), scorer_(model) {}

    Array<R> score;  // [T x Lp]
    size_t T = 0;

    void load(const Batch& batch, size_t s, const Limits& limits) {
        const int L = model_.L, Lp = model_.Lp;
        x_ = &batch.x, first_ = batch.first(s), T = batch.length(s);
        if (score.size() < T * Lp) score.resize(T * Lp);
        for (size_t t = 0; t < T; ++t) {
            R* row = &score[t * Lp];
            scorer_.score(batch.x, first_ + t, row);
            if (!batch.base.empty())
                for (int j = 0; j < L; ++j) row[j] += batch.base[(first_ + t) * Lp + j];
            for (int j = L; j < Lp; ++j) row[j] = -std::numeric_limits<R>::infinity();
            if (limits.any())
                for (int j = 0; j < L; ++j)
                    if (!limits.permits(batch, s, t, j)) row[j] = -std::numeric_limits<R>::infinity();
        }
    }
    // Transitions into token t, [L x Lp]; made on the spot, so that memory does not grow with T x L^2.
    const R* into(size_t t) {
        if (!scorer_.any_cell(*x_, first_ + t)) return transitions_.into.data();
        matrix_.assign(transitions_.into.begin(), transitions_.into.end());
        scorer_.each_cell(*x_, first_ + t, [&](uint32_t cell, R value) { matrix_[cell] += value; });
        return matrix_.data();
    }
    // Transitions into label j at token t, [Lp] over the label before.
    const R* into(size_t t, int j) {
        const R* row = &transitions_.across[static_cast<size_t>(j) * model_.Lp];
        if (!scorer_.any_cell(*x_, first_ + t)) return row;
        column_.assign(row, row + model_.Lp);
        scorer_.each_cell(*x_, first_ + t, [&](uint32_t cell, R value) {
            if (static_cast<int>(cell % model_.Lp) == j) column_[cell / model_.Lp] += value;
        });
        return column_.data();
    }
    int L() const { return model_.L; }
    int Lp() const { return model_.Lp; }

private:
    const Model& model_;
    const PaddedTransitions<R>& transitions_;
    TokenScorer<R> scorer_;
    const Features* x_ = nullptr;
    uint64_t first_ = 0;
    Array<R> matrix_, column_;
};

}  // namespace dovetail
