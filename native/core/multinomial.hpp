// How often each of some things is drawn, exactly and by whole numbers alone.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace dovetail {

class Multinomial {
public:
    // Things are drawn with probabilities in proportion to their frequencies, of which one is above 0.
    Multinomial(const int64_t* frequencies, size_t things, uint64_t seed) : running_(things + 1), random_(seed) {
        for (size_t k = 0; k < things; ++k) running_[k + 1] = running_[k] + static_cast<uint64_t>(frequencies[k]);
    }

    // out [things] of n draws
    void draw(int64_t n, int64_t* out) { part(0, running_.size() - 1, n, out); }

private:
    // Halves of the things have a binomial share each.
    void part(size_t first, size_t last, int64_t n, int64_t* out) {
        if (last - first == 1) {
            out[first] = n;
            return;
        }
        const size_t middle = first + (last - first) / 2;
        const int64_t left = binomial(n, running_[middle] - running_[first], running_[last] - running_[first]);
        part(first, middle, left, out);
        part(middle, last, n - left, out);
    }

    // How many of n random numbers between 0 and 1 are below share / whole: all are compared with it at once, binary
    // digit by digit, until none is left whose digits so far are the same.
    int64_t binomial(int64_t n, uint64_t share, uint64_t whole) {
        if (share == whole) return n;
        int64_t below = 0;
        while (n > 0 && share > 0) {
            share *= 2;
            const int64_t zeros = coins(n);
            if (share >= whole) share -= whole, below += zeros, n -= zeros;
            else n = zeros;
        }
        return below;
    }

    int64_t coins(int64_t n) {
        int64_t heads = 0;
        for (; n >= 64; n -= 64) heads += std::popcount(random_.next());
        return n ? heads + std::popcount(random_.next() >> (64 - n)) : heads;
    }

    std::vector<uint64_t> running_;
    Random random_;
};

}  // namespace dovetail
