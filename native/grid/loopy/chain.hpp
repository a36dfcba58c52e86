// One chain of a grid with messages from outside, and the sums and maxima over pairs of labels that messages are made
// of.
//
// Everything is a log. Sums over a matrix of scores are products with their exponentials, taken once; where such a
// product leaves the range of numbers, that entry is summed up again in logs.
#pragma once
#include "core/elementary.hpp"
#include "grid/exponentials.hpp"

namespace dovetail {

struct SumOf {
    static constexpr bool is_max = false;
};
struct MaxOf {
    static constexpr bool is_max = true;
};

struct PairScores {
    const double *log, *linear;  // [first x second]
    double peak;
    size_t first, second;
};
constexpr double kTooSmall = 1e-250;

// out[y] = (+)_x in[x] + score[x][y]
template <class Sum>
void toward_second(const PairScores& pair, const double* in, double* out, std::vector<double>& room) {
    const size_t A = pair.first, B = pair.second;
    if constexpr (Sum::is_max) {
        std::fill(out, out + B, kForbidden);
        for (size_t x = 0; x < A; ++x)
            for (size_t y = 0; y < B; ++y) out[y] = std::max(out[y], in[x] + pair.log[x * B + y]);
        return;
    }
    const double high = *std::max_element(in, in + A);
    if (high == kForbidden) return std::fill(out, out + B, kForbidden);
    room.resize(2 * A);
    exponentials(in, high, room.data(), A);
    std::fill(out, out + B, 0.0);
    for (size_t x = 0; x < A; ++x)
        if (room[x] > 0)
            for (size_t y = 0; y < B; ++y) out[y] += room[x] * pair.linear[x * B + y];
    for (size_t y = 0; y < B; ++y) {
        if (out[y] > kTooSmall) {
            out[y] = portable::log(out[y]) + high + pair.peak;
            continue;
        }
        for (size_t x = 0; x < A; ++x) room[A + x] = in[x] + pair.log[x * B + y];
        out[y] = log_sum(&room[A], A);
    }
}
// out[x] = (+)_y in[y] + score[x][y]
template <class Sum>
void toward_first(const PairScores& pair, const double* in, double* out, std::vector<double>& room) {
    const size_t A = pair.first, B = pair.second;
    if constexpr (Sum::is_max) {
        for (size_t x = 0; x < A; ++x) {
            out[x] = kForbidden;
            for (size_t y = 0; y < B; ++y) out[x] = std::max(out[x], in[y] + pair.log[x * B + y]);
        }
        return;
    }
    const double high = *std::max_element(in, in + B);
    if (high == kForbidden) return std::fill(out, out + A, kForbidden);
    room.resize(2 * B);
    exponentials(in, high, room.data(), B);
    for (size_t x = 0; x < A; ++x) {
        const double* row = pair.linear + x * B;
        size_t y = 0;
        Vec<double> sums{};
        for (; y + kLane <= B; y += kLane) sums = fma(load(&room[y]), load(row + y), sums);
        double sum = sum_of<double>(sums);
        for (; y < B; ++y) sum += room[y] * row[y];
        if (sum > kTooSmall) {
            out[x] = portable::log(sum) + high + pair.peak;
            continue;
        }
        for (y = 0; y < B; ++y) room[B + y] = in[y] + pair.log[x * B + y];
        out[x] = log_sum(&room[B], B);
    }
}

template <class Sum> class LoopyChain {
public:
    // `transitions` has those that are the same for all tokens; others are taken here. Of a conditioned chain they
    // change with the messages of what they are given.
    LoopyChain(const GridView& view, size_t layer, const ExponentialScores& transitions, bool conditioned)
        : view_(view),
          layer_(layer),
          L_(view.L(layer)),
          shared_(&transitions),
          own_(!Sum::is_max && (transitions.empty() || conditioned) ? view.T : 0, L_ * L_),
          changed_(conditioned ? view.T * L_ * L_ : 0),
          messages_(view.T * L_, 0.0),
          forward_(view.T * L_, 0.0),
          backward_(view.T * L_, 0.0),
          prior_(view.T * L_),
          belief_(view.T * L_, 0.0),
          here_(L_),
          next_(L_) {
        for (size_t t = 1; t < view.T; ++t) set_transitions(t, view.transition(layer, t));
    }
    void set_transitions(size_t t, const double* scores) {
        if (!changed_.empty()) std::copy_n(scores, L_ * L_, &changed_[t * L_ * L_]);
        own_.set(t, scores);
    }
    // What the chain says about the labels at t - 1 and t without the transition between them, [L x L].
    void pair_prior(size_t t, double* to) const {
        for (size_t x = 0; x < L_; ++x)
            for (size_t y = 0; y < L_; ++y)
                to[x * L_ + y] = forward_[(t - 1) * L_ + x] + local(t - 1, x) + local(t, y) + backward_[t * L_ + y];
    }
    void clear_messages() { std::fill(messages_.begin(), messages_.end(), 0.0); }
    double* messages(size_t t) { return &messages_[t * L_]; }
    // What the chain says about a token, without the messages to that token.
    const double* prior(size_t t) const { return &prior_[t * L_]; }
    double change() const { return change_; }

    // Forward and backward. False if nothing is allowed.
    bool run() {
        log_z_ = 0, change_ = 0;
        for (size_t t = 0; t < view_.T; ++t) {
            double* incoming = &forward_[t * L_];
            if (t) toward_second<Sum>(transitions(t), here_.data(), incoming, room_);
            for (size_t y = 0; y < L_; ++y) here_[y] = incoming[y] + local(t, y);
            const double high = lower_to_zero(here_.data(), L_);
            if (high == kForbidden) return false;
            log_z_ += high;
        }
        if (view_.T) log_z_ += log_sum(here_.data(), L_);
        std::fill(next_.begin(), next_.end(), 0.0);
        for (size_t t = view_.T; t-- > 0;) {
            if (t + 1 < view_.T) {
                for (size_t y = 0; y < L_; ++y) here_[y] = next_[y] + local(t + 1, y);
                toward_first<Sum>(transitions(t + 1), here_.data(), next_.data(), room_);
                if (lower_to_zero(next_.data(), L_) == kForbidden) return false;
            }
            std::copy(next_.begin(), next_.end(), &backward_[t * L_]);
            set_belief(t);
        }
        return true;
    }
    // Beliefs of labels and transitions; log Z of the chain with its messages.
    double beliefs(SequenceExpectations& to) {
        for (size_t t = 0; t < view_.T; ++t) {
            std::copy_n(&belief_[t * L_], L_, to.labels(layer_, t));
            if (t) add_transitions(t, to.transitions(layer_, t));
        }
        return log_z_;
    }

private:
    double local(size_t t, size_t y) const { return view_.node(layer_, t)[y] + messages_[t * L_ + y]; }
    PairScores transitions(size_t t) const {
        const bool own = !own_.empty();
        return {scores(t), own ? own_.at(t) : shared_->at(0), own ? own_.peak(t) : shared_->peak(0), L_, L_};
    }
    const double* scores(size_t t) const {
        return changed_.empty() ? view_.transition(layer_, t) : &changed_[t * L_ * L_];
    }
    void set_belief(size_t t) {
        double* prior = &prior_[t * L_];
        double* belief = &belief_[t * L_];
        for (size_t y = 0; y < L_; ++y) {
            prior[y] = view_.node(layer_, t)[y] + forward_[t * L_ + y] + next_[y];
            here_[y] = prior[y] + messages_[t * L_ + y];
        }
        const double sum = Sum::is_max ? *std::max_element(here_.begin(), here_.end()) : log_sum(here_.data(), L_);
        exponentials(here_.data(), sum, here_.data(), L_);
        for (size_t y = 0; y < L_; ++y) {
            change_ = std::max(change_, std::abs(here_[y] - belief[y]));
            belief[y] = here_[y];
        }
    }
    // Pairs of neighbouring labels: what came into t - 1 and its messages, the transition, what t knows but from there.
    void add_transitions(size_t t, double* to) {
        pairs_.resize(L_ * L_);
        const double* transition = scores(t);
        for (size_t y = 0; y < L_; ++y) {
            const double seen = forward_[t * L_ + y];
            next_[y] = seen == kForbidden ? kForbidden : prior_[t * L_ + y] - seen + messages_[t * L_ + y];
        }
        for (size_t x = 0; x < L_; ++x) {
            const double before = forward_[(t - 1) * L_ + x] + local(t - 1, x);
            for (size_t y = 0; y < L_; ++y) pairs_[x * L_ + y] = before + transition[x * L_ + y] + next_[y];
        }
        exponentials(pairs_.data(), log_sum(pairs_.data(), L_ * L_), pairs_.data(), L_ * L_);
        for (size_t k = 0; k < L_ * L_; ++k) to[k] += pairs_[k];
    }

    const GridView& view_;
    size_t layer_, L_;
    const ExponentialScores* shared_;
    ExponentialScores own_;
    std::vector<double> changed_;                                         // [T x L x L] or none
    std::vector<double> messages_, forward_, backward_, prior_, belief_;  // [T x L]
    std::vector<double> here_, next_, room_, pairs_;
    double log_z_ = 0, change_ = 0;
};

// The best path of a layer whose labels have these scores, by Viterbi; transitions(t) are those into a token. Scores of
// transitions below the floor count as the floor. The path replaces the labels if it is better than they are, or at
// once; returns whether it does.
template <class Transitions>
bool improve_path(size_t T, size_t L, const double* scores, Transitions transitions, double floor, int32_t* labels,
                  bool at_once) {
    if (!T) return false;
    std::vector<double> here(scores, scores + L), next(L);
    std::vector<int32_t> from(T * L, 0);
    double now = scores[labels[0]];
    for (size_t t = 1; t < T; ++t, here.swap(next)) {
        const double* transition = transitions(t);
        std::fill(next.begin(), next.end(), kForbidden);
        for (size_t x = 0; x < L; ++x)
            for (size_t y = 0; y < L; ++y) {
                const double value = here[x] + std::max(transition[x * L + y], floor);
                if (value > next[y]) next[y] = value, from[t * L + y] = static_cast<int32_t>(x);
            }
        for (size_t y = 0; y < L; ++y) next[y] += scores[t * L + y];
        now += std::max(transition[static_cast<size_t>(labels[t - 1]) * L + static_cast<size_t>(labels[t])], floor) +
               scores[t * L + static_cast<size_t>(labels[t])];
    }
    const auto best = std::max_element(here.begin(), here.end());
    const double least_gain = 1e-12 * (std::abs(*best) + 1);
    if (!at_once && !(*best > now + least_gain)) return false;
    labels[T - 1] = static_cast<int32_t>(best - here.begin());
    for (size_t t = T - 1; t > 0; --t) labels[t - 1] = from[t * L + static_cast<size_t>(labels[t])];
    return true;
}

}  // namespace dovetail
