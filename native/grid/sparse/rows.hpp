// Rows of scores over a layer's labels at one token, one for each set of previous labels in use, made when first asked
// for; and what looking ahead needs (see grid_sparse_plan.hpp).
#pragma once
#include "grid/sparse/states.hpp"

namespace dovetail {

// Numbers for keys, from 0 in the order of their first appearance.
class StateNumbers {
public:
    void clear(size_t expected) {
        size_t size = 16;
        while (size <= 2 * expected) size *= 2;
        if (places_.size() < size) places_.resize(size), keys_.resize(size / 2 + 1);
        std::fill_n(places_.begin(), size, kFree);
        mask_ = size - 1, count_ = 0;
    }
    uint32_t number(uint64_t key) {
        size_t at = (key * 0x9E3779B97F4A7C15u >> 32) & mask_;
        for (; places_[at] != kFree; at = (at + 1) & mask_)
            if (keys_[places_[at]] == key) return places_[at];
        places_[at] = count_;
        keys_[count_++] = key;
        if (2 * size_t{count_} > mask_) grow();
        return count_ - 1;
    }

private:
    static constexpr uint32_t kFree = std::numeric_limits<uint32_t>::max();
    void grow() {
        const std::vector<uint64_t> keys(keys_.begin(), keys_.begin() + count_);
        clear(2 * keys.size());
        for (uint64_t key : keys) number(key);
    }
    std::vector<uint32_t> places_;
    std::vector<uint64_t> keys_;
    size_t mask_ = 0;
    uint32_t count_ = 0;
};

class SparseRows {
public:
    struct Rows {
        StateNumbers contexts;
        std::vector<double> score;  // [rows x Lp] node + transition + lagged factors
        std::vector<double> peak;   // [rows] the best of score
        std::vector<double> ahead;  // [rows x Lp of the anchor] the best of score + factor for each label of the anchor
    };

    SparseRows(const Grids& grids, const SparsePlan& plan)
        : cotemporal(grids), bound(grids.cotemporal.size()), grids_(grids), plan_(plan), rows_(grids.layers()) {}

    void begin(const GridView& view, size_t t) {
        view_ = &view, t_ = t;
        for (Rows& rows : rows_) {
            rows.contexts.clear(4);
            rows.score.clear(), rows.peak.clear(), rows.ahead.clear();
        }
        cotemporal.set(view, t);
        for (size_t k = 0; k < grids_.cotemporal.size(); ++k)
            if (!plan_.is_anchor(k)) set_bound(k);
    }
    // The row of a layer still to come, given the previous labels in a state's key.
    size_t row(const SparsePlan::Stage& stage, size_t layer, uint64_t key) {
        Rows& rows = rows_[layer];
        uint64_t context = 0;
        if (t_) {
            for (const KeyField& field : stage.previous[layer]) context = context << field.bits | field.label(key);
            for (size_t n = 0; n < plan_.given[layer].size(); ++n) {
                const KeyField& field = stage.given[layer][n];
                context = context << (plan_.fields[plan_.given[layer][n]].bits + 1);
                if (field.bits) context |= field.label(key) + 1;
            }
        }
        const size_t number = rows.contexts.number(context);
        if (number == rows.peak.size()) add_row(stage, layer, key);
        return number;
    }
    const Rows& operator[](size_t layer) const { return rows_[layer]; }
    const double* ahead(size_t layer, size_t row) const {
        return &rows_[layer].ahead[row * padded(grids_.labels[plan_.anchor[layer]])];
    }

    CotemporalScores cotemporal;
    std::vector<std::vector<double>>
        bound;  // of each cotemporal factor that is no anchor, over the labels of its first layer

private:
    void set_bound(size_t k) {
        const CotemporalFactor& factor = grids_.cotemporal[k];
        const size_t layer = plan_.first_layer[k], L = grids_.labels[layer], size = grids_.factor_size(factor);
        size_t inner = 1;
        for (size_t i = factor.layers.size(); factor.layers[--i] != layer;) inner *= grids_.labels[factor.layers[i]];
        std::vector<double>& most = bound[k];
        most.assign(padded(L), kForbidden);
        for (size_t cell = 0, label = 0; cell < size; cell += inner, label = label + 1 == L ? 0 : label + 1)
            most[label] = std::max(most[label], *std::max_element(cotemporal[k] + cell, cotemporal[k] + cell + inner));
    }
    void add_row(const SparsePlan::Stage& stage, size_t layer, uint64_t key) {
        Rows& rows = rows_[layer];
        const std::vector<KeyField>& previous = stage.previous[layer];
        const size_t L = grids_.labels[layer], Lp = padded(L);
        const double* node = view_->node(layer, t_);
        const size_t start = rows.score.size();
        rows.score.insert(rows.score.end(), node, node + L);
        rows.score.resize(start + Lp, kForbidden);
        double* score = &rows.score[start];
        if (t_) {
            const double* transition = view_->transition(layer, t_) + previous[0].label(key) * L;
            for (size_t y = 0; y < L; ++y) score[y] += transition[y];
            for (size_t n = 0; n < plan_.lagged_into[layer].size(); ++n) {
                const double* factor = view_->lagged(plan_.lagged_into[layer][n], t_) + previous[n + 1].label(key) * L;
                for (size_t y = 0; y < L; ++y) score[y] += factor[y];
            }
            for (size_t k : plan_.conditioned[layer]) add_conditioned(stage, k, previous[0].label(key), key, score);
        }
        Vec<double> high = load(score);
        for (size_t y = kLane; y < Lp; y += kLane) high = larger<double>(high, load(score + y));
        rows.peak.push_back(largest_of<double>(high));
        if (plan_.anchor[layer] != SparsePlan::kNone) look_ahead(layer, score);
    }
    // The transition given the labels that are known; the best one over those that are not.
    void add_conditioned(const SparsePlan::Stage& stage, size_t k, size_t before, uint64_t key, double* score) {
        const ConditionedTransition& factor = grids_.conditioned[k];
        const size_t layer = factor.layer, L = grids_.labels[layer];
        const double* scores = view_->conditioned(k, t_) + before * L;
        const std::vector<size_t>& given = plan_.given[layer];
        cells_.assign(1, 0);
        for (size_t i : factor.given) {
            const auto n = static_cast<size_t>(std::find(given.begin(), given.end(), i) - given.begin());
            const KeyField& field = stage.given[layer][n];
            const size_t first = field.bits ? field.label(key) : 0, last = field.bits ? first + 1 : grids_.labels[i];
            next_cells_.clear();
            for (size_t cell : cells_)
                for (size_t y = first; y < last; ++y) next_cells_.push_back(cell * grids_.labels[i] + y);
            cells_.swap(next_cells_);
        }
        for (size_t y = 0; y < L; ++y) {
            double most = kForbidden;
            for (size_t cell : cells_) most = std::max(most, scores[cell * L * L + y]);
            score[y] += most;
        }
    }
    void look_ahead(size_t layer, const double* score) {
        const size_t k = plan_.anchor_factor[layer], L = grids_.labels[layer], La = grids_.labels[plan_.anchor[layer]],
                     Lp = padded(L);
        std::vector<double>& ahead = rows_[layer].ahead;
        const size_t start = ahead.size();
        ahead.resize(start + padded(La), kForbidden);
        double* to = &ahead[start];
        if (grids_.cotemporal[k].layers[1] == layer) {
            for (size_t a = 0; a < La; ++a) {
                const double* factor = cotemporal[k] + a * L;
                Vec<double> high = load(score) + load(factor);
                for (size_t y = kLane; y < Lp; y += kLane)
                    high = larger<double>(high, load(score + y) + load(factor + y));
                to[a] = largest_of<double>(high);
            }
        } else {
            for (size_t y = 0; y < L; ++y)
                for (size_t a = 0; a < La; ++a) to[a] = std::max(to[a], score[y] + cotemporal[k][y * La + a]);
        }
    }

    const Grids& grids_;
    const SparsePlan& plan_;
    const GridView* view_ = nullptr;
    size_t t_ = 0;
    std::vector<Rows> rows_;  // of each layer
    std::vector<size_t> cells_, next_cells_;
};

}  // namespace dovetail
