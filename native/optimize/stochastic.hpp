// Stochastic gradient descent on the same loss: a quick start where the dual cannot be used (partial labels, label
// weights, features on transitions, too little memory). Weight decay is applied to all weights 32 times an epoch.
#pragma once
#include "chain/problem.hpp"
#include "core/elementary.hpp"
#include "core/random.hpp"

namespace dovetail {

class Stochastic {
public:
    Stochastic(std::shared_ptr<const Problem> problem, double c2, const double* w)
        : problem_(std::move(problem)),
          loss_(*problem_, problem_->program()),
          c2_(c2),
          transitions_(problem_->layout.weighted_transitions()),
          weights_(problem_->layout.buffer_size(), 0.0f) {
        problem_->layout.place(w, weights_.data());
    }

    // One pass in random order with a fixed rate. Returns the sum of losses met on the way.
    double epoch(double rate, uint64_t seed) {
        const size_t n = problem_->size(), block = std::max<size_t>(1, n / 32);
        double total = 0;
        size_t since = 0;
        for (uint32_t s : shuffled(n, seed)) {
            if (problem_->length(s)) total += visit(s, rate);
            if (++since == block) decay(rate, since), since = 0;
        }
        decay(rate, since);
        return total;
    }
    void weights(double* w) const {
        for (size_t k = 0; k < problem_->layout.size(); ++k) w[k] = weights_[problem_->layout.slot[k]];
    }
    // All that an epoch leaves to the next.
    template <class Visit> void each_part(Visit visit) { visit("weights", weights_); }

private:
    double visit(size_t s, double rate) {
        loss_.set_transitions(weights_.data());
        const double weight = problem_->weight(s), loss = loss_.residuals(s, weights_.data());
        loss_.template scatter<true>(s, weights_.data(), static_cast<float>(-rate * weight));
        float* transitions = &weights_[problem_->layout.transitions_at()];
        for (uint32_t k : transitions_) transitions[k] += loss_.work.edge[k];
        return weight * loss;
    }
    void decay(double rate, size_t visits) {
        const auto factor = static_cast<float>(
            portable::exp(-2 * c2_ * rate * static_cast<double>(visits) / static_cast<double>(problem_->size())));
        for (float& w : weights_) w *= factor;
    }

    std::shared_ptr<const Problem> problem_;
    SequenceLoss<float> loss_;
    const double c2_;
    const std::vector<uint32_t> transitions_;
    Array<float> weights_;
};

}  // namespace dovetail
