// Vectors whose storage starts on a cache line and, when large, lies in huge pages where the system has them:
// gathers over tens of megabytes otherwise spend much of their time in page look-ups.
#pragma once
#include <cstdlib>
#include <new>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace dovetail {

template <class T> struct LineAllocator {
    using value_type = T;
    LineAllocator() = default;
    template <class U> LineAllocator(const LineAllocator<U>&) {}

    static constexpr std::size_t kLine = 64, kHugePage = std::size_t{2} << 20;
    static std::size_t alignment(std::size_t bytes) { return bytes >= kHugePage ? kHugePage : kLine; }

    T* allocate(std::size_t n) {
        const std::size_t align = alignment(n * sizeof(T));
        if (n > (~std::size_t{0} - align) / sizeof(T)) throw std::bad_alloc();
        const std::size_t bytes = (n * sizeof(T) + align - 1) / align * align;
        void* memory = std::aligned_alloc(align, bytes);
        if (!memory) throw std::bad_alloc();
#ifdef __linux__
        if (align == kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) { std::free(memory); }
    template <class U> bool operator==(const LineAllocator<U>&) const { return true; }
};

template <class T> using Array = std::vector<T, LineAllocator<T>>;

}  // namespace dovetail
