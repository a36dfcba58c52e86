// Eight labels at a time. A row over labels is padded to a multiple of eight (`padded`), and every loop over labels
// runs over such blocks.
//
// A `Pack` has a fixed number of lanes and lies in as many registers of the machine as that takes: eight doubles are
// one register of AVX-512, two of AVX2, four of SSE or NEON. Sums over lanes are taken in one order, and a product and
// a sum are rounded once (`fma`) or twice (`*`, `+`) as the code says, never as the compiler likes: it is told not to
// contract. So results are the same bits on every CPU that has a fused multiply-add. x86-64-v2 has none; there `fma`
// rounds twice.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace dovetail {

constexpr int kLane = 8;
constexpr int padded(int labels) { return (labels + kLane - 1) / kLane * kLane; }

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
constexpr int kRegisterBytes = 64, kRegisters = 32;
#elif defined(__AVX__)
constexpr int kRegisterBytes = 32, kRegisters = 16;
#elif defined(__aarch64__)
constexpr int kRegisterBytes = 16, kRegisters = 32;
#else
constexpr int kRegisterBytes = 16, kRegisters = 16;
#endif
constexpr int kSums = kRegisters * 3 / 4;  // registers for sums; the others hold what is added to them

template <class R> struct IntOf;
template <> struct IntOf<float> {
    using Type = int32_t;
};
template <> struct IntOf<double> {
    using Type = int64_t;
};

// What a comparison says: all bits of a lane are set, or none.
template <class R, int N> struct Mask {
    static constexpr int kBytes = N * static_cast<int>(sizeof(R));
    static constexpr int kPartBytes = kBytes < kRegisterBytes ? kBytes : kRegisterBytes;
    static constexpr int kParts = kBytes / kPartBytes, kPerPart = N / kParts;
    typedef typename IntOf<R>::Type Part __attribute__((vector_size(kPartBytes)));
    Part part[kParts];

    bool operator[](int lane) const { return part[lane / kPerPart][lane % kPerPart] != 0; }
};

template <class R, int N> struct Pack {
    static constexpr int kParts = Mask<R, N>::kParts, kPerPart = Mask<R, N>::kPerPart;
    typedef R Part __attribute__((vector_size(Mask<R, N>::kPartBytes)));
    typedef typename Mask<R, N>::Part Bits;
    Part part[kParts];

    R operator[](int lane) const { return part[lane / kPerPart][lane % kPerPart]; }

    // make(k) is part k of the result. No loops and no memory between: each part stays in its register.
    template <class Make> [[gnu::always_inline]] static Pack of(Make make) {
        return [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
            return Pack{{make(K)...}};
        }(std::make_integer_sequence<int, kParts>());
    }
    template <class Make> [[gnu::always_inline]] static Mask<R, N> mask_of(Make make) {
        return [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
            return Mask<R, N>{{make(K)...}};
        }(std::make_integer_sequence<int, kParts>());
    }
    [[gnu::always_inline]] static Part all(R value) {
        return [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
            return Part{(static_cast<void>(K), value)...};
        }(std::make_integer_sequence<int, kPerPart>());
    }

    friend Pack operator+(const Pack& a, const Pack& b) {
        return of([&](int k) { return a.part[k] + b.part[k]; });
    }
    friend Pack operator-(const Pack& a, const Pack& b) {
        return of([&](int k) { return a.part[k] - b.part[k]; });
    }
    friend Pack operator*(const Pack& a, const Pack& b) {
        return of([&](int k) { return a.part[k] * b.part[k]; });
    }
    friend Pack operator/(const Pack& a, const Pack& b) {
        return of([&](int k) { return a.part[k] / b.part[k]; });
    }
    friend Pack operator+(const Pack& a, R b) {
        return of([&](int k) { return a.part[k] + b; });
    }
    friend Pack operator-(const Pack& a, R b) {
        return of([&](int k) { return a.part[k] - b; });
    }
    friend Pack operator*(const Pack& a, R b) {
        return of([&](int k) { return a.part[k] * b; });
    }
    friend Pack operator+(R a, const Pack& b) {
        return of([&](int k) { return a + b.part[k]; });
    }
    friend Pack operator-(R a, const Pack& b) {
        return of([&](int k) { return a - b.part[k]; });
    }
    friend Pack operator*(R a, const Pack& b) {
        return of([&](int k) { return a * b.part[k]; });
    }
    friend Pack operator-(const Pack& a) {
        return of([&](int k) { return -a.part[k]; });
    }
    Pack& operator+=(const Pack& other) { return *this = *this + other; }
    Pack& operator+=(R other) { return *this = *this + other; }
    Pack& operator*=(const Pack& other) { return *this = *this * other; }

    friend Mask<R, N> operator>(const Pack& a, const Pack& b) {
        return mask_of([&](int k) { return a.part[k] > b.part[k]; });
    }
    friend Mask<R, N> operator>(const Pack& a, R b) {
        return mask_of([&](int k) { return a.part[k] > all(b); });
    }
    friend Mask<R, N> operator<(const Pack& a, R b) {
        return mask_of([&](int k) { return a.part[k] < all(b); });
    }
    friend Mask<R, N> operator>=(const Pack& a, R b) {
        return mask_of([&](int k) { return a.part[k] >= all(b); });
    }
};

template <class R> using Vec = Pack<R, kLane>;

template <int N = kLane, class R> inline Pack<R, N> load(const R* from) {
    return Pack<R, N>::of([&](int k) {
        typename Pack<R, N>::Part part;
        std::memcpy(&part, from + k * Pack<R, N>::kPerPart, sizeof part);
        return part;
    });
}
template <class R, int N> inline void store(R* to, const Pack<R, N>& value) {
#pragma GCC unroll 8
    for (int k = 0; k < Pack<R, N>::kParts; ++k)
        std::memcpy(to + k * Pack<R, N>::kPerPart, &value.part[k], sizeof value.part[k]);
}
template <int N = kLane, class R> inline Pack<R, N> splat(R value) {
    return Pack<R, N>::of([&](int) { return Pack<R, N>::all(value); });
}

template <class R, int N> inline Pack<R, N> select(const Mask<R, N>& mask, const Pack<R, N>& a, const Pack<R, N>& b) {
    return Pack<R, N>::of([&](int k) { return mask.part[k] ? a.part[k] : b.part[k]; });
}
// a where it is greater, else b.
template <class R, int N> inline Pack<R, N> larger(const Pack<R, N>& a, const Pack<R, N>& b) {
    return Pack<R, N>::of([&](int k) { return a.part[k] > b.part[k] ? a.part[k] : b.part[k]; });
}
template <class R, int N> inline Pack<R, N> smaller(const Pack<R, N>& a, const Pack<R, N>& b) {
    return Pack<R, N>::of([&](int k) { return a.part[k] < b.part[k] ? a.part[k] : b.part[k]; });
}

// One register of a * b + c, rounded once where the machine can.
template <class Part> [[gnu::always_inline]] inline Part fused(Part a, Part b, Part c) {
#if defined(__FMA__)
    if constexpr (std::is_same_v<decltype(a[0] + a[0]), float>) {
#ifdef __AVX512F__
        if constexpr (sizeof(Part) == 64) return (Part)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#endif
        if constexpr (sizeof(Part) == 32) return (Part)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
        if constexpr (sizeof(Part) == 16) return (Part)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
    } else {
#ifdef __AVX512F__
        if constexpr (sizeof(Part) == 64) return (Part)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
        if constexpr (sizeof(Part) == 32) return (Part)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
        if constexpr (sizeof(Part) == 16) return (Part)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c);
    }
#elif defined(__aarch64__)
    if constexpr (std::is_same_v<decltype(a[0] + a[0]), float>)
        return (Part)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
    else return (Part)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return a * b + c;
#endif
}
template <class R, int N> inline Pack<R, N> fma(const Pack<R, N>& a, const Pack<R, N>& b, const Pack<R, N>& c) {
    return Pack<R, N>::of([&](int k) { return fused(a.part[k], b.part[k], c.part[k]); });
}
template <class R, int N> inline Pack<R, N> fma(R a, const Pack<R, N>& b, const Pack<R, N>& c) {
    return fma(splat<N>(a), b, c);
}
template <class R, int N> inline Pack<R, N> fma(const Pack<R, N>& a, const Pack<R, N>& b, R c) {
    return fma(a, b, splat<N>(c));
}

// The lower and the upper half of the lanes.
template <bool Upper, class R, int N> inline Pack<R, N / 2> half(const Pack<R, N>& v) {
    constexpr int parts = Pack<R, N>::kParts, first = Upper ? N / 2 : 0;
    if constexpr (parts > 1) return Pack<R, N / 2>::of([&](int k) { return v.part[k + (Upper ? parts / 2 : 0)]; });
    else if constexpr (N == 16)
        return {{__builtin_shufflevector(v.part[0], v.part[0], first, first + 1, first + 2, first + 3, first + 4,
                                         first + 5, first + 6, first + 7)}};
    else return {{__builtin_shufflevector(v.part[0], v.part[0], first, first + 1, first + 2, first + 3)}};
}
// Halves are joined until one number is left: always in the same order.
template <class R, int N> inline R sum_of(const Pack<R, N>& v) {
    if constexpr (N > 4) return sum_of(half<false>(v) + half<true>(v));
    else return (v[0] + v[2]) + (v[1] + v[3]);
}
template <class R, int N> inline R largest_of(const Pack<R, N>& v) {
    const auto more = [](R a, R b) { return a > b ? a : b; };
    if constexpr (N > 4) return largest_of(larger(half<false>(v), half<true>(v)));
    else return more(more(v[0], v[2]), more(v[1], v[3]));
}
template <class R, int N> inline R smallest_of(const Pack<R, N>& v) { return -largest_of(-v); }

// From one precision to the other.
inline Vec<double> widened(const Vec<float>& v) {
#if defined(__AVX__) && !defined(__AVX512DQ__)
    return {{(Vec<double>::Part)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)v.part[0])),
             (Vec<double>::Part)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)v.part[0], 1))}};
#else
    typedef float Few __attribute__((vector_size(Vec<double>::kPerPart * sizeof(float))));
    return Vec<double>::of([&](int k) {
        Few few;
        std::memcpy(&few, reinterpret_cast<const char*>(&v) + k * sizeof few, sizeof few);
        return __builtin_convertvector(few, Vec<double>::Part);
    });
#endif
}
inline Vec<float> narrowed(const Vec<double>& v) {
#if defined(__AVX__) && !defined(__AVX512DQ__)
    return {
        {(Vec<float>::Part)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)v.part[1]), _mm256_cvtpd_ps((__m256d)v.part[0]))}};
#else
    Vec<float> out;
    typedef float Few __attribute__((vector_size(Vec<double>::kPerPart * sizeof(float))));
#pragma GCC unroll 8
    for (int k = 0; k < Vec<double>::kParts; ++k) {
        const Few few = __builtin_convertvector(v.part[k], Few);
        std::memcpy(reinterpret_cast<char*>(&out) + k * sizeof few, &few, sizeof few);
    }
    return out;
#endif
}

// All bits set in the lanes whose bit is set in `bits`.
template <class R> inline Mask<R, kLane> lanes(uint8_t bits) {
    using Int = typename IntOf<R>::Type;
    const Int each[kLane] = {1, 2, 4, 8, 16, 32, 64, 128};
    return Vec<R>::mask_of([&](int k) {
        typename Mask<R, kLane>::Part part;
        std::memcpy(&part, each + k * Vec<R>::kPerPart, sizeof part);
        return ((typename Mask<R, kLane>::Part{} + bits) & part) != 0;
    });
}
template <class R> inline Vec<R> keep(const Vec<R>& value, const Mask<R, kLane>& mask) {
    return Vec<R>::of(
        [&](int k) { return (typename Vec<R>::Part)((typename Vec<R>::Bits)value.part[k] & mask.part[k]); });
}
// A bit for each lane of a mask.
inline unsigned bits_of(const Mask<double, kLane>& mask) {
    unsigned bits = 0;
#pragma GCC unroll 8
    for (int k = 0; k < Mask<double, kLane>::kParts; ++k) {
        const auto part = mask.part[k];
#if defined(__AVX512DQ__)
        bits |= static_cast<unsigned>(_mm512_movepi64_mask((__m512i)part));
#elif defined(__AVX__)
        bits |= static_cast<unsigned>(_mm256_movemask_pd((__m256d)part)) << (4 * k);
#elif defined(__SSE2__)
        bits |= static_cast<unsigned>(_mm_movemask_pd((__m128d)part)) << (2 * k);
#else
        for (int lane = 0; lane < 2; ++lane) bits |= static_cast<unsigned>(part[lane] & 1) << (2 * k + lane);
#endif
    }
    return bits;
}
// to += value in the lanes whose bit is set.
template <class R> inline void add_where(R* to, const Vec<R>& value, uint8_t bits) {
#ifdef __AVX512VL__
    if constexpr (sizeof(R) == sizeof(float)) {
        const Vec<R> now = load(to);
        return store(to, Vec<R>{{(typename Vec<R>::Part)_mm256_mask_add_ps(
                             (__m256)now.part[0], bits, (__m256)now.part[0], (__m256)value.part[0])}});
    }
#endif
    store(to, load(to) + keep<R>(value, lanes<R>(bits)));
}

// exp(x) for x <= 88 (float) or 709 (double); exactly 0 where it would be below the normal range.
// 2^n * exp(r), |r| <= ln(2)/2, the latter by its Taylor series: relative error about one ulp.
//
// Adding `kRound` rounds to a whole number n and leaves n in the lowest bits, from where it is shifted to the exponent.
inline Vec<float> exp(const Vec<float>& x) {
    constexpr float kRound = 12582912.0f;  // 1.5 * 2^23
    const Vec<float> clamped = larger(x, splat(-87.0f));
    const Vec<float> shifted = fma(1.44269504088896341f, clamped, splat(kRound)), n = shifted - kRound;
    const Vec<float> r = fma(2.12194440e-4f, n, fma(-0.693359375f, n, clamped));
    Vec<float> p = splat(1.9875691500e-4f);
    for (float c : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f})
        p = fma(p, r, c);
    p = fma(p * r, r, r) + 1.0f;
    const Vec<float> scale =
        Vec<float>::of([&](int k) { return (Vec<float>::Part)(((Vec<float>::Bits)shifted.part[k] + 127) << 23); });
    return keep(p * scale, x > -87.0f);
}
inline Vec<double> exp(const Vec<double>& x) {
    constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
    const Vec<double> clamped = larger(x, splat(-708.0));
    const Vec<double> shifted = fma(1.4426950408889634074, clamped, splat(kRound)), n = shifted - kRound;
    const Vec<double> r = fma(-1.42860682030941723212e-6, n, fma(-6.93145751953125e-1, n, clamped));
    Vec<double> p = splat(1.0 / 479001600.0);
    for (double c : {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                     1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
        p = fma(p, r, c);
    const Vec<double> scale =
        Vec<double>::of([&](int k) { return (Vec<double>::Part)(((Vec<double>::Bits)shifted.part[k] + 1023) << 52); });
    return keep(p * scale, x > -708.0);
}

}  // namespace dovetail
