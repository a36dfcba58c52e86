// Probabilities of events within a sequence, and draws from it. Both walk the posterior as the Markov chain it is:
//
//   P(y_t = j | y_{t-1} = i) = into_t[i][j] (x) full_t[j] / beta_{t-1}[i]
//
// A row of `full` carries the same unknown scale as the row of `beta` made from it, so scales cancel.
#pragma once
#include "chain/decode.hpp"
#include "core/elementary.hpp"
#include "core/label_span.hpp"
#include "core/random.hpp"

namespace dovetail {

// A posterior that has been run, read in logarithms whichever way it was computed.
class MarkovChain {
public:
    // Rows of `full` are rescaled to a sum of 1 in probabilities, to a largest of 0 in logarithms.
    explicit MarkovChain(const Posterior& posterior)
        : w_(posterior.work),
          transitions_(posterior.transitions()),
          T_(posterior.T),
          in_logs_(!(*std::max_element(w_.full.begin(), w_.full.begin() + transitions_.L) > 0)) {}

    size_t T() const { return T_; }
    int L() const { return transitions_.L; }

    // log P(y_t = j) for all j, up to a constant.
    void log_marginal(size_t t, std::vector<double>& out) const {
        out.resize(L());
        for (int j = 0; j < L(); ++j) out[j] = log_of(w_.alpha[at(t, j)]) + log_beta(t, j);
    }
    // log P(y_t = j | y_{t-1} = i) = log_transition(t, i, j) + log_full(t, j) - log_beta(t - 1, i)
    double log_transition(size_t t, int i, int j) const {
        return transitions_.log[cell(t, i, j)] - (in_logs_ ? 0.0 : transitions_.shift);
    }
    double log_full(size_t t, int j) const { return log_of(w_.full[at(t, j)]); }
    double log_beta(size_t t, int i) const { return log_of(w_.beta[at(t, i)]); }

    // P(y_0 = j), and P(y_t = j | y_{t-1} = i) up to a constant, for all j.
    void weights(std::vector<double>& out) const { std::copy_n(w_.p.begin(), L(), out.begin()); }
    void weights(size_t t, int i, std::vector<double>& out) const {
        for (int j = 0; j < L(); ++j)
            out[j] = in_logs_ ? portable::exp(log_transition(t, i, j) + log_full(t, j) - log_beta(t - 1, i))
                              : transitions_.forward[cell(t, i, j)] * w_.full[at(t, j)];
    }

private:
    size_t at(size_t t, int j) const { return t * transitions_.Lp + j; }
    size_t cell(size_t t, int i, int j) const {
        return t * transitions_.stride + static_cast<size_t>(i) * transitions_.Lp + j;
    }
    double log_of(double value) const { return in_logs_ ? value : portable::log(value); }

    const Work<double>& w_;
    const Transitions<double>& transitions_;
    const size_t T_;
    const bool in_logs_;
};

// log P(y_t is in mask_t for all t from begin - 1 to end); masks of tokens outside the sequence are ignored.
inline double span_log_probability(const MarkovChain& chain, const LabelSpan& span) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const int L = chain.L();
    const size_t first = span.begin ? span.begin - 1 : 0, last = std::min(span.end + 1, chain.T());  // [first, last)
    if (first >= last) return 0.0;
    const auto mask = [&](size_t t) { return span.masks + (t + 1 - span.begin) * L; };

    std::vector<double> here, next(L), terms;
    chain.log_marginal(first, here);
    const double all = log_sum_exp(here.data(), here.size());
    for (int j = 0; j < L; ++j) here[j] = mask(first)[j] ? here[j] - all : none;
    for (size_t t = first + 1; t < last; ++t) {
        for (int i = 0; i < L; ++i)
            if (here[i] > none) here[i] -= chain.log_beta(t - 1, i);
        for (int j = 0; j < L; ++j) {
            next[j] = none;
            if (!mask(t)[j]) continue;
            terms.clear();
            for (int i = 0; i < L; ++i)
                if (here[i] > none) terms.push_back(here[i] + chain.log_transition(t, i, j));
            if (!terms.empty()) next[j] = log_sum_exp(terms.data(), terms.size()) + chain.log_full(t, j);
        }
        here.swap(next);
    }
    return std::min(0.0, log_sum_exp(here.data(), here.size()));
}

// One label sequence, front to back, each label drawn given the one before.
class Sampler {
public:
    Sampler(const MarkovChain& chain, uint64_t seed) : chain_(chain), random_(seed), weights_(chain.L()) {}

    void draw(int32_t* labels) {
        for (size_t t = 0; t < chain_.T(); ++t) {
            if (t == 0) chain_.weights(weights_);
            else chain_.weights(t, labels[t - 1], weights_);
            labels[t] = pick();
        }
    }

private:
    // A label with probability proportional to its weight; never one of weight 0.
    int pick() {
        double total = 0;
        for (double weight : weights_) total += weight;
        double left = random_.uniform() * total;
        int chosen = 0;
        for (int j = 0; j < chain_.L(); ++j) {
            if (!(weights_[j] > 0)) continue;
            chosen = j;
            if ((left -= weights_[j]) < 0) break;
        }
        return chosen;
    }
    const MarkovChain& chain_;
    Random random_;
    std::vector<double> weights_;
};

}  // namespace dovetail
