// A trained model as it stands in a file: columns of numbers that are used where they lie (they may be a mapped
// file). Sizes are checked at once, contents if asked: that reads all of them. Whoever follows a number in them makes
// sure that it leads somewhere. The meanings are those of layout.hpp; F features, L labels:
//
//   slots       [3 x capacity]  table from feature key to feature id
//   row         [F]             kDenseRow | dense row, offset of pairs, or kNone
//   dense       [D x Lp]        weights over all labels
//   pair_label  [P]             label, kLastPair on the last of a feature;  pair_weight [P]
//   transitions [L x L]         previous x label
//   edge_row    [F] or empty    offset of cells, or kNone
//   cell        [E]             previous * Lp + label, kLastCell on the last of a feature;  cell_weight [E]
#pragma once
#include <memory>
#include <stdexcept>
#include <string>

#include "chain/layout.hpp"
#include "core/memory.hpp"

namespace dovetail {

struct Bytes {
    const uint8_t* data;
    size_t size;
};

// Bytes of someone else's, seen as numbers; copied only where they are not aligned for that.
template <class T> class Column {
public:
    Column(Bytes bytes, const char* name)
        : data_(reinterpret_cast<const T*>(bytes.data)), size_(bytes.size / sizeof(T)) {
        if (bytes.size % sizeof(T)) throw std::invalid_argument(std::string(name) + " ends within a number");
        if (!size_ || reinterpret_cast<uintptr_t>(bytes.data) % alignof(T) == 0) return;
        copy_.resize(size_);
        std::memcpy(copy_.data(), bytes.data, bytes.size);
        data_ = copy_.data();
    }
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;
    const T* data() const { return data_; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T operator[](size_t k) const { return data_[k]; }

private:
    const T* data_;
    size_t size_;
    Array<T> copy_;
};

// Transition scores in both orders, padded for the recursions. Those of padding and of illegal transitions are
// -infinity.
template <class R> struct PaddedTransitions {
    Array<R> into;    // [L x Lp] previous x label
    Array<R> across;  // [L x Lp] label x previous

    PaddedTransitions(const float* transitions, int L, const std::vector<uint8_t>& legal) {
        const int Lp = padded(L);
        const size_t cells = static_cast<size_t>(L) * Lp;
        into.assign(cells, -std::numeric_limits<R>::infinity());
        across = into;
        for (size_t i = 0; i < static_cast<size_t>(L); ++i)
            for (size_t j = 0; j < static_cast<size_t>(L); ++j)
                if (legal.empty() || legal[i * L + j]) into[i * Lp + j] = across[j * Lp + i] = transitions[i * L + j];
    }
};

struct ModelColumns {
    Bytes slots, row, dense, pair_label, pair_weight, transitions, edge_row, cell, cell_weight;
};

struct Model {
    const int L, Lp;
    const Column<uint32_t> slots, row;
    const Column<float> dense;
    const Column<uint16_t> pair_label;
    const Column<float> pair_weight, transitions;
    const Column<uint32_t> edge_row, cell;
    const Column<float> cell_weight;
    const KeyTableView table;
    const PaddedTransitions<float> padded_transitions;
    const std::shared_ptr<const void> owner;  // of the bytes

    Model(int64_t labels, const ModelColumns& in, std::shared_ptr<const void> owner_of_bytes, bool check_contents)
        : L(label_count(labels)),
          Lp(padded(L)),
          slots(in.slots, "slots"),
          row(in.row, "row"),
          dense(in.dense, "dense"),
          pair_label(in.pair_label, "pair_label"),
          pair_weight(in.pair_weight, "pair_weight"),
          transitions(in.transitions, "transitions"),
          edge_row(in.edge_row, "edge_row"),
          cell(in.cell, "cell"),
          cell_weight(in.cell_weight, "cell_weight"),
          table{slots.data(), slots.size() / 3 - 1},
          padded_transitions(check_and_pad(check_contents)),
          owner(std::move(owner_of_bytes)) {}
    size_t n_features() const { return row.size(); }
    bool has_edges() const { return !edge_row.empty(); }

    // Calls visit(label, weight) for the pairs from `at` on, as far as they are sound.
    template <class Visit> void each_pair(uint32_t at, Visit visit) const {
        for (const size_t P = pair_label.size(); at < P; ++at) {
            const uint16_t label = pair_label[at];
            if ((label & ~kLastPair) < L) visit(label & ~kLastPair, pair_weight[at]);
            if (label & kLastPair) return;
        }
    }
    // Likewise visit(previous * Lp + label, weight) for cells.
    template <class Visit> void each_cell(uint32_t at, Visit visit) const {
        for (const size_t E = cell.size(); at < E; ++at) {
            const uint32_t place = cell[at] & ~kLastCell;
            if (place < static_cast<uint32_t>(L * Lp) && static_cast<int>(place % Lp) < L)
                visit(place, cell_weight[at]);
            if (cell[at] & kLastCell) return;
        }
    }

private:
    static int label_count(int64_t labels) {
        require(labels >= 1 && labels < kMostLabels, "the number of labels is not between 1 and 32,766");
        return static_cast<int>(labels);
    }
    static void require(bool holds, const char* otherwise) {
        if (!holds) throw std::invalid_argument(otherwise);
    }
    // Throws for the first k that is wrong. One pass without branches finds out whether there is any.
    template <class Wrong> static void reject(size_t n, Wrong wrong, const char* what, const char* fault) {
        bool any = false;
        for (size_t k = 0; k < n; ++k) any |= wrong(k);
        for (size_t k = 0; any; ++k)
            if (wrong(k)) throw std::invalid_argument(std::string(what) + " " + std::to_string(k) + " " + fault);
    }
    static void check_finite(const Column<float>& weights, const char* what) {
        const float* w = weights.data();
        const auto infinite = [w](size_t k) {
            uint32_t bits;
            std::memcpy(&bits, w + k, sizeof bits);
            return (bits & 0x7F800000u) == 0x7F800000u;
        };
        reject(weights.size(), infinite, what, "is not a finite number");
    }
    PaddedTransitions<float> check_and_pad(bool check_contents) const {
        check_sizes();
        check_finite(transitions, "transition weight");
        if (check_contents) {
            check_table();
            check_rows();
            check_cells();
            check_finite(dense, "dense weight");
            check_finite(pair_weight, "pair weight");
            check_finite(cell_weight, "cell weight");
        }
        return {transitions.data(), L, {}};
    }
    void check_sizes() const {
        const size_t capacity = slots.size() / 3;
        require(slots.size() % 3 == 0 && capacity && (capacity & (capacity - 1)) == 0,
                "the number of slots is not a power of two");
        require(row.size() < kNone, "there are too many features");
        require(dense.size() % Lp == 0, "the dense weights are not whole rows");
        require(dense.size() / Lp < kDenseRow && pair_label.size() <= kDenseRow, "there are too many weights");
        require(pair_label.size() == pair_weight.size(), "labels and weights of pairs differ in number");
        require(edge_row.empty() || edge_row.size() == row.size(),
                "rows on labels and on transitions differ in number");
        require(cell.size() == cell_weight.size(), "cells and their weights differ in number");
        require(cell.size() <= kLastCell && (cell.empty() || has_edges()), "there are cells that no feature has");
        require(transitions.size() == static_cast<size_t>(L) * L,
                "the transitions are not one for each pair of labels");
    }
    void check_table() const {
        const size_t capacity = slots.size() / 3;
        const uint32_t* s = slots.data();
        const auto F = static_cast<uint32_t>(row.size());
        reject(
            capacity, [=](size_t k) { return (s[3 * k] | s[3 * k + 1]) != 0 && s[3 * k + 2] >= F; }, "slot",
            "holds a feature that does not exist");
        size_t vacant = 0;
        for (size_t k = 0; k < capacity; ++k) vacant += (s[3 * k] | s[3 * k + 1]) == 0;
        require(vacant, "the table of features has no empty slot");
    }
    void check_rows() const {
        const auto D = static_cast<uint32_t>(dense.size() / Lp), P = static_cast<uint32_t>(pair_label.size());
        const uint32_t* r = row.data();
        reject(
            row.size(), [=](size_t k) { return r[k] != kNone && (r[k] & kDenseRow) && (r[k] & ~kDenseRow) >= D; },
            "row", "points outside the dense weights");
        reject(
            row.size(), [=](size_t k) { return !(r[k] & kDenseRow) && r[k] >= P; }, "row", "points outside the pairs");
        const uint16_t* label = pair_label.data();
        const int labels = L;
        reject(
            P, [=](size_t k) { return (label[k] & ~kLastPair) >= labels; }, "pair", "has a label that does not exist");
        require(!P || label[P - 1] & kLastPair, "the last pair is not marked as the last of its feature");
    }
    void check_cells() const {
        const auto E = static_cast<uint32_t>(cell.size()), width = static_cast<uint32_t>(Lp),
                   labels = static_cast<uint32_t>(L);
        const uint32_t *edge = edge_row.data(), *c = cell.data();
        reject(
            edge_row.size(), [=](size_t k) { return edge[k] != kNone && edge[k] >= E; }, "transition row",
            "points outside the cells");
        const auto outside = [=](size_t k) {
            const uint32_t at = c[k] & ~kLastCell;
            return at >= labels * width || at % width >= labels;
        };
        reject(E, outside, "cell", "has a label that does not exist");
        require(!E || c[E - 1] & kLastCell, "the last cell is not marked as the last of its feature");
    }
};

}  // namespace dovetail
