// The k best label sequences, exactly. Best prefixes are known for every label at every token, so a label sequence
// is described by where, seen from its end, it leaves the best way on: a path is its parent up to token t + 1, another
// label than the best at t, and from there the best prefix. The candidate's loss against the best path of all is
//
//   loss = loss(parent) + max_i (alpha_t[i] + into_{t+1}[i][j]) - (alpha_t[y] + into_{t+1}[y][j])
//
// and never less than its parent's. Only as many candidates are kept as may still be wanted: O(k T L) time, and
// memory for little more than the answer.
#pragma once
#include <set>
#include <tuple>

#include "decode.hpp"

namespace dovetail {

class KBest {
public:
    KBest(const Model& model, const Limits& limits)
        : steps_(model.transitions.data(), model.L, limits.constraints.legal), chain_(model, steps_), limits_(limits) {}

    std::vector<int32_t> labels;  // [found x T]
    std::vector<double> loss;     // [found], against the best

    void run(const Batch& batch, size_t s, size_t k) {
        labels.clear(), loss.clear();
        if (k == 0) return;
        chain_.load(batch, s, limits_);
        if (chain_.T == 0) return loss.push_back(0.0);
        if (!best_prefixes(chain_, alpha_)) throw ImpossibleSequence(s);
        follow({0.0, 0, chain_.T, -1}, k);
        while (loss.size() < k && !waiting_.empty()) {
            const Candidate next = *waiting_.begin();
            waiting_.erase(waiting_.begin());
            follow(next, k);
        }
        waiting_.clear();
    }

private:
    struct Candidate {
        double loss;
        size_t parent;  // number of the path it leaves
        size_t t;       // where; T: nowhere, the best path itself
        int label;      // what it has there
        bool operator<(const Candidate& other) const {
            return std::tie(loss, parent, t, label) < std::tie(other.loss, other.parent, other.t, other.label);
        }
    };

    // Writes the candidate's labels down and offers all paths that leave it further to the front.
    void follow(const Candidate& from, size_t k) {
        const size_t T = chain_.T, number = loss.size();
        const int L = chain_.L(), Lp = chain_.Lp();
        labels.resize(labels.size() + T);
        loss.push_back(from.loss);
        int32_t* path = &labels[number * T];
        if (from.t < T) {
            const int32_t* parent = &labels[from.parent * T];
            std::copy(parent + from.t + 1, parent + T, path + from.t + 1);
            path[from.t] = from.label;
        }
        for (size_t t = from.t; t-- > 0;) {
            const double* prefix = &alpha_[t * Lp];
            sum_.assign(prefix, prefix + L);
            if (t + 1 < T) {
                const double* into = chain_.into(t + 1, path[t + 1]);
                for (int j = 0; j < L; ++j) sum_[j] += into[j];
            }
            path[t] = argmax(sum_.data(), L);
            for (int j = 0; j < L; ++j)
                if (j != path[t]) offer({from.loss + (sum_[path[t]] - sum_[j]), number, t, j}, k);
        }
    }
    void offer(const Candidate& candidate, size_t k) {
        if (!std::isfinite(candidate.loss)) return;
        const size_t wanted = k - loss.size();
        if (waiting_.size() >= wanted && (!wanted || !(candidate < *waiting_.rbegin()))) return;
        waiting_.insert(candidate);
        if (waiting_.size() > wanted) waiting_.erase(std::prev(waiting_.end()));
    }

    const Steps<double> steps_;
    Chain<double> chain_;
    const Limits& limits_;
    Array<double> alpha_;
    std::vector<double> sum_;
    std::set<Candidate> waiting_;
};

}  // namespace dovetail
