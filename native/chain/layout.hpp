// Where each weight lives. Features seen with many labels get a dense row over all labels (vector loads),
// rare ones a short list of (label, weight) pairs. Optimisers see only the real parameters, as one compact
// vector; `slot` says where each of them stands in the buffer that the kernels use:
//
//     [ dense rows D x Lp | pairs P | transitions L x Lp | transition features E ]
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/simd.hpp"
#include "features/dataset.hpp"

namespace dovetail {

constexpr uint32_t kDenseRow = 0x80000000u;  // in `row`: the rest is a row number, not an offset of pairs
constexpr uint16_t kLastPair = 0x8000;       // in `pair_label`: last pair of its feature
constexpr uint32_t kLastCell = 0x80000000u;  // in `cell`: last cell of its feature

enum Role : uint8_t { kOnLabels = 1, kOnTransitions = 2, kOnAllLabels = 4 };  // the last: on those not seen with it too

// The (feature, label) pairs of a model: for each feature its labels as a bit set.
class PairSet {
public:
    PairSet(size_t features, int labels) : words_((labels + 63) / 64), bits_(features * words_, 0) {}
    void add(size_t feature, int label) { bits_[feature * words_ + label / 64] |= 1ull << (label % 64); }
    bool has(size_t feature, int label) const { return bits_[feature * words_ + label / 64] >> (label % 64) & 1; }
    int count(size_t feature) const {
        int n = 0;
        for (size_t k = 0; k < words_; ++k) n += __builtin_popcountll(bits_[feature * words_ + k]);
        return n;
    }

private:
    size_t words_;
    std::vector<uint64_t> bits_;
};

struct Parameter {
    uint32_t feature;  // kNone: a plain transition
    int32_t previous;  // -1: on a label
    int32_t label;
};

struct Layout {
    int L = 0, Lp = 0;
    std::vector<uint32_t> row;         // [features]: kDenseRow | row, offset of pairs, or kNone
    std::vector<uint16_t> pair_label;  // [P]
    std::vector<uint8_t> row_mask;     // [D x Lp/8]: which labels of a dense row are parameters
    std::vector<uint32_t> edge_row;    // [features] or empty: offset of cells, or kNone
    std::vector<uint32_t> cell;        // [E]: previous * Lp + label
    std::vector<uint32_t> slot;        // [parameters]
    std::vector<Parameter> parameter;  // [parameters]
    size_t D = 0;

    size_t pairs_at() const { return D * Lp; }
    size_t transitions_at() const { return pairs_at() + pair_label.size(); }
    size_t cells_at() const { return transitions_at() + static_cast<size_t>(L) * Lp; }
    size_t buffer_size() const { return cells_at() + cell.size(); }
    size_t size() const { return slot.size(); }

    // Parameters to where they stand in a buffer.
    template <class R> void place(const double* w, R* buffer) const {
        for (size_t k = 0; k < size(); ++k) buffer[slot[k]] = static_cast<R>(w[k]);
    }
    // Cells (previous * Lp + label) of transitions that have a weight of their own.
    std::vector<uint32_t> weighted_transitions() const {
        std::vector<uint32_t> out;
        for (const Parameter& p : parameter)
            if (p.feature == kNone) out.push_back(static_cast<uint32_t>(p.previous * Lp + p.label));
        return out;
    }
};

// Dense from about an eighth of the labels on: measured to be where vector adds overtake scattered ones.
inline int dense_from(int labels) { return std::max(2, static_cast<int>(0.12 * labels + 0.999)); }

// Places label rows, most frequent features first (their weights then share cache lines).
// `frequency` 0 drops a feature.
inline void place_rows(Layout& out, const PairSet& pairs, const std::vector<uint64_t>& frequency) {
    const size_t features = frequency.size();
    std::vector<uint32_t> order;
    for (size_t f = 0; f < features; ++f)
        if (frequency[f]) order.push_back(static_cast<uint32_t>(f));
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return frequency[a] > frequency[b]; });

    out.row.assign(features, kNone);
    std::vector<uint32_t> rare;
    for (uint32_t f : order) {
        const int n = pairs.count(f);
        if (n >= dense_from(out.L)) {
            out.row[f] = kDenseRow | static_cast<uint32_t>(out.D++);
            for (int block = 0; block < out.Lp / kLane; ++block) {
                uint8_t mask = 0;
                for (int lane = 0; lane < kLane && block * kLane + lane < out.L; ++lane)
                    mask |= static_cast<uint8_t>(pairs.has(f, block * kLane + lane) << lane);
                out.row_mask.push_back(mask);
            }
            for (int y = 0; y < out.L; ++y)
                if (pairs.has(f, y)) {
                    out.slot.push_back(static_cast<uint32_t>((out.D - 1) * out.Lp + y));
                    out.parameter.push_back({f, -1, y});
                }
        } else if (n) {
            rare.push_back(f);
        }
    }
    if (out.D * static_cast<size_t>(out.Lp) >= kDenseRow) throw std::length_error("too many weights for one model");
    for (uint32_t f : rare) {
        if (out.pair_label.size() >= kDenseRow - out.L) throw std::length_error("too many weights for one model");
        out.row[f] = static_cast<uint32_t>(out.pair_label.size());
        for (int y = 0; y < out.L; ++y)
            if (pairs.has(f, y)) {
                out.slot.push_back(static_cast<uint32_t>(out.pairs_at() + out.pair_label.size()));
                out.parameter.push_back({f, -1, y});
                out.pair_label.push_back(static_cast<uint16_t>(y));
            }
        out.pair_label.back() |= kLastPair;
    }
}

struct LayoutOptions {
    uint64_t min_count = 1;
    bool all_pairs = false;        // a weight for every (feature, label), not only those seen
    bool all_transitions = false;  // likewise for label pairs
    std::vector<uint8_t> role;     // [features] of Role, or empty: all on labels
    std::vector<uint8_t> legal;    // [L x L], or empty: transitions that constraints allow
};

class LayoutBuilder {
public:
    LayoutBuilder(const Dataset& data, const LayoutOptions& options)
        : data_(data),
          options_(options),
          F_(data.features.size()),
          L_(static_cast<int>(data.labels.size())),
          pairs_(F_, L_),
          transitions_(L_, L_),
          cells_(any_edges() ? F_ : 0, L_ * L_),
          frequency_(data.occurrences()) {}

    Layout build() {
        count();
        Layout out;
        out.L = L_;
        out.Lp = padded(L_);
        std::vector<uint64_t> on_labels = frequency_;
        for (size_t f = 0; f < F_; ++f)
            if (!(role(f) & kOnLabels)) on_labels[f] = 0;
        place_rows(out, pairs_, on_labels);
        for (int i = 0; i < L_; ++i)
            for (int j = 0; j < L_; ++j)
                if (legal(i, j) && (options_.all_transitions || transitions_.has(i, j))) {
                    out.slot.push_back(static_cast<uint32_t>(out.transitions_at() + i * out.Lp + j));
                    out.parameter.push_back({kNone, i, j});
                }
        if (any_edges()) place_cells(out);
        if (out.buffer_size() >= kNone) throw std::length_error("too many weights for one model");
        return out;
    }

private:
    bool any_edges() const {
        for (uint8_t r : options_.role)
            if (r & kOnTransitions) return true;
        return false;
    }
    uint8_t role(size_t f) const { return options_.role.empty() ? uint8_t{kOnLabels} : options_.role[f]; }
    bool legal(int i, int j) const { return options_.legal.empty() || options_.legal[i * L_ + j]; }

    template <class Visit> void each_label(int32_t code, Visit visit) const {
        if (code >= 0) visit(code);
        else if (code != kUnknown)
            for (uint16_t y : data_.sets[code]) visit(y);
    }

    void count() {
        for (size_t f = 0; f < F_; ++f)
            if (frequency_[f] < options_.min_count) frequency_[f] = 0;
        if (data_.whole) take_from_whole();
        else find_pairs();
        for (size_t f = 0; f < F_; ++f)
            if (frequency_[f] && (options_.all_pairs || role(f) & kOnAllLabels))
                for (int y = 0; y < L_; ++y) pairs_.add(f, y);
    }
    void take_from_whole() {
        const Whole& whole = *data_.whole;
        if (any_edges()) throw std::invalid_argument("features on transitions need a text that memory holds");
        for (size_t f = 0; f < F_; ++f)
            if (frequency_[f] && !options_.all_pairs)
                for (uint64_t k = whole.pair_begin[f]; k < whole.pair_begin[f + 1]; ++k)
                    pairs_.add(f, whole.pair_label[k]);
        for (int i = 0; i < L_; ++i)
            for (int j = 0; j < L_; ++j)
                if (whole.neighbours[static_cast<size_t>(i) * L_ + j]) transitions_.add(i, j);
    }
    void find_pairs() {
        const Features& x = data_.x;
        for (size_t s = 0; s < x.size(); ++s)
            for (uint64_t t = x.sequences[s]; t < x.sequences[s + 1]; ++t) {
                const bool first = t == x.sequences[s];
                if (!first)
                    each_label(data_.gold[t - 1],
                               [&](int i) { each_label(data_.gold[t], [&](int j) { transitions_.add(i, j); }); });
                for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k) {
                    const uint32_t f = x.ids[k];
                    if (!frequency_[f]) continue;
                    if (role(f) & kOnLabels && !options_.all_pairs)
                        each_label(data_.gold[t], [&](int y) { pairs_.add(f, y); });
                    if (role(f) & kOnTransitions && !first)
                        each_label(data_.gold[t - 1], [&](int i) {
                            each_label(data_.gold[t], [&](int j) { cells_.add(f, i * L_ + j); });
                        });
                }
            }
    }

    void place_cells(Layout& out) const {
        out.edge_row.assign(F_, kNone);
        for (size_t f = 0; f < F_; ++f) {
            if (!frequency_[f] || !(role(f) & kOnTransitions)) continue;
            const size_t begin = out.cell.size();
            for (int i = 0; i < L_; ++i)
                for (int j = 0; j < L_; ++j)
                    if (legal(i, j) && (options_.all_pairs || cells_.has(f, i * L_ + j))) {
                        out.slot.push_back(static_cast<uint32_t>(out.cells_at() + out.cell.size()));
                        out.parameter.push_back({static_cast<uint32_t>(f), i, j});
                        out.cell.push_back(static_cast<uint32_t>(i * out.Lp + j));
                    }
            if (out.cell.size() == begin) continue;
            out.edge_row[f] = static_cast<uint32_t>(begin);
            out.cell.back() |= kLastCell;
        }
    }

    const Dataset& data_;
    const LayoutOptions& options_;
    const size_t F_;
    const int L_;
    PairSet pairs_, transitions_, cells_;
    std::vector<uint64_t> frequency_;
};

}  // namespace dovetail
