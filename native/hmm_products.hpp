// Small matrix products over many rows at once, for hidden Markov models: rows are padded to whole vectors, and a
// block of sums stays in registers while one pass is made over the inner dimension.
#pragma once
#include <cstring>

#include "memory.hpp"
#ifdef __SSE__
#include <immintrin.h>
#endif

namespace dovetail {

// Vectors are of one width everywhere, so that sums are taken in one order on every CPU. As many sums at a time as the
// registers hold: kRows x kGroups vectors.
constexpr int kWideBytes = 64;
#ifdef __AVX512F__
constexpr int kRows = 5, kGroups = 5;
#else
constexpr int kRows = 6, kGroups = 1;
#endif

template <class R> struct WideOf;
template <> struct WideOf<float> { typedef float Type __attribute__((vector_size(kWideBytes))); };
template <> struct WideOf<double> { typedef double Type __attribute__((vector_size(kWideBytes))); };
template <class R> using Wide = typename WideOf<R>::Type;
template <class R> constexpr int kWidth = kWideBytes / static_cast<int>(sizeof(R));

// States are padded to a multiple that suits single and double precision alike.
constexpr int padded_states(int K) { return (K + kWidth<float> - 1) / kWidth<float> * kWidth<float>; }

template <class R> inline Wide<R> load_wide(const R* from) {
    Wide<R> value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class R> inline void store_wide(R* to, Wide<R> value) { std::memcpy(to, &value, sizeof value); }
// Halves are added until one number is left: always the same order of additions.
template <class R> inline R sum_of_wide(Wide<R> v) {
    if constexpr (kWidth<R> == 16) v += __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
    if constexpr (kWidth<R> == 16) v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7);
    if constexpr (kWidth<R> == 8) v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7);
    return (v[0] + v[2]) + (v[1] + v[3]);
}

// Numbers below the normal range count as 0 while this lives: arithmetic on them is slow, and they are too small to matter.
class FlushTiny {
public:
#ifdef __SSE__
    FlushTiny() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }
    ~FlushTiny() { _mm_setcsr(before_); }

private:
    unsigned before_;
#endif
};

// out[m][j] (+)= sum_k a[m * across + k * along] * b[k][j] for m < M and G vectors of j.
template <class R, int M, int G, bool Add>
inline void product_block(const R* a, size_t across, size_t along, const R* b, size_t inner, R* out, size_t stride) {
    Wide<R> sum[M][G];
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m)
#pragma GCC unroll 8
        for (int g = 0; g < G; ++g) sum[m][g] = Add ? load_wide(out + m * stride + g * kWidth<R>) : Wide<R>{};
    for (size_t k = 0; k < inner; ++k, a += along, b += stride) {
        Wide<R> row[G];
#pragma GCC unroll 8
        for (int g = 0; g < G; ++g) row[g] = load_wide(b + g * kWidth<R>);
#pragma GCC unroll 8
        for (int m = 0; m < M; ++m) {
            const R each = a[m * across];
#pragma GCC unroll 8
            for (int g = 0; g < G; ++g) sum[m][g] += each * row[g];
        }
    }
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m)
#pragma GCC unroll 8
        for (int g = 0; g < G; ++g) store_wide(out + m * stride + g * kWidth<R>, sum[m][g]);
}

template <class R, int G, bool Add>
inline void product_columns(const R* a, size_t across, size_t along, const R* b, size_t rows, size_t inner, R* out, size_t stride) {
    size_t m = 0;
    for (; m + kRows <= rows; m += kRows) product_block<R, kRows, G, Add>(a + m * across, across, along, b, inner, out + m * stride, stride);
    if (!Add && m < rows && rows >= kRows) {  // some rows a second time: that is faster than few at a time
        m = rows - kRows;
        return product_block<R, kRows, G, Add>(a + m * across, across, along, b, inner, out + m * stride, stride);
    }
    for (; m < rows; ++m) product_block<R, 1, G, Add>(a + m * across, across, along, b, inner, out + m * stride, stride);
}

// out [rows x stride] (+)= A b, with A[m][k] = a[m * across + k * along] and b [inner x stride].
template <bool Add, class R>
inline void product(const R* a, size_t across, size_t along, const R* b, size_t rows, size_t inner, R* out, size_t stride) {
    size_t vectors = stride / kWidth<R>;
    while (vectors) {
        const size_t group = vectors >= kGroups ? kGroups : vectors;
        switch (group) {
            case 5: if constexpr (kGroups >= 5) product_columns<R, 5, Add>(a, across, along, b, rows, inner, out, stride); break;
            case 4: if constexpr (kGroups >= 4) product_columns<R, 4, Add>(a, across, along, b, rows, inner, out, stride); break;
            case 3: if constexpr (kGroups >= 3) product_columns<R, 3, Add>(a, across, along, b, rows, inner, out, stride); break;
            case 2: if constexpr (kGroups >= 2) product_columns<R, 2, Add>(a, across, along, b, rows, inner, out, stride); break;
            default: product_columns<R, 1, Add>(a, across, along, b, rows, inner, out, stride);
        }
        vectors -= group, b += group * kWidth<R>, out += group * kWidth<R>;
    }
}

}  // namespace dovetail
