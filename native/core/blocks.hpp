// Loops over the blocks of eight labels that a row is made of, as many of them at a time as stay in registers.
#pragma once
#include <algorithm>
#include <type_traits>

#include "core/simd.hpp"

namespace dovetail {

// Calls run(G) with the number of blocks as a constant, so that loops over a row of up to 48 labels are unrolled and
// stay in registers; with 0 where there are more, or where speed does not matter (double precision).
template <class R, class Run> inline decltype(auto) with_blocks(int blocks, Run run) {
    if constexpr (std::is_same_v<R, float>) {
        switch (blocks) {
            case 1:
                return run(std::integral_constant<int, 1>());
            case 2:
                return run(std::integral_constant<int, 2>());
            case 3:
                return run(std::integral_constant<int, 3>());
            case 4:
                return run(std::integral_constant<int, 4>());
            case 5:
                return run(std::integral_constant<int, 5>());
            case 6:
                return run(std::integral_constant<int, 6>());
            default:
                break;
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
            case 1:
                return kernel.template run<1>(at);
            case 2:
                if constexpr (most >= 2) return kernel.template run<2>(at);
                break;
            case 3:
                if constexpr (most >= 3) return kernel.template run<3>(at);
                break;
            case 4:
                if constexpr (most >= 4) return kernel.template run<4>(at);
                break;
            case 5:
                if constexpr (most >= 5) return kernel.template run<5>(at);
                break;
            default:
                if constexpr (most >= 6) return kernel.template run<6>(at);
        }
    };
    if (blocks <= most) return run(blocks, 0);  // the usual case, with the block number a constant too
    for (int at = 0; at < blocks; at += most) run(std::min(most, blocks - at), at);
}

// The same where the number of blocks may be a constant, G; 0: the kernel's own.
template <class R, int Sums, int G, class Kernel> inline void run_blocks(const Kernel& kernel) {
    if constexpr (G && G <= kMostBlocks<R, Sums>) kernel.template run<G>(0);
    else each_group<R, Sums>(kernel.Lp / kLane, kernel);
}

}  // namespace dovetail
