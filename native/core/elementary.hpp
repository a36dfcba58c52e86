// exp, log and related functions with the same bits on every CPU and from every compiler: libraries choose other code
// for other CPUs. Made of IEEE additions, multiplications and divisions and of operations on bits; nothing is fused.
// Errors: 0.52 units in the last place for exp and log (0.76 below the normal range), 1.5 for log1p.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include "core/elementary_tables.hpp"

namespace dovetail::portable {

namespace detail {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kStepHigh =
    ((kLog2.high + 196608.0) - 196608.0) / Exponentials::kSize;  // 35 bits: multiples are exact
constexpr double kStepLow = (kLog2.high / Exponentials::kSize - kStepHigh) + kLog2.low / Exponentials::kSize;

// 2^(n/128) (1 + r): the scale, with `exponent` added to its own, and the rest of the sum.
struct Scaled {
    double scale, rest;
};
inline Scaled exp_parts(double x, int64_t exponent) {
    constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
    const double shifted = x * (Exponentials::kSize * 0x1.71547652b82fep+0) + kRound;
    const uint64_t n = std::bit_cast<uint64_t>(shifted), i = n % Exponentials::kSize;
    const double whole = shifted - kRound;
    const double r = (x - whole * kStepHigh) - whole * kStepLow, square = r * r;
    const double series =
        (kExponentials.rest[i] + r) + square * (0.5 + r * (1.0 / 6)) + square * square * (1.0 / 24 + r * (1.0 / 120));
    const uint64_t bits = kExponentials.bits[i] + ((n - i) << 45) + (static_cast<uint64_t>(exponent) << 52);
    const double scale = std::bit_cast<double>(bits);
    return {scale, scale * series};
}

// Where the result overflows, is subnormal or nearly so, or where x is no number.
[[gnu::noinline]] inline double exp_at_the_edge(double x) {
    if (x != x) return x;
    if (x > 709.8) return kInfinity;
    if (x < -745.2) return 0;
    const int64_t exponent = x > 0 ? -64 : 64;
    const Scaled parts = exp_parts(x, exponent);
    return (parts.scale + parts.rest) * (x > 0 ? 0x1p64 : 0x1p-64);
}

inline double log_of_normal(uint64_t bits, int64_t exponent) {
    const uint64_t from_first = bits - Logarithms::kFirst, i = (from_first >> 45) % Logarithms::kSize;
    const double k = static_cast<double>((static_cast<int64_t>(from_first) >> 52) + exponent);
    const uint64_t mantissa = bits - (from_first & (uint64_t{0xfff} << 52)), front = mantissa & ~uint64_t{0x7ff};
    const double z = std::bit_cast<double>(mantissa), z_front = std::bit_cast<double>(front);
    const double inverse = kLogarithms.inverse[i];
    const double r_front = z_front * inverse - 1, r_back = (z - z_front) * inverse;  // z/c - 1, exactly
    const double r = r_front + r_back, r_rest = r_back - (r - r_front), square = r * r;
    const double series =
        square * ((-0.5 + r * (1.0 / 3)) +
                  square * ((-0.25 + r * 0.2) + square * ((-1.0 / 6 + r * (1.0 / 7)) - square * 0.125)));
    const double known = k * kLog2High + kLogarithms.high[i];
    const double high = known + r, low = ((known - high) + r) + (r_rest + (k * kLog2Low + kLogarithms.low[i]));
    return high + (low + series);
}

[[gnu::noinline]] inline double log_at_the_edge(double x) {
    if (x == 0) return -kInfinity;
    if (!(x > 0)) return kNaN;
    if (x == kInfinity) return x;
    return log_of_normal(std::bit_cast<uint64_t>(x * 0x1p52), -52);
}

}  // namespace detail

inline double exp(double x) {
    if (!(x > -700.0 && x < 709.0)) [[unlikely]]
        return detail::exp_at_the_edge(x);
    const detail::Scaled parts = detail::exp_parts(x, 0);
    return parts.scale + parts.rest;
}

// -infinity at 0, not a number below.
inline double log(double x) {
    constexpr uint64_t kLeast = uint64_t{1} << 52, kInfinite = uint64_t{0x7ff} << 52;
    const uint64_t bits = std::bit_cast<uint64_t>(x);
    if (bits - kLeast >= kInfinite - kLeast) [[unlikely]]
        return detail::log_at_the_edge(x);
    return detail::log_of_normal(bits, 0);
}

// log(1 + x), exact to the last place near 0 too.
inline double log1p(double x) {
    const double sum = 1 + x;
    if (sum == 1 || !(sum > 0 && sum < detail::kInfinity)) return sum == 1 || x != x ? x : log(sum);
    const double lost = x < 1 ? x - (sum - 1) : 1 - (sum - x);
    return log(sum) + lost / sum;
}

// The derivative of log Gamma, for x > 0, by its asymptotic series from 10 on. Below, psi(x) = psi(x + 10) - 1/x - ...
// - 1/(x + 9); with q = x(x + 9) these ten are (2x + 9) D'(q)/D(q), D(q) = q(q + 8)(q + 14)(q + 18)(q + 20).
inline double digamma(double x) {
    if (!(x > 0)) return x == 0 ? -detail::kInfinity : detail::kNaN;
    double below = 0;
    if (x < 10) {
        const double q = x * (x + 9), product = q * ((q + 8) * (q + 14)) * ((q + 18) * (q + 20));
        below = (2 * x + 9) * ((((5 * q + 240) * q + 3924) * q + 24352) * q + 40320) / product;
        x += 10;
    }
    const double y = 1 / x, square = y * y;
    double series = 1.0 / 12;
    for (double c : {-691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12})
        series = series * square + c;
    return ((log(x) - 0.5 * y) - series * square) - below;
}

}  // namespace dovetail::portable
