// The best states of each sequence under a hidden Markov model; among equals the lower state, from the last token on.
#pragma once
#include "core/elementary.hpp"
#include "hmm/tables.hpp"

namespace dovetail {

class HmmViterbi {
public:
    HmmViterbi(const HmmPlan& plan, const HmmParameters& from, const HmmCosts& costs)
        : plan_(plan), from_(from), costs_(costs), K_(from.K), Kp_(padded_states(K_)) {
        transition_.assign(size_t(K_) * Kp_, kNever);
        for (int i = 0; i < K_; ++i)
            for (int j = 0; j < K_; ++j) transition_[size_t(i) * Kp_ + j] = log_of(from.transition[size_t(i) * K_ + j]);
    }

    void run(int threads, int32_t* states) const {
        parallel(plan_.chunks.size(), threads, [&](size_t c, size_t) {
            const HmmChunk& chunk = plan_.chunks[c];
            Array<double> best(Kp_, kNever), next(Kp_, kNever);
            Array<double> from(Kp_);
            std::vector<uint16_t> back(chunk.n_steps * Kp_);
            for (size_t b = 0; b < chunk.end_sequence - chunk.first_sequence; ++b)
                decode(chunk, b, best, next, from, back, states);
        });
    }

private:
    static constexpr double kNever = -1e300;

    const HmmPlan& plan_;
    const HmmParameters& from_;
    const HmmCosts& costs_;
    const int K_, Kp_;
    Array<double> transition_;

    static double log_of(double p) { return p > 0 ? portable::log(p) : kNever; }

    double emission(size_t row, int k) const {
        const size_t token = plan_.token[row];
        double score = log_of(from_.emit[size_t{plan_.word[row]} * K_ + k]);
        for (const HmmCost& cost : costs_.tables)
            if (cost.codes[token] >= 0) score -= cost.table[static_cast<size_t>(cost.codes[token]) * K_ + k];
        return costs_.each ? score - costs_.each[token * K_ + k] : score;
    }

    void decode(const HmmChunk& chunk, size_t b, Array<double>& best, Array<double>& next, Array<double>& from,
                std::vector<uint16_t>& back, int32_t* states) const {
        const uint64_t* steps = plan_.steps.data() + chunk.first_step;
        size_t T = 0;
        while (T < chunk.n_steps && steps[T] + b < steps[T + 1]) ++T;
        for (int k = 0; k < K_; ++k) best[k] = log_of(from_.start[k]) + emission(steps[0] + b, k);
        for (size_t t = 1; t < T; ++t) {
            advance(best.data(), next.data(), from.data());
            for (int k = 0; k < K_; ++k) {
                next[k] = std::max(next[k] + emission(steps[t] + b, k), kNever);
                back[t * Kp_ + k] = static_cast<uint16_t>(from[k]);
            }
            best.swap(next);
        }
        int state = static_cast<int>(std::max_element(best.begin(), best.begin() + K_) - best.begin());
        for (size_t t = T; t-- > 0;) {
            states[plan_.token[steps[t] + b]] = state;
            if (t) state = back[t * Kp_ + state];
        }
    }

    // next[j] = max_i best[i] + transition[i][j], and that i.
    void advance(const double* best, double* next, double* from) const {
        for (int j = 0; j < Kp_; j += kLane) {
            Vec<double> most = best[0] + load(&transition_[j]), which{};
            for (int i = 1; i < K_; ++i) {
                const Vec<double> score = best[i] + load(&transition_[size_t(i) * Kp_ + j]);
                const auto better = score > most;
                most = select(better, score, most);
                which = select(better, splat(static_cast<double>(i)), which);
            }
            store(next + j, most);
            store(from + j, which);
        }
    }
};

}  // namespace dovetail
