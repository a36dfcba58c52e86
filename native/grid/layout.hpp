// How the joint states of a grid lie in memory. A state is the tuple of a token's labels. States are an array with a
// dimension a layer, in an order of our own: the last ("innermost") layer is the one that fills vectors best, and its
// rows are padded to whole vectors.
//
//   state [row, lane]    row: the labels of all layers but the innermost one; lane: the label of that one
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/memory.hpp"
#include "core/simd.hpp"
#include "grid/scores.hpp"

namespace dovetail {

// More are not held in memory.
constexpr double kMostGridStates = 1u << 24;

// An array over the labels of some layers, and which of its cells belongs to a joint state. Its cells are copied to a
// table [combinations x width]: width is that of a padded row if the innermost layer is one of those layers, else 1.
struct GridFactor {
    const double* score = nullptr;  // [n_tokens x size]; none where the factor only serves to sum up
    const double* end = nullptr;    // of the scores
    size_t size = 1, width = 1;
    size_t labels = 1, stride = 0;  // of the innermost layer, among the cells
    std::vector<uint32_t> from;     // [combinations]: first cell of each
    std::vector<uint32_t> row;      // [rows of states]: its combination

    bool innermost() const { return stride > 0; }
    size_t table_size() const { return (from.size() * width + kLane - 1) / kLane * kLane; }

    // Padding becomes minus infinity; where the cells of a row are neighbours, whole vectors are copied.
    void spread(size_t token, double* table) const {
        const double* cells = score + token * size;
        const Vec<double> padding = splat(-std::numeric_limits<double>::infinity());
        const auto used =
            lanes<double>(static_cast<uint8_t>((1u << std::min<size_t>(labels - (width - kLane), kLane)) - 1));
        for (size_t q = 0; q < from.size(); ++q, table += width) {
            const double* first = cells + from[q];
            if (stride == 1 && static_cast<size_t>(end - first) >= width) {
                for (size_t j = 0; j + kLane < width; j += kLane) store(table + j, load(first + j));
                store(table + width - kLane, select(used, load(first + width - kLane), padding));
                continue;
            }
            for (size_t j = 0; j < labels; ++j) table[j] = first[j * stride];
            for (size_t j = labels; j < width; ++j) table[j] = padding[0];
        }
    }
    // The inverse: cells of a token in an array like `score`.
    void collect(const double* table, double* cells) const {
        for (size_t q = 0; q < from.size(); ++q, table += width)
            for (size_t j = 0; j < labels; ++j) cells[from[q] + j * stride] = table[j];
    }
};

// Layers in an order in which their previous labels can be eliminated: a lagged factor needs the new label of one layer
// while the previous one of another is still there, a conditioned transition the new labels that it is given. Layers
// for which these form a cycle are left out.
inline std::vector<size_t> elimination_order(const Grids& grids) {
    std::vector<size_t> waiting(grids.layers(), 0), order;
    std::vector<bool> done(grids.layers(), false);
    for (const LaggedFactor& factor : grids.lagged) ++waiting[factor.before];
    for (const ConditionedTransition& factor : grids.conditioned) waiting[factor.layer] += factor.given.size();
    for (size_t i = 0; i < grids.layers();) {
        if (done[i] || waiting[i]) {
            ++i;
            continue;
        }
        done[i] = true;
        order.push_back(i);
        for (const LaggedFactor& factor : grids.lagged)
            if (factor.after == i) --waiting[factor.before];
        for (const ConditionedTransition& factor : grids.conditioned)
            waiting[factor.layer] -= static_cast<size_t>(std::count(factor.given.begin(), factor.given.end(), i));
        i = 0;
    }
    return order;
}

// What the transitions of a layer depend on: the labels of the layers that they are given, if any.
struct GridContext {
    // States next to each other whose transitions are the same. They lie `repeats` times in the array, one layer's
    // stripe apart.
    struct Run {
        size_t combination, first, states, repeats;
    };
    std::vector<size_t> factors;               // conditioned transitions of the layer
    std::vector<std::vector<uint32_t>> cells;  // of each of these and each combination of given labels: where it is
    std::vector<Run> runs;
    size_t combinations = 1;
    bool each_token = false;  // the transitions differ from token to token
};

class GridLayout {
public:
    explicit GridLayout(const Grids& grids) : all(grids), N(grids.layers()) {
        if (grids.states() > kMostGridStates)
            throw std::invalid_argument("the layers have too many joint states to be kept in memory");
        order_layers();
        order_eliminations();
        for (size_t i = 0; i < N; ++i) node.push_back(factor({layer[i]}, all.node[layer[i]]));
        for (const CotemporalFactor& each : all.cotemporal) cotemporal.push_back(factor(each.layers, each.score));
        for (const LaggedFactor& each : all.lagged) lagged.push_back(factor({each.before, each.after}, each.score));
        std::vector<size_t> every(N);
        std::iota(every.begin(), every.end(), size_t{0});
        joint = factor(every, nullptr);
        for (size_t i = 0; i < N; ++i) context.push_back(context_of(i));
    }

    const Grids& all;
    const size_t N;
    std::vector<size_t> layer;  // number, among those given, of our i-th layer; the last is the innermost one
    std::vector<size_t> L;      // labels of our i-th layer
    std::vector<size_t> outer,
        inner;  // states that differ before and after layer i; `inner` with padding, 1 for the innermost one
    size_t rows = 1, width = 1;
    std::vector<size_t> elimination;                   // order in which previous labels are eliminated
    std::vector<GridFactor> node, cotemporal, lagged;  // node: of our i-th layer
    std::vector<std::vector<size_t>> lagged_from;      // of our i-th layer: lagged factors that have its previous label
    GridFactor joint;
    std::vector<GridContext> context;  // of our i-th layer

    size_t size() const { return rows * width; }
    // Labels of a state, by the layers' given numbers; `labels` advances by `step` a layer.
    void write_labels(size_t state, int32_t* labels, size_t step) const {
        size_t row = state / width;
        labels[layer[N - 1] * step] = static_cast<int32_t>(state % width);
        for (size_t i = N - 1; i-- > 0; row /= L[i]) labels[layer[i] * step] = static_cast<int32_t>(row % L[i]);
    }

private:
    void order_layers() {
        const auto waste = [&](size_t i) {
            return static_cast<double>(padded(static_cast<int>(all.labels[i]))) / static_cast<double>(all.labels[i]);
        };
        // Transitions that are given a label are the same for a whole vector if that layer is not the innermost one.
        std::vector<bool> is_given(N, false);
        for (const ConditionedTransition& factor : all.conditioned)
            for (size_t i : factor.given) is_given[i] = true;
        size_t last = N;
        for (size_t i = 0; i < N; ++i)
            if (!is_given[i] && (last == N || waste(i) <= waste(last))) last = i;
        if (last == N) throw_cycle();
        for (size_t i = 0; i < N; ++i)
            if (i != last) layer.push_back(i);
        layer.push_back(last);
        for (size_t i : layer) L.push_back(all.labels[i]);
        width = static_cast<size_t>(padded(static_cast<int>(L[N - 1])));
        for (size_t i = 0; i + 1 < N; ++i) rows *= L[i];
        size_t before = 1, after = rows;
        for (size_t i = 0; i + 1 < N; ++i) {
            after /= L[i];
            outer.push_back(before), inner.push_back(after * width);
            before *= L[i];
        }
        outer.push_back(rows), inner.push_back(1);
    }
    void order_eliminations() {
        std::vector<size_t> ours(N);
        for (size_t i = 0; i < N; ++i) ours[layer[i]] = i;
        for (size_t given : elimination_order(all)) elimination.push_back(ours[given]);
        if (elimination.size() < N) throw_cycle();
        lagged_from.resize(N);
        for (size_t g = 0; g < all.lagged.size(); ++g) lagged_from[ours[all.lagged[g].before]].push_back(g);
    }
    [[noreturn]] static void throw_cycle() {
        throw std::invalid_argument("the factors between the layers form a cycle, which has no order of elimination");
    }
    GridContext context_of(size_t i) const {
        GridContext out;
        std::vector<size_t> given;
        out.each_token = all.transition[layer[i]].each_token;
        for (size_t k = 0; k < all.conditioned.size(); ++k) {
            if (all.conditioned[k].layer != layer[i]) continue;
            out.factors.push_back(k);
            out.each_token |= all.conditioned[k].each_token;
            for (size_t j : all.conditioned[k].given)
                if (std::find(given.begin(), given.end(), j) == given.end()) given.push_back(j);
        }
        const size_t stripe = i + 1 == N ? width : L[i] * inner[i], block = i + 1 == N ? rows : inner[i] / width;
        if (given.empty()) {
            if (i + 1 == N) out.runs = {{0, 0, rows * width, 1}};
            else out.runs = {{0, 0, inner[i], outer[i]}};
            return out;
        }
        const GridFactor labels = factor(given, nullptr);
        out.combinations = labels.from.size();
        for (size_t k : out.factors) {
            std::vector<uint32_t> cells;
            for (uint32_t from : labels.from) {
                std::vector<size_t> label(N, 0);
                for (size_t rest = from, n = given.size(); n-- > 0; rest /= all.labels[given[n]])
                    label[given[n]] = rest % all.labels[given[n]];
                size_t cell = 0;
                for (size_t j : all.conditioned[k].given) cell = cell * all.labels[j] + label[j];
                cells.push_back(static_cast<uint32_t>(cell));
            }
            out.cells.push_back(std::move(cells));
        }
        for (size_t o = 0; o < (i + 1 == N ? 1 : outer[i]); ++o)
            for (size_t row = 0, first = o * stripe / width; row < block;) {
                size_t end = row;
                while (end < block && labels.row[first + end] == labels.row[first + row]) ++end;
                out.runs.push_back({labels.row[first + row], (first + row) * width, (end - row) * width, 1});
                row = end;
            }
        return out;
    }
    GridFactor factor(const std::vector<size_t>& layers, const double* score) const {
        GridFactor out;
        out.score = score;
        std::vector<size_t> stride(N, 0);  // of our layers among the cells; 0: not one of `layers`
        for (size_t k = layers.size(); k-- > 0; out.size *= all.labels[layers[k]])
            stride[static_cast<size_t>(std::find(layer.begin(), layer.end(), layers[k]) - layer.begin())] = out.size;
        if (score) out.end = score + all.n_tokens() * out.size;
        if (stride[N - 1]) out.stride = stride[N - 1], out.labels = L[N - 1], out.width = width;
        out.from = {0};
        out.row = {0};
        for (size_t i = 0; i + 1 < N; ++i) {
            std::vector<uint32_t> row;
            for (uint32_t q : out.row)
                for (size_t y = 0; y < L[i]; ++y) row.push_back(static_cast<uint32_t>(stride[i] ? q * L[i] + y : q));
            out.row.swap(row);
            if (!stride[i]) continue;
            std::vector<uint32_t> from;
            for (uint32_t cell : out.from)
                for (size_t y = 0; y < L[i]; ++y) from.push_back(static_cast<uint32_t>(cell + y * stride[i]));
            out.from.swap(from);
        }
        return out;
    }
};

}  // namespace dovetail
