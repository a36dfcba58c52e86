// Small matrix products over many rows at once, for hidden Markov models: rows are padded to whole vectors, and a
// block of sums stays in registers while one pass is made over the inner dimension.
#pragma once
#include "core/memory.hpp"
#include "core/simd.hpp"

namespace dovetail {

// Rows are padded to 64 bytes, whatever the machine's registers: sums are taken in one order on every CPU.
template <class R> constexpr int kWidth = 64 / static_cast<int>(sizeof(R));
template <class R> using Wide = Pack<R, kWidth<R>>;
template <class R> inline Wide<R> load_wide(const R* from) { return load<kWidth<R>>(from); }

// As many sums at a time as the registers hold: kRows x kGroups of these.
constexpr int kGroups = kRegisterBytes == 64 ? 5 : 1, kRows = kRegisterBytes == 64 ? 5 : kSums / Wide<float>::kParts;

// States are padded to a multiple that suits single and double precision alike.
constexpr int padded_states(int K) { return (K + kWidth<float> - 1) / kWidth<float> * kWidth<float>; }

// Numbers below the normal range count as 0 while this lives: arithmetic on them is slow, and they are too small to
// matter.
class FlushTiny {
public:
    FlushTiny() : before_(mode()) { set_mode(before_ | kFlush); }
    ~FlushTiny() { set_mode(before_); }

private:
#if defined(__x86_64__)
    using Mode = unsigned;
    static constexpr Mode kFlush = 0x8040;
    static Mode mode() { return _mm_getcsr(); }
    static void set_mode(Mode mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
    using Mode = uint64_t;
    static constexpr Mode kFlush = Mode{1} << 24;
    static Mode mode() {
        Mode mode;
        asm volatile("mrs %0, fpcr" : "=r"(mode));
        return mode;
    }
    static void set_mode(Mode mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
    using Mode = int;
    static constexpr Mode kFlush = 0;
    static Mode mode() { return 0; }
    static void set_mode(Mode) {}
#endif
    const Mode before_;
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
            for (int g = 0; g < G; ++g) sum[m][g] = fma(each, row[g], sum[m][g]);
        }
    }
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m)
#pragma GCC unroll 8
        for (int g = 0; g < G; ++g) store(out + m * stride + g * kWidth<R>, sum[m][g]);
}

template <class R, int G, bool Add>
inline void product_columns(const R* a, size_t across, size_t along, const R* b, size_t rows, size_t inner, R* out,
                            size_t stride) {
    size_t m = 0;
    for (; m + kRows <= rows; m += kRows)
        product_block<R, kRows, G, Add>(a + m * across, across, along, b, inner, out + m * stride, stride);
    if (!Add && m < rows && rows >= kRows) {  // some rows a second time: that is faster than few at a time
        m = rows - kRows;
        return product_block<R, kRows, G, Add>(a + m * across, across, along, b, inner, out + m * stride, stride);
    }
    for (; m < rows; ++m)
        product_block<R, 1, G, Add>(a + m * across, across, along, b, inner, out + m * stride, stride);
}

// out [rows x stride] (+)= A b, with A[m][k] = a[m * across + k * along] and b [inner x stride].
template <bool Add, class R>
inline void product(const R* a, size_t across, size_t along, const R* b, size_t rows, size_t inner, R* out,
                    size_t stride) {
    size_t vectors = stride / kWidth<R>;
    while (vectors) {
        const size_t group = vectors >= kGroups ? kGroups : vectors;
        switch (group) {
            case 5:
                if constexpr (kGroups >= 5) product_columns<R, 5, Add>(a, across, along, b, rows, inner, out, stride);
                break;
            case 4:
                if constexpr (kGroups >= 4) product_columns<R, 4, Add>(a, across, along, b, rows, inner, out, stride);
                break;
            case 3:
                if constexpr (kGroups >= 3) product_columns<R, 3, Add>(a, across, along, b, rows, inner, out, stride);
                break;
            case 2:
                if constexpr (kGroups >= 2) product_columns<R, 2, Add>(a, across, along, b, rows, inner, out, stride);
                break;
            default:
                product_columns<R, 1, Add>(a, across, along, b, rows, inner, out, stride);
        }
        vectors -= group, b += group * kWidth<R>, out += group * kWidth<R>;
    }
}

}  // namespace dovetail
