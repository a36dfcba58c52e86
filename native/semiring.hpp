// The sums and maxima of a chain, as semirings on rows over labels.
//
//   product   out[j]  = (+)_i  previous[i] (x) edge[i][j]          previous: [L], edge: [L x Lp], out: [Lp]
//   weigh     full[j] = node[j] (x) reach[j], rescaled so that long sequences neither over- nor underflow;
//             what was taken out goes into a running log
//
// SumProduct works on probabilities, LogSum and MaxPlus on their logs. Padding holds the semiring's zero.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "elementary.hpp"
#include "simd.hpp"

namespace dovetail {

// log of a product of many factors, taking logarithms only now and then.
class LogProduct {
public:
    void times(double factor) {
        product_ *= factor;
        if (!(product_ > 1e-200 && product_ < 1e200)) flush();
    }
    void plus(double log_factor) { log_ += log_factor; }
    double log() {
        flush();
        return log_;
    }

private:
    void flush() {
        log_ += portable::log(product_);
        product_ = 1.0;
    }
    double log_ = 0.0, product_ = 1.0;
};

// For the direction whose scale nobody asks for.
struct NoScale {
    void times(double) {}
    void plus(double) {}
};

// Calls run(G) with the number of blocks as a constant, so that loops over a row of up to 48 labels are unrolled and
// stay in registers; with 0 where there are more, or where speed does not matter (double precision).
template <class R, class Run> inline decltype(auto) with_blocks(int blocks, Run run) {
    if constexpr (std::is_same_v<R, float>) {
        switch (blocks) {
            case 1: return run(std::integral_constant<int, 1>());
            case 2: return run(std::integral_constant<int, 2>());
            case 3: return run(std::integral_constant<int, 3>());
            case 4: return run(std::integral_constant<int, 4>());
            case 5: return run(std::integral_constant<int, 5>());
            case 6: return run(std::integral_constant<int, 6>());
            default: break;
        }
    }
    return run(std::integral_constant<int, 0>());
}

// Blocks of a row, six (48 labels) at most, that stay in registers where a kernel has so many sums for each of them.
template <class R, int Sums> constexpr int kMostBlocks = std::clamp(kSums / (Sums * Vec<R>::kParts), 1, 6);

// Runs kernel<G> over the blocks of a row, as many of them at a time as stay in registers.
template <class R, int Sums, class Kernel> inline void each_group(int blocks, Kernel kernel) {
    constexpr int most = kMostBlocks<R, Sums>;
    const auto run = [&](int n, int at) {
        switch (n) {
            case 1: return kernel.template run<1>(at);
            case 2: if constexpr (most >= 2) return kernel.template run<2>(at); break;
            case 3: if constexpr (most >= 3) return kernel.template run<3>(at); break;
            case 4: if constexpr (most >= 4) return kernel.template run<4>(at); break;
            case 5: if constexpr (most >= 5) return kernel.template run<5>(at); break;
            default: if constexpr (most >= 6) return kernel.template run<6>(at);
        }
    };
    if (blocks <= most) return run(blocks, 0);  // the usual case, with the block number a constant too
    for (int at = 0; at < blocks; at += most) run(std::min(most, blocks - at), at);
}

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
        const Product kernel{previous, edge, out, L, G ? G * kLane : Lp};
        if constexpr (G && G <= kMostBlocks<R, 2>) kernel.template run<G>(0);
        else each_group<R, 2>(kernel.Lp / kLane, kernel);
    }
    template <int G, class Scale> static void weigh(const R* node, const R* reach, R* full, int Lp, Scale& scale) {
        if constexpr (G) {
            Vec<R> value[G], total = {};
            for (int g = 0; g < G; ++g) total += value[g] = load(node + g * kLane) * load(reach + g * kLane);
            const R sum = sum_of<R>(total), inverse = R(1) / sum;
            scale.times(sum);
            for (int g = 0; g < G; ++g) store(full + g * kLane, value[g] * inverse);
            return;
        }
        Vec<R> total = {};
        for (int j = 0; j < Lp; j += kLane) {
            const Vec<R> value = load(node + j) * load(reach + j);
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
                for (int g = 0; g < G; ++g)
                    best[g] = larger<R>(best[g], previous[i] + load(column + g * kLane));
            for (int g = 0; g < G; ++g) store(out + (block + g) * kLane, best[g]);
        }
    };
    template <int G> static void product(const R* previous, const R* edge, R* out, int L, int Lp) {
        const Product kernel{previous, edge, out, L, G ? G * kLane : Lp};
        if constexpr (G && G <= kMostBlocks<R, 1>) kernel.template run<G>(0);
        else each_group<R, 1>(kernel.Lp / kLane, kernel);
    }
    template <int G, class Scale> static void weigh(const R* node, const R* reach, R* full, int Lp, Scale& scale) {
        if constexpr (G) Lp = G * kLane;
        R best = -std::numeric_limits<R>::infinity();
        for (int j = 0; j < Lp; ++j) {
            full[j] = node[j] + reach[j];
            best = std::max(best, full[j]);
        }
        scale.plus(best);
        if (best > -std::numeric_limits<R>::infinity())
            for (int j = 0; j < Lp; ++j) full[j] -= best;
    }
};

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
    template <int, class Scale> static void weigh(const double* node, const double* reach, double* full, int Lp, Scale& scale) {
        MaxPlus<double>::weigh<0>(node, reach, full, Lp, scale);
    }
};

}  // namespace dovetail
