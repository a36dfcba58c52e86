// The CPU levels that this machine can run, lowest first: what the CPU has and the system saves.
// Compiled for the plainest CPU, and with nothing but CPUID: what asks must run anywhere.
#pragma once
#if defined(__x86_64__) || defined(_M_X64)
#include <cpuid.h>
#endif

namespace dovetail {

constexpr int kMostLevels = 3;

#if defined(__x86_64__) || defined(_M_X64)

struct Registers {
    unsigned a = 0, b = 0, c = 0, d = 0;
};
inline Registers cpuid(unsigned leaf) {  // zeros where the CPU has no such leaf
    Registers r;
    __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);
    return r;
}
inline bool has(unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; }
constexpr unsigned bits() { return 0; }
template <class... More> constexpr unsigned bits(int first, More... more) { return (1u << first) | bits(more...); }

// The x86-64 psABI's levels. Registers that the system does not save (XCR0) count as absent.
inline int cpu_levels(const char* names[kMostLevels]) {
    const Registers one = cpuid(1), seven = cpuid(7), extended = cpuid(0x80000001u);
    int n = 0;
    // sse3 ssse3 cmpxchg16b sse4.1 sse4.2 popcnt; lahf
    if (!has(one.c, bits(0, 9, 13, 19, 20, 23)) || !has(extended.c, bits(0))) return n;
    names[n++] = "v2";
    // fma movbe osxsave avx f16c; bmi1 avx2 bmi2; lzcnt
    if (!has(one.c, bits(12, 22, 27, 28, 29)) || !has(seven.b, bits(3, 5, 8)) || !has(extended.c, bits(5))) return n;
    unsigned saved, high;
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if (!has(saved, bits(1, 2))) return n;
    names[n++] = "v3";
    // avx512 f dq cd bw vl; their masks and the upper halves and registers
    if (!has(seven.b, bits(16, 17, 28, 30, 31)) || !has(saved, bits(5, 6, 7))) return n;
    names[n++] = "v4";
    return n;
}

#elif defined(__aarch64__) || defined(_M_ARM64)

inline int cpu_levels(const char* names[kMostLevels]) {  // NEON and fused multiply-add are in all of them
    names[0] = "neon";
    return 1;
}

#else
#error "Dovetail has kernels for x86-64 and aarch64 only"
#endif

}  // namespace dovetail
