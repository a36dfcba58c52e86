// From log-scores to probabilities and back.
#pragma once
#include <cmath>

#include "core/elementary.hpp"
#include "core/simd.hpp"
#include "grid/results.hpp"

namespace dovetail {

// to = exp(from - shift)
inline void exponentials(const double* from, double shift, double* to, size_t n) {
    size_t k = 0;
    for (; k + kLane <= n; k += kLane) store(to + k, exp(load(from + k) - shift));
    for (; k < n; ++k) to[k] = portable::exp(from[k] - shift);
}
inline double log_sum(const double* values, size_t n) {
    const double high = *std::max_element(values, values + n);
    if (high == kForbidden) return high;
    double sum = 0;
    size_t k = 0;
    Vec<double> sums{};
    for (; k + kLane <= n; k += kLane) sums += exp(load(values + k) - high);
    for (; k < n; ++k) sum += portable::exp(values[k] - high);
    return high + portable::log(sum + sum_of<double>(sums));
}
// Takes the maximum out of values; returns it.
inline double lower_to_zero(double* values, size_t n) {
    const double high = *std::max_element(values, values + n);
    if (high != kForbidden)
        for (size_t k = 0; k < n; ++k) values[k] -= high;
    return high;
}

// exp(scores - peak) of a matrix at each token.
class ExponentialScores {
public:
    ExponentialScores(size_t tokens, size_t size) : size_(size), values_(tokens * size), peaks_(tokens) {}
    void set(size_t t, const double* scores) {
        if (t >= peaks_.size()) return;
        const double high = *std::max_element(scores, scores + size_);
        peaks_[t] = high == kForbidden ? 0.0 : high;
        exponentials(scores, peaks_[t], &values_[t * size_], size_);
    }
    bool empty() const { return peaks_.empty(); }
    const double* at(size_t t) const { return empty() ? nullptr : &values_[t * size_]; }
    double peak(size_t t) const { return empty() ? 0.0 : peaks_[t]; }

private:
    size_t size_;
    std::vector<double> values_, peaks_;
};

// Transitions of each layer, where they are the same for all tokens.
inline std::vector<ExponentialScores> exponential_transitions(const Grids& grids) {
    std::vector<ExponentialScores> out;
    for (size_t i = 0; i < grids.layers(); ++i) {
        out.emplace_back(grids.transition[i].each_token ? 0 : 1, grids.labels[i] * grids.labels[i]);
        if (!grids.transition[i].each_token) out.back().set(0, grids.transition[i].score);
    }
    return out;
}

}  // namespace dovetail
