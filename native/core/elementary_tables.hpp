// Tables of the elementary functions, computed by the compiler in twice the precision of a double.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace dovetail::portable {

// The unrounded sum high + low, |low| at most half a unit in the last place of high.
struct Twice {
    double high, low;
};

constexpr Twice two_sum(double a, double b) {
    const double sum = a + b, of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
}
constexpr Twice quick_sum(double large, double small) {
    const double sum = large + small;
    return {sum, small - (sum - large)};
}
constexpr Twice two_product(double a, double b) {
    const double a_split = 134217729.0 * a, b_split = 134217729.0 * b;  // 2^27 + 1 (Veltkamp, Dekker)
    const double a_high = a_split - (a_split - a), b_high = b_split - (b_split - b);
    const double a_low = a - a_high, b_low = b - b_high, product = a * b;
    return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}
constexpr Twice operator+(Twice a, Twice b) {
    const Twice sum = two_sum(a.high, b.high);
    return quick_sum(sum.high, sum.low + (a.low + b.low));
}
constexpr Twice operator*(Twice a, Twice b) {
    const Twice product = two_product(a.high, b.high);
    return quick_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
constexpr Twice operator/(Twice a, double b) {
    const double first = a.high / b;
    const Twice back = two_product(first, -b);
    return quick_sum(first, ((a.high + back.high) + back.low + a.low) / b);
}
constexpr Twice operator-(Twice a) { return {-a.high, -a.low}; }

constexpr Twice kLog2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

// log(a / b) of small whole numbers that are close to one another: 2 artanh((a - b) / (a + b)).
constexpr Twice log_ratio(int a, int b) {
    const Twice t = Twice{2.0 * (a - b), 0} / double(a + b), square = t * t;
    Twice sum = t, power = t;
    for (int n = 3; n < 24; n += 2) power = power * square / 4.0, sum = sum + power / double(n);
    return sum;
}

// 2^(i/128) as the bits of a double, and what these leave out, relative to it.
struct Exponentials {
    static constexpr int kSize = 128;
    std::array<uint64_t, kSize> bits{};
    std::array<double, kSize> rest{};

    constexpr Exponentials() {
        const Twice x = kLog2 / double(kSize);
        Twice step = {1, 0}, term = {1, 0}, value = {1, 0};
        for (int n = 1; n < 16; ++n) term = term * x / double(n), step = step + term;
        for (int i = 0; i < kSize; ++i, value = value * step) {
            bits[i] = std::bit_cast<uint64_t>(value.high);
            rest[i] = value.low / value.high;
        }
    }
};

// For each 1/128 of a binade from 11/16 on: 1/c of a number c within, of eleven bits, and log(c). The high part of
// the logarithm is a multiple of 2^-42, so that adding a multiple of kLog2High is exact. Around 1, c is 1.
struct Logarithms {
    static constexpr int kSize = 128, kUnit = 1024;
    static constexpr uint64_t kFirst = 0x3fe6000000000000;  // 11/16
    std::array<double, kSize> inverse{}, high{}, low{};

    constexpr Logarithms() {
        int before = kUnit;
        Twice log = {0, 0};
        for (int i = 79; i >= 0; --i) set(i, 511 - 2 * (79 - i), 512, before, log);
        before = kUnit, log = {0, 0};
        for (int i = 80; i < kSize; ++i) set(i, 257 + 2 * (i - 80), 256, before, log);
    }

private:
    constexpr void set(int i, int middle, int of, int& before, Twice& log) {
        const bool at_one = i == 79 || i == 80;
        const int numerator = at_one ? kUnit : (2 * kUnit * of + middle) / (2 * middle);  // rounded kUnit * of / middle
        log = log + log_ratio(before, numerator);
        before = numerator;
        inverse[i] = double(numerator) / kUnit;
        high[i] = (log.high + 1536.0) - 1536.0;  // to a multiple of 2^-42
        low[i] = (log.high - high[i]) + log.low;
    }
};

constexpr double kLog2High = (kLog2.high + 1536.0) - 1536.0, kLog2Low = (kLog2.high - kLog2High) + kLog2.low;
inline constexpr Exponentials kExponentials{};
inline constexpr Logarithms kLogarithms{};

}  // namespace dovetail::portable
