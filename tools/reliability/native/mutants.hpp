// What the native code is made of where mistakes are put into it: each place does what it did before, unless the
// environment chose its mistake. In this way one build has many of them.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <type_traits>

namespace mutants {

constexpr int kMost = 4096;

// A byte for each mistake whose place was come past: in a file, so that processes can tell one another.
inline unsigned char* open_seen() {
    static unsigned char nowhere[kMost];
    const char* path = std::getenv("DOVETAIL_MUTANTS_SEEN");
    const int file = path ? open(path, O_RDWR) : -1;
    if (file < 0) return nowhere;
    void* shared = mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return shared == MAP_FAILED ? nowhere : static_cast<unsigned char*>(shared);
}
inline int read_chosen() {
    const char* number = std::getenv("DOVETAIL_MUTANT");
    return number ? std::atoi(number) : -1;
}
inline unsigned char* const seen = open_seen();
inline const int chosen = read_chosen();

template <int N> [[gnu::always_inline]] inline bool on() {
    seen[N] = 1;
    return __builtin_expect(chosen == N, 0);
}
template <int N> [[gnu::always_inline]] inline bool turned(bool condition) { return condition != on<N>(); }

// Another number.
template <int N, class T> [[gnu::always_inline]] inline T other(T number) {
    return on<N>() ? static_cast<T>(number + static_cast<T>(1)) : number;
}
template <int N> [[gnu::always_inline]] inline bool other(bool value) { return value != on<N>(); }

template <int N, class T> [[gnu::always_inline]] inline auto negated(const T& value) {
    return on<N>() ? -value : value;
}

// In the place of an operator: `a < Swapped<...>() < b` is a < b, or what the other operator makes of them.
template <int N, class Kept, class Other> struct Swapped {};
template <int N, class Kept, class Other, class A> struct Half {
    A&& left;
};
#define MUTANTS_SWAPPED(op)                                                                                     \
    template <int N, class Kept, class Other, class A>                                                          \
    [[gnu::always_inline]] inline Half<N, Kept, Other, A> operator op(A&& left, Swapped<N, Kept, Other>) {      \
        return {static_cast<A&&>(left)};                                                                        \
    }                                                                                                           \
    template <int N, class Kept, class Other, class A, class B>                                                 \
    [[gnu::always_inline]] inline auto operator op(Half<N, Kept, Other, A> half, B&& right) {                   \
        using Result = decltype(Kept()(static_cast<A&&>(half.left), static_cast<B&&>(right)));                  \
        if (on<N>()) return static_cast<Result>(Other()(static_cast<A&&>(half.left), static_cast<B&&>(right))); \
        return static_cast<Result>(Kept()(static_cast<A&&>(half.left), static_cast<B&&>(right)));               \
    }
MUTANTS_SWAPPED(<)
MUTANTS_SWAPPED(<=)
MUTANTS_SWAPPED(>)
MUTANTS_SWAPPED(>=)
MUTANTS_SWAPPED(==)
MUTANTS_SWAPPED(!=)
MUTANTS_SWAPPED(+)
MUTANTS_SWAPPED(-)
MUTANTS_SWAPPED(*)
MUTANTS_SWAPPED(/)
MUTANTS_SWAPPED(%)
MUTANTS_SWAPPED(&)
MUTANTS_SWAPPED(|)
MUTANTS_SWAPPED(^)

// In the place of `std` before min and max.
template <int N> struct Extremes {
    template <class T> static const T& min(const T& a, const T& b) {
        return on<N>() ? std::max<T>(a, b) : std::min<T>(a, b);
    }
    template <class T> static const T& max(const T& a, const T& b) {
        return on<N>() ? std::min<T>(a, b) : std::max<T>(a, b);
    }
};

}  // namespace mutants
