// The sums and maxima of a chain, as semirings on rows over labels.
//
//   product   out[j]  = (+)_i  previous[i] (x) edge[i][j]          previous: [L], edge: [L x Lp], out: [Lp]
//   weigh     full[j] = node[j] (x) beta[j], rescaled so that long sequences neither over- nor underflow;
//             what was taken out goes into a running log
//
// SumProduct works on probabilities, LogSum and MaxPlus on their logs. Padding holds the semiring's zero.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blocks.hpp"
#include "core/elementary.hpp"
#include "core/log_product.hpp"

namespace dovetail {

// For the direction whose scale nobody asks for.
struct NoScale {
    void times(double) {}
    void plus(double) {}
};

template <class R> struct SumProduct {
    using Real = R;
    static constexpr bool in_logs = false;
    static constexpr R one = 1;

    struct Product {
        const R *previous, *edge;
        R* out;
        int L, Lp;
        template <int G> void run(int block) const {
            Vec<R> even[G] = {}, odd[G] = {};  // two chains of additions hide their latency
            const R* column = edge + block * kLane;
            int i = 0;
            for (; i + 1 < L; i += 2, column += 2 * Lp)
                for (int g = 0; g < G; ++g) {
                    even[g] = fma(previous[i], load(column + g * kLane), even[g]);
                    odd[g] = fma(previous[i + 1], load(column + Lp + g * kLane), odd[g]);
                }
            if (i < L)
                for (int g = 0; g < G; ++g) even[g] = fma(previous[i], load(column + g * kLane), even[g]);
            for (int g = 0; g < G; ++g) store(out + (block + g) * kLane, even[g] + odd[g]);
        }
    };
    template <int G> static void product(const R* previous, const R* edge, R* out, int L, int Lp) {
        run_blocks<R, 2, G>(Product{previous, edge, out, L, G ? G * kLane : Lp});
    }
    template <int G, class Scale> static void weigh(const R* node, const R* beta, R* full, int Lp, Scale& scale) {
        if constexpr (G) {
            Vec<R> value[G], total = {};
            for (int g = 0; g < G; ++g) total += value[g] = load(node + g * kLane) * load(beta + g * kLane);
            const R sum = sum_of<R>(total), inverse = R(1) / sum;
            scale.times(sum);
            for (int g = 0; g < G; ++g) store(full + g * kLane, value[g] * inverse);
            return;
        }
        Vec<R> total = {};
        for (int j = 0; j < Lp; j += kLane) {
            const Vec<R> value = load(node + j) * load(beta + j);
            total += value;
            store(full + j, value);
        }
        const R sum = sum_of<R>(total);
        scale.times(sum);
        const R inverse = R(1) / sum;
        for (int j = 0; j < Lp; j += kLane) store(full + j, load(full + j) * inverse);
    }
};

template <class R> struct MaxPlus {
    using Real = R;
    static constexpr bool in_logs = true;
    static constexpr R one = 0;

    struct Product {
        const R *previous, *edge;
        R* out;
        int L, Lp;
        template <int G> void run(int block) const {
            Vec<R> best[G];
            for (int g = 0; g < G; ++g) best[g] = splat(-std::numeric_limits<R>::infinity());
            const R* column = edge + block * kLane;
            for (int i = 0; i < L; ++i, column += Lp)
                for (int g = 0; g < G; ++g) best[g] = larger<R>(best[g], previous[i] + load(column + g * kLane));
            for (int g = 0; g < G; ++g) store(out + (block + g) * kLane, best[g]);
        }
    };
    template <int G> static void product(const R* previous, const R* edge, R* out, int L, int Lp) {
        run_blocks<R, 1, G>(Product{previous, edge, out, L, G ? G * kLane : Lp});
    }
    template <int G, class Scale> static void weigh(const R* node, const R* beta, R* full, int Lp, Scale& scale) {
        if constexpr (G) Lp = G * kLane;
        R best = -std::numeric_limits<R>::infinity();
        for (int j = 0; j < Lp; ++j) {
            full[j] = node[j] + beta[j];
            best = std::max(best, full[j]);
        }
        scale.plus(best);
        if (best > -std::numeric_limits<R>::infinity())
            for (int j = 0; j < Lp; ++j) full[j] -= best;
    }
};

inline double log_sum_exp(const double* values, size_t n) {
    const double best = *std::max_element(values, values + n);
    if (!(best > -std::numeric_limits<double>::infinity())) return best;
    double sum = 0;
    for (size_t k = 0; k < n; ++k) sum += portable::exp(values[k] - best);
    return best + portable::log(sum);
}

struct LogSum {
    using Real = double;
    static constexpr bool in_logs = true;
    static constexpr double one = 0;

    template <int> static void product(const double* previous, const double* edge, double* out, int L, int Lp) {
        MaxPlus<double>::product<0>(previous, edge, out, L, Lp);
        for (int j = 0; j < L; ++j) {
            if (!(out[j] > -std::numeric_limits<double>::infinity())) continue;
            double sum = 0;
            for (int i = 0; i < L; ++i) sum += portable::exp(previous[i] + edge[i * Lp + j] - out[j]);
            out[j] += portable::log(sum);
        }
    }
    template <int, class Scale>
    static void weigh(const double* node, const double* beta, double* full, int Lp, Scale& scale) {
        MaxPlus<double>::weigh<0>(node, beta, full, Lp, scale);
    }
};

}  // namespace dovetail
