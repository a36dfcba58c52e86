// The averaged structured perceptron (Collins 2002): decode, and where the answer is wrong move the weights by the
// difference of feature counts. The average over all visits is w - u / c, with u the updates weighted by their time c;
// u is kept in double precision, where such sums of whole numbers stay exact however long a training is.
#pragma once
#include "chain/problem.hpp"
#include "core/random.hpp"

namespace dovetail {

class Perceptron {
public:
    explicit Perceptron(std::shared_ptr<const Problem> problem, const double* w)
        : problem_(std::move(problem)),
          loss_(*problem_, problem_->program()),
          transitions_(problem_->layout.weighted_transitions()),
          weights_(problem_->layout.buffer_size(), 0.0f),
          timed_(weights_.size(), 0.0) {
        problem_->layout.place(w, weights_.data());
    }

    // One pass in random order; returns the share of wrong labels met on the way.
    double epoch(uint64_t seed) {
        size_t wrong = 0, tokens = 0;
        for (uint32_t s : shuffled(problem_->size(), seed)) {
            if (!problem_->length(s) || !problem_->full[s]) continue;
            wrong += visit(s);
            tokens += problem_->length(s);
        }
        return tokens ? static_cast<double>(wrong) / static_cast<double>(tokens) : 0.0;
    }
    void average(double* w) const {
        for (size_t k = 0; k < problem_->layout.size(); ++k) {
            const size_t at = problem_->layout.slot[k];
            w[k] = weights_[at] - timed_[at] / clock_;
        }
    }
    // All that an epoch leaves to the next.
    template <class Visit> void each_part(Visit visit) {
        visit("weights", weights_), visit("timed", timed_), visit("clock", clock_);
    }

private:
    size_t visit(size_t s) {
        const size_t T = problem_->length(s);
        const int L = problem_->L(), Lp = problem_->Lp();
        const int32_t* gold = &problem_->data->gold[problem_->begin(s)];
        loss_.set_transitions(weights_.data());
        loss_.score(s, weights_.data());
        loss_.mask(s, false);
        float spread;
        if (!std::isfinite(exponentiate(loss_.work, T, L, Lp, spread))) throw ImpossibleSequence(s);
        const Transitions<float>& transitions = loss_.transitions;
        const Recursion<MaxPlus<float>> chain{
            L, Lp, T, loss_.work.score.data(), {transitions.log.data(), nullptr, transitions.stride}};
        chain.forward(loss_.work.alpha.data());
        const std::vector<int32_t> best = trace_back(T, transitions);

        size_t wrong = 0;
        Work<float>& work = loss_.work;
        std::fill_n(work.p.begin(), T * Lp, 0.0f);
        work.edge.assign(static_cast<size_t>(L) * Lp, 0.0f);
        if (transitions.stride) work.edge_at.assign(T * transitions.stride, 0.0f);
        for (size_t t = 0; t < T; ++t) {
            if (!std::isfinite(work.score[t * Lp + gold[t]])) throw ImpossibleSequence(s);
            wrong += best[t] != gold[t];
            work.p[t * Lp + gold[t]] += 1;
            work.p[t * Lp + best[t]] -= 1;
            if (!t) continue;
            const size_t right = static_cast<size_t>(gold[t - 1]) * Lp + gold[t],
                         chosen = static_cast<size_t>(best[t - 1]) * Lp + best[t];
            if (!std::isfinite(transitions.log[t * transitions.stride + right])) throw ImpossibleSequence(s);
            work.edge[right] += 1, work.edge[chosen] -= 1;
            if (transitions.stride)
                work.edge_at[t * transitions.stride + right] += 1, work.edge_at[t * transitions.stride + chosen] -= 1;
        }
        if (wrong) update(s);
        ++clock_;
        return wrong;
    }
    std::vector<int32_t> trace_back(size_t T, const Transitions<float>& transitions) const {
        const int L = problem_->L(), Lp = problem_->Lp();
        const float* alpha = loss_.work.alpha.data();
        std::vector<int32_t> best(T);
        best[T - 1] = static_cast<int32_t>(std::max_element(alpha + (T - 1) * Lp, alpha + (T - 1) * Lp + L) -
                                           (alpha + (T - 1) * Lp));
        for (size_t t = T - 1; t > 0; --t) {
            const float* into = &transitions.log[t * transitions.stride];
            float high = -std::numeric_limits<float>::infinity();
            for (int i = 0; i < L; ++i)
                if (const float value = alpha[(t - 1) * Lp + i] + into[i * Lp + best[t]]; value > high)
                    high = value, best[t - 1] = i;
        }
        return best;
    }
    void update(size_t s) {
        loss_.template scatter<true>(s, weights_.data(), 1.0f);
        const Layout& layout = problem_->layout;
        const Work<float>& work = loss_.work;
        for (uint32_t k : transitions_) {
            weights_[layout.transitions_at() + k] += work.edge[k];
            timed_[layout.transitions_at() + k] += clock_ * work.edge[k];
        }
        const size_t Lp = static_cast<size_t>(layout.Lp), stride = loss_.transitions.stride;
        for (size_t t = 0; t < problem_->length(s); ++t) {
            const size_t token = problem_->begin(s) + t;
            scatter_token<true>(problem_->program(), layout, timed_.data(), token, at_this_time(&work.p[t * Lp], Lp));
            if (stride && t)
                scatter_transitions(problem_->program(), layout, timed_.data(), token,
                                    at_this_time(&work.edge_at[t * stride], stride));
        }
    }
    const double* at_this_time(const float* change, size_t size) {
        weighted_.resize(size);
        for (size_t k = 0; k < size; ++k) weighted_[k] = clock_ * change[k];
        return weighted_.data();
    }

    std::shared_ptr<const Problem> problem_;
    SequenceLoss<float> loss_;
    const std::vector<uint32_t> transitions_;
    Array<float> weights_;
    Array<double> timed_, weighted_;
    double clock_ = 1;
};

}  // namespace dovetail
