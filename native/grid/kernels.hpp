// Sums and maxima over joint states, as semirings on arrays of whole vectors.
//
//   product   out[m][n] = (+)_k  a[m][k] (x) b[k][n]
//   prepare   from scores to the semiring's numbers; the score that was taken out
//   weigh     message (x)= weights, rescaled so that long sequences neither over- nor underflow
//   couple    expected pairs of labels from the messages on both sides of a transition
//
// GridSum works on probabilities; GridMax and GridLogSum on their logs. Padding holds the semiring's zero.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/log_product.hpp"
#include "core/simd.hpp"

namespace dovetail {

struct GridProduct {
    size_t M, K, N;  // N: whole vectors
    const double* a;
    size_t a_row, a_column;
    const double* b;
    size_t b_row;
    double* out;
    size_t out_row;
};

// Rows and vectors of a block of sums that stays in registers.
constexpr size_t kBlockRows = std::min(4, kSums / Vec<double>::kParts),
                 kBlockVectors = kBlockRows * 2 * Vec<double>::kParts <= kSums ? 2 : 1;

// Calls run(B, m) for rows m .. m + B - 1, few and about equally many at a time.
template <class Run> void each_few(size_t rows, Run run) {
    constexpr size_t most = kBlockRows;
    const size_t groups = (rows + most - 1) / most;
    for (size_t k = 0, m = 0; k < groups; ++k) {
        const size_t end = rows * (k + 1) / groups;
        switch (end - m) {
            case 1:
                run(std::integral_constant<int, 1>(), m);
                break;
            case 2:
                run(std::integral_constant<int, 2>(), m);
                break;
            case 3:
                run(std::integral_constant<int, 3>(), m);
                break;
            default:
                run(std::integral_constant<int, 4>(), m);
                break;
        }
        m = end;
    }
}
// Calls run(B, V, m, n) for blocks of B rows and V vectors, few enough to stay in registers.
template <class Run> void each_block(const GridProduct& p, Run run) {
    each_few(p.M, [&](auto B, size_t m) {
        size_t n = 0;
        if constexpr (kBlockVectors == 2)
            for (; n + 2 * kLane <= p.N; n += 2 * kLane) run(B, std::integral_constant<int, 2>(), m, n);
        for (; n < p.N; n += kLane) run(B, std::integral_constant<int, 1>(), m, n);
    });
}

inline double largest_in(const double* values, size_t n) {
    Vec<double> high = splat(-std::numeric_limits<double>::infinity());
    for (size_t k = 0; k < n; k += kLane) high = larger<double>(load(values + k), high);
    return largest_of<double>(high);
}

struct GridMax {
    static constexpr double zero = -std::numeric_limits<double>::infinity(), one = 0;
    static Vec<double> times(Vec<double> a, Vec<double> b) { return a + b; }

    static void product(const GridProduct& p) {
        each_block(p, [&](auto B, auto V, size_t m, size_t n) {
            Vec<double> best[B][V];
            for (int i = 0; i < B; ++i)
                for (int v = 0; v < V; ++v) best[i][v] = splat(zero);
            const double *a = p.a + m * p.a_row, *b = p.b + n;
            for (size_t k = 0; k < p.K; ++k, a += p.a_column, b += p.b_row)
                for (int i = 0; i < B; ++i)
                    for (int v = 0; v < V; ++v)
                        best[i][v] = larger<double>(a[i * p.a_row] + load(b + v * kLane), best[i][v]);
            for (int i = 0; i < B; ++i)
                for (int v = 0; v < V; ++v) store(p.out + (m + i) * p.out_row + n + v * kLane, best[i][v]);
        });
    }
    static double prepare(double*, size_t, double&) { return 0.0; }
    static void weigh(const double* weights, double* message, size_t n, LogProduct& scale, bool&) {
        for (size_t k = 0; k < n; k += kLane) store(message + k, load(message + k) + load(weights + k));
        const double high = largest_in(message, n);
        scale.plus(high);
        if (high > zero)
            for (size_t k = 0; k < n; k += kLane) store(message + k, load(message + k) - high);
    }
};

struct GridSum {
    static constexpr double zero = 0, one = 1;
    static Vec<double> times(Vec<double> a, Vec<double> b) { return a * b; }
    static Vec<double> probability(Vec<double> value) { return value; }

    template <bool accumulate = false> static void product(const GridProduct& p) {
        each_block(p, [&](auto B, auto V, size_t m, size_t n) {
            Vec<double> sum[B][V];
            double* out = p.out + m * p.out_row + n;
            for (int i = 0; i < B; ++i)
                for (int v = 0; v < V; ++v)
                    sum[i][v] = accumulate ? load(out + i * p.out_row + v * kLane) : Vec<double>{};
            const double *a = p.a + m * p.a_row, *b = p.b + n;
            for (size_t k = 0; k < p.K; ++k, a += p.a_column, b += p.b_row)
                for (int i = 0; i < B; ++i)
                    for (int v = 0; v < V; ++v) sum[i][v] = fma(a[i * p.a_row], load(b + v * kLane), sum[i][v]);
            for (int i = 0; i < B; ++i)
                for (int v = 0; v < V; ++v) store(out + i * p.out_row + v * kLane, sum[i][v]);
        });
    }
    // Nothing that matters underflows while the numbers of a message are at most exp(kMessage) apart, the weights of a
    // token's labels exp(kStep), and those of all its transitions and lagged factors together exp(kStep).
    static constexpr double kMessage = 340, kStep = 170;

    static double prepare(double* scores, size_t n, double& spread) {
        const double high = largest_in(scores, n);
        if (!(high > GridMax::zero)) {
            std::fill(scores, scores + n, zero);
            return high;
        }
        Vec<double> low{};
        for (size_t k = 0; k < n; k += kLane) {
            const Vec<double> score = load(scores + k) - high;
            low = smaller(select(score > GridMax::zero, score, Vec<double>{}), low);
            store(scores + k, exp(score));
        }
        spread -= smallest_of<double>(low);
        return high;
    }
    static void weigh(const double* weights, double* message, size_t n, LogProduct& scale, bool& in_range) {
        Vec<double> high{};
        for (size_t k = 0; k < n; k += kLane) {
            const Vec<double> value = load(message + k) * load(weights + k);
            high = larger<double>(value, high);
            store(message + k, value);
        }
        const double most = largest_of<double>(high);
        scale.times(most);
        if (most > 0) rescale(message, n, most, in_range);
    }
    // Divides by `by` and looks whether numbers are too far apart.
    static void rescale(double* message, size_t n, double by, bool& in_range) {
        const double inverse = 1.0 / by;
        Vec<double> high{}, low = splat(std::numeric_limits<double>::infinity());
        for (size_t k = 0; k < n; k += kLane) {
            const Vec<double> value = load(message + k) * inverse;
            high = larger<double>(value, high);
            low = smaller(select(value > 0.0, value, low), low);
            store(message + k, value);
        }
        static const double least = portable::exp(-kMessage);
        in_range &= std::isfinite(inverse) && smallest_of<double>(low) >= least * largest_of<double>(high);
    }
    static double total(const double* a, const double* b, size_t n) {
        Vec<double> sum{};
        for (size_t k = 0; k < n; k += kLane) sum = fma(load(a + k), load(b + k), sum);
        return sum_of<double>(sum);
    }
    static double log_of(double value) { return portable::log(value); }

    // Pairs of labels of the innermost layer: sums[a][b] += sum over rows of before[row][a] after[row][b].
    static void couple_lanes(size_t rows, size_t L, size_t width, const double* before, const double* after,
                             const double*, double* sums) {
        product<true>({L, rows, width, before, 1, width, after, width, sums, width});
    }
    // Of another layer: a vector of sums a pair, to be added up in the end.
    // The first `states` of each label's stripe count.
    static void couple_rows(size_t outer, size_t L, size_t inner, size_t states, const double* before,
                            const double* after, const double*, double* sums) {
        for (size_t a = 0; a < L; ++a)
            each_few(L, [&](auto B, size_t b) {
                double* to = sums + (a * L + b) * kLane;
                Vec<double> sum[B];
                for (int i = 0; i < B; ++i) sum[i] = load(to + i * kLane);
                for (size_t o = 0; o < outer; ++o) {
                    const double *x = before + (o * L + a) * inner, *y = after + (o * L + b) * inner;
                    for (size_t k = 0; k < states; k += kLane)
                        for (int i = 0; i < B; ++i) sum[i] = fma(load(x + k), load(y + i * inner + k), sum[i]);
                }
                for (int i = 0; i < B; ++i) store(to + i * kLane, sum[i]);
            });
    }
    // From sums of pairs to expectations.
    static double expected(double sum, double weight) { return sum * weight; }
};

// Slow, and always right.
struct GridLogSum {
    static constexpr double zero = GridMax::zero, one = 0;
    static Vec<double> times(Vec<double> a, Vec<double> b) { return a + b; }
    static Vec<double> probability(Vec<double> value) { return exp(value); }

    static void product(const GridProduct& p) {
        GridMax::product(p);
        for (size_t m = 0; m < p.M; ++m)
            for (size_t n = 0; n < p.N; n += kLane) {
                double* out = p.out + m * p.out_row + n;
                Vec<double> high = load(out), sum{};
                const Vec<double> offset = select(high > zero, high, Vec<double>{});
                for (size_t k = 0; k < p.K; ++k)
                    sum += exp(p.a[m * p.a_row + k * p.a_column] + load(p.b + k * p.b_row + n) - offset);
                for (int lane = 0; lane < kLane; ++lane) out[lane] = offset[lane] + portable::log(sum[lane]);
            }
    }
    static double prepare(double*, size_t, double&) { return 0.0; }
    static void weigh(const double* weights, double* message, size_t n, LogProduct& scale, bool& in_range) {
        GridMax::weigh(weights, message, n, scale, in_range);
    }
    static void rescale(double* message, size_t n, double by, bool&) {
        for (size_t k = 0; k < n; k += kLane) store(message + k, load(message + k) - by);
    }
    static double total(const double* a, const double* b, size_t n) {
        double high = zero, sum = 0;
        for (size_t k = 0; k < n; ++k) high = std::max(high, a[k] + b[k]);
        if (!(high > zero)) return high;
        for (size_t k = 0; k < n; ++k) sum += portable::exp(a[k] + b[k] - high);
        return high + portable::log(sum);
    }
    static double log_of(double value) { return value; }

    static void couple_lanes(size_t rows, size_t L, size_t width, const double* before, const double* after,
                             const double* transition, double* sums) {
        for (size_t row = 0; row < rows; ++row)
            for (size_t a = 0; a < L; ++a)
                for (size_t b = 0; b < width; b += kLane)
                    store(sums + a * width + b,
                          load(sums + a * width + b) + exp(before[row * width + a] + load(transition + a * width + b) +
                                                           load(after + row * width + b)));
    }
    static void couple_rows(size_t outer, size_t L, size_t inner, size_t states, const double* before,
                            const double* after, const double* transition, double* sums) {
        for (size_t a = 0; a < L; ++a)
            for (size_t b = 0; b < L; ++b)
                for (size_t o = 0; o < outer; ++o)
                    for (size_t k = 0; k < states; k += kLane)
                        store(sums + (a * L + b) * kLane,
                              load(sums + (a * L + b) * kLane) +
                                  exp(load(before + (o * L + a) * inner + k) + load(after + (o * L + b) * inner + k) +
                                      transition[a * L + b]));
    }
    static double expected(double sum, double) { return sum; }
};

}  // namespace dovetail
