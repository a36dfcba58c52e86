// The limited-memory inverse Hessian of L-BFGS: pairs (s, y) and the two-loop product with a gradient.
#pragma once
#include <cmath>
#include <deque>
#include <vector>

namespace dovetail {

class LbfgsHistory {
public:
    LbfgsHistory(size_t size, int memory) : size_(size), memory_(static_cast<size_t>(memory)) {}
    size_t size() const { return size_; }

    // s = step, y = change of gradient; refused (false) unless s.y is safely positive.
    bool push(const double* s, const double* y) {
        const double sy = dot(s, y), yy = dot(y, y);
        if (!(sy > 1e-12 * yy) || !std::isfinite(sy)) return false;
        Pair pair = pairs_.size() == memory_ ? std::move(pairs_.front()) : Pair{};
        if (pairs_.size() == memory_) pairs_.pop_front();
        pair.s.assign(s, s + size_);
        pair.y.assign(y, y + size_);
        pair.rho = 1 / sy;
        pairs_.push_back(std::move(pair));
        return true;
    }
    void clear() { pairs_.clear(); }

    // direction = -H g. The initial H is inverse_diagonal, or the identity where that is null, times the factor that
    // fits it to the curvature met last: s.y / y.(H y).
    void direction(const double* g, const double* inverse_diagonal, double* out) const {
        std::vector<double> a(pairs_.size());
        for (size_t k = 0; k < size_; ++k) out[k] = -g[k];
        for (size_t i = pairs_.size(); i-- > 0;) {
            a[i] = pairs_[i].rho * dot(pairs_[i].s.data(), out);
            axpy(-a[i], pairs_[i].y.data(), out);
        }
        const double fit = pairs_.empty()
                               ? 1.0
                               : 1.0 / (pairs_.back().rho * weighted_square(pairs_.back().y.data(), inverse_diagonal));
        for (size_t k = 0; k < size_; ++k) out[k] *= fit * (inverse_diagonal ? inverse_diagonal[k] : 1.0);
        for (size_t i = 0; i < pairs_.size(); ++i) {
            const double b = pairs_[i].rho * dot(pairs_[i].y.data(), out);
            axpy(a[i] - b, pairs_[i].s.data(), out);
        }
    }
    struct Pair {
        std::vector<float> s, y;  // single precision: they only shape the model of the curvature
        double rho = 0;
    };
    const std::deque<Pair>& pairs() const { return pairs_; }
    void restore(std::deque<Pair> pairs) { pairs_ = std::move(pairs); }

private:
    // Eight partial sums in fixed order.
    template <class A> double dot(const A* a, const double* b) const {
        double sum[8] = {};
        size_t k = 0;
        for (; k + 8 <= size_; k += 8)
            for (size_t i = 0; i < 8; ++i) sum[i] += static_cast<double>(a[k + i]) * b[k + i];
        for (; k < size_; ++k) sum[0] += static_cast<double>(a[k]) * b[k];
        return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
    }
    double weighted_square(const float* y, const double* weight) const {
        double sum[8] = {};
        for (size_t k = 0; k < size_; ++k) sum[k % 8] += (weight ? weight[k] : 1.0) * static_cast<double>(y[k]) * y[k];
        return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
    }
    void axpy(double factor, const float* x, double* y) const {
        for (size_t k = 0; k < size_; ++k) y[k] += factor * static_cast<double>(x[k]);
    }
    size_t size_, memory_;
    std::deque<Pair> pairs_;
};

}  // namespace dovetail
