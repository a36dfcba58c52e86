// The k best label sequences: O(k T L) time, and memory for little more than the answer. Another label y than the best
// before a label j costs
//
//   max_i (alpha_t[i] + into_{t+1}[i][j]) - (alpha_t[y] + into_{t+1}[y][j])
#pragma once
#include "chain/decode.hpp"
#include "core/kbest.hpp"

namespace dovetail {

class KBest {
public:
    KBest(const Model& model, const Limits& limits)
        : transitions_(model.transitions.data(), model.L, limits.constraints.legal),
          chain_(model, transitions_),
          limits_(limits) {}

    std::vector<int32_t> labels;  // [found x T]
    std::vector<double> scores;   // [found], best first

    void run(const Batch& batch, size_t s, size_t k) {
        labels.clear(), scores.clear();
        if (k == 0) return;
        chain_.load(batch, s, limits_);
        if (chain_.T && !best_prefixes(chain_, alpha_)) throw ImpossibleSequence(s);
        KBestPaths<int32_t> search;
        search.run(chain_.T, k, *this);
        labels = std::move(search.paths), scores = std::move(search.loss);
        const double best = path_score(TokenScorer<double>(*batch.model), batch, s, labels.data(), limits_);
        for (double& score : scores) score = best - score;
    }

private:
    friend class KBestPaths<int32_t>;
    int32_t best(size_t t, const int32_t* path) {
        const double* prefix = &alpha_[t * chain_.Lp()];
        sum_.assign(prefix, prefix + chain_.L());
        if (t + 1 < chain_.T) {
            const double* into = chain_.into(t + 1, path[t + 1]);
            for (int j = 0; j < chain_.L(); ++j) sum_[j] += into[j];
        }
        return best_ = argmax(sum_.data(), chain_.L());
    }
    template <class Worst, class Visit> void each_other(double loss, Worst, Visit visit) const {
        for (int j = 0; j < chain_.L(); ++j)
            if (j != best_) visit(j, loss + (sum_[best_] - sum_[j]));
    }

    const PaddedTransitions<double> transitions_;
    Chain<double> chain_;
    const Limits& limits_;
    Array<double> alpha_;
    std::vector<double> sum_;
    int best_ = 0;
};

}  // namespace dovetail
