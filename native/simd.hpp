// Eight labels at a time. A row over labels is padded to a multiple of eight (`padded`), and every loop
// over labels runs over such blocks. The compiler's vector extensions keep this free of intrinsics.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#ifdef __AVX512VL__
#include <immintrin.h>
#endif

namespace dovetail {

constexpr int kLane = 8;
constexpr int padded(int labels) { return (labels + kLane - 1) / kLane * kLane; }

template <class R> struct VectorOf;
template <> struct VectorOf<float> {
    typedef float Real __attribute__((vector_size(32)));
    typedef int32_t Int __attribute__((vector_size(32)));
};
template <> struct VectorOf<double> {
    typedef double Real __attribute__((vector_size(64)));
    typedef int64_t Int __attribute__((vector_size(64)));
};
template <class R> using Vec = typename VectorOf<R>::Real;
template <class R> using IntVec = typename VectorOf<R>::Int;

template <class R> inline Vec<R> load(const R* from) {
    Vec<R> value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class R> inline void store(R* to, Vec<R> value) { std::memcpy(to, &value, sizeof value); }
template <class R> inline Vec<R> splat(R value) { return Vec<R>{} + value; }

template <class R> inline Vec<R> larger(Vec<R> a, Vec<R> b) { return a > b ? a : b; }
template <class R> inline Vec<R> smaller(Vec<R> a, Vec<R> b) { return a < b ? a : b; }

// Halve the vector three times: always the same order of additions.
template <class R> inline Vec<R> upper_half(Vec<R> v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7); }
template <class R> inline Vec<R> upper_quarter(Vec<R> v) { return __builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3); }
template <class R> inline R sum_of(Vec<R> v) {
    v += upper_half<R>(v);
    v += upper_quarter<R>(v);
    return v[0] + v[1];
}
template <class R> inline R largest_of(Vec<R> v) {
    v = larger<R>(v, upper_half<R>(v));
    v = larger<R>(v, upper_quarter<R>(v));
    return v[0] > v[1] ? v[0] : v[1];
}
template <class R> inline R smallest_of(Vec<R> v) { return -largest_of<R>(-v); }

// All bits set in the lanes whose bit is set in `bits`.
template <class R> inline IntVec<R> lanes(uint8_t bits) {
    const IntVec<R> each = {1, 2, 4, 8, 16, 32, 64, 128};
    return ((IntVec<R>{} + bits) & each) != 0;
}
template <class R> inline Vec<R> keep(Vec<R> value, IntVec<R> mask) {
    return reinterpret_cast<Vec<R>>(reinterpret_cast<IntVec<R>>(value) & mask);
}
// to += value in the lanes whose bit is set.
template <class R> inline void add_where(R* to, Vec<R> value, uint8_t bits) {
#ifdef __AVX512VL__
    if constexpr (sizeof(R) == sizeof(float)) {
        const Vec<R> now = load(to);
        return store(to, reinterpret_cast<Vec<R>>(_mm256_mask_add_ps(now, bits, now, value)));
    }
#endif
    store(to, load(to) + keep<R>(value, lanes<R>(bits)));
}

// exp(x) for x <= 88 (float) or 709 (double); exactly 0 where it would be below the normal range.
// 2^n * exp(r), |r| <= ln(2)/2, the latter by its Taylor series: relative error about one ulp.
inline Vec<float> exp(Vec<float> x) {
    const Vec<float> magic = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer
    const Vec<float> clamped = larger<float>(x, splat(-87.0f));
    const Vec<float> n = (clamped * 1.44269504088896341f + magic) - magic;
    const Vec<float> r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;
    Vec<float> p = splat(1.9875691500e-4f);
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const IntVec<float> bits = (__builtin_convertvector(n, IntVec<float>) + 127) << 23;
    return keep<float>(p * reinterpret_cast<Vec<float>>(bits), x > splat(-87.0f));
}
inline Vec<double> exp(Vec<double> x) {
    const Vec<double> magic = splat(6755399441055744.0);  // 1.5 * 2^52
    const Vec<double> clamped = larger<double>(x, splat(-708.0));
    const Vec<double> n = (clamped * 1.4426950408889634074 + magic) - magic;
    const Vec<double> r = (clamped - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
    Vec<double> p = splat(1.0 / 479001600.0);
    const double inverse_factorials[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                         1.0 / 720,      1.0 / 120,     1.0 / 24,     1.0 / 6,     0.5, 1.0, 1.0};
    for (double c : inverse_factorials) p = p * r + c;
    const IntVec<double> bits = (__builtin_convertvector(n, IntVec<double>) + 1023) << 52;
    return keep<double>(p * reinterpret_cast<Vec<double>>(bits), x > splat(-708.0));
}

}  // namespace dovetail
