// Pools of models: expectations under weighted sums of the scores of several models, with a bias for each label and
// each transition. Weights and biases are fitted by many evaluations over the same text, so scores are laid out once.
#pragma once
#include <cmath>
#include <vector>

#include "chain/constraints.hpp"
#include "chain/posterior.hpp"
#include "core/parallel.hpp"

namespace dovetail {

// Of some text: the sum of log Z, and expected scores by each member and counts of labels and transitions.
struct PoolExpectations {
    double log_z = 0;
    std::vector<double> members, labels, transitions;  // [members], [L], [L x L]

    PoolExpectations(size_t n_members, size_t L) : members(n_members, 0.0), labels(L, 0.0), transitions(L * L, 0.0) {}
    void add(const PoolExpectations& other) {
        log_z += other.log_z;
        const auto sum = [](std::vector<double>& to, const std::vector<double>& from) {
            for (size_t k = 0; k < to.size(); ++k) to[k] += from[k];
        };
        sum(members, other.members), sum(labels, other.labels), sum(transitions, other.transitions);
    }
};

// Sequences with the finite scores of each member, and what is forbidden.
class PoolPart {
public:
    // bounds: of sequences, in tokens. allowed: [tokens x L]. forbidden: 0 or -infinity, [L x L] or [tokens x L x L].
    PoolPart(size_t labels, std::vector<size_t> bounds, const uint8_t* allowed, const std::vector<double>& forbidden)
        : L_(static_cast<int>(labels)), Lp_(padded(L_)), bounds_(std::move(bounds)), mask_(n_tokens() * Lp_, 1) {
        for (size_t t = 0; t < n_tokens(); ++t)
            for (int j = 0; j < L_; ++j) mask_[t * Lp_ + j] = allowed[t * labels + j];
        for (size_t s = 0; s < size(); ++s)
            for (size_t t = bounds_[s]; t < bounds_[s + 1]; ++t) {
                const auto row = mask_.begin() + static_cast<std::ptrdiff_t>(t * Lp_);
                const bool some = std::find(row, row + L_, 0) != row + L_;
                masked_ |= some;
                masked_inside_ |= some && t > bounds_[s] && t + 1 < bounds_[s + 1];
            }
        forbid(forbidden);
    }
    size_t n_labels() const { return static_cast<size_t>(L_); }
    size_t n_tokens() const { return bounds_.back(); }
    size_t n_members() const { return members_.size(); }

    // nodes: [tokens x L]; transitions: [L x L] or [tokens x L x L].
    void add(const double* nodes, const std::vector<double>& transitions) {
        members_.push_back({pad(nodes, n_tokens()), pad(transitions.data(), transitions.size() / n_labels()),
                            transitions.size() > n_labels() * n_labels()});
        varies_ |= members_.back().varies;
    }

    // weights: [members]; bias: [L]; correction: [L x L].
    PoolExpectations expect(const double* weights, const double* bias, const double* correction) const {
        PoolExpectations out(n_members(), n_labels());
        Transitions<double> transitions;
        transitions.shape(L_, legal_);
        const Array<double> rows = pad(correction, L_);
        Array<double> between = rows, label(Lp_, 0.0), counts(matrix(), 0.0), of_labels(Lp_, 0.0);
        std::copy_n(bias, L_, label.begin());
        for (size_t m = 0; m < n_members(); ++m)
            if (!members_[m].varies) add_scaled(weights[m], members_[m].transitions.data(), between.data(), matrix());
        if (!varies_) transitions.set(between.data());
        Work<double> work;
        for (size_t s = 0; s < size(); ++s) {
            const size_t T = bounds_[s + 1] - bounds_[s], first = bounds_[s];
            if (!T) continue;
            score(weights, label, first, T, work);
            if (varies_) vary(weights, between, first, T, transitions);
            const double log_z = posterior(transitions, work, T);
            if (!std::isfinite(log_z)) throw ImpossibleSequence(s);
            out.log_z += log_z;
            for (size_t t = 0; t < T; ++t) add_scaled(1.0, &work.p[t * Lp_], of_labels.data(), Lp_);
            if (T > 1) add_scaled(1.0, work.edge.data(), counts.data(), matrix());
            for (size_t m = 0; m < n_members(); ++m) {
                const Member& member = members_[m];
                out.members[m] += inner(&member.nodes[first * Lp_], work.p.data(), T * Lp_);
                if (member.varies && T > 1)
                    out.members[m] +=
                        inner(&member.transitions[(first + 1) * matrix()], &work.edge_at[matrix()], (T - 1) * matrix());
            }
        }
        for (size_t m = 0; m < n_members(); ++m)
            if (!members_[m].varies) out.members[m] += inner(members_[m].transitions.data(), counts.data(), matrix());
        std::copy_n(of_labels.begin(), L_, out.labels.begin());
        for (int i = 0; i < L_; ++i) std::copy_n(&counts[i * Lp_], L_, &out.transitions[i * n_labels()]);
        return out;
    }

private:
    struct Member {
        Array<double> nodes, transitions;  // rows padded
        bool varies;                       // transitions depend on the token
    };

    size_t size() const { return bounds_.size() - 1; }
    size_t matrix() const { return static_cast<size_t>(L_) * Lp_; }
    Array<double> pad(const double* rows, size_t n) const {
        Array<double> out(n * Lp_, 0.0);
        for (size_t k = 0; k < n; ++k) std::copy_n(rows + k * n_labels(), L_, out.begin() + k * Lp_);
        return out;
    }
    void forbid(const std::vector<double>& forbidden) {
        const size_t cells = n_labels() * n_labels(), n = forbidden.size() / cells;
        const auto finite = [&](size_t m, size_t k) { return forbidden[m * cells + k] == 0; };
        bool any = false, differ = false;
        std::vector<uint8_t> legal(cells, 0);
        for (size_t m = 0; m < n; ++m)
            for (size_t k = 0; k < cells; ++k) legal[k] |= finite(m, k), any |= !finite(m, k);
        for (size_t m = 0; m < n; ++m)
            for (size_t k = 0; k < cells; ++k) differ |= legal[k] && !finite(m, k);
        if (any) legal_ = std::move(legal);
        if (!differ) return;
        // What is forbidden into single tokens keeps labels apart as masks of tokens do.
        forbidden_ = pad(forbidden.data(), forbidden.size() / n_labels());
        varies_ = masked_inside_ = true;
    }
    void score(const double* weights, const Array<double>& bias, size_t first, size_t T, Work<double>& work) const {
        work.size(T, Lp_);
        for (size_t t = 0; t < T; ++t) std::copy(bias.begin(), bias.end(), work.score.begin() + t * Lp_);
        for (size_t m = 0; m < n_members(); ++m)
            add_scaled(weights[m], &members_[m].nodes[first * Lp_], work.score.data(), T * Lp_);
        work.masked = masked_, work.masked_inside = masked_inside_;
        if (masked_) work.mask.assign(&mask_[first * Lp_], &mask_[first * Lp_] + T * Lp_);
    }
    void vary(const double* weights, const Array<double>& between, size_t first, size_t T,
              Transitions<double>& transitions) const {
        transitions.vary(T, between.data());
        const size_t begin = first * matrix(), n = T * matrix();
        for (size_t m = 0; m < n_members(); ++m)
            if (members_[m].varies) add_scaled(weights[m], &members_[m].transitions[begin], transitions.log.data(), n);
        if (!forbidden_.empty()) add_scaled(1.0, &forbidden_[begin], transitions.log.data(), n);
        transitions.prepare(T);
    }
    static void add_scaled(double factor, const double* from, double* to, size_t n) {
        for (size_t k = 0; k < n; k += kLane) store(to + k, fma(factor, load(from + k), load(to + k)));
    }
    static double inner(const double* a, const double* b, size_t n) {
        Vec<double> sum = {};
        for (size_t k = 0; k < n; k += kLane) sum = fma(load(a + k), load(b + k), sum);
        return sum_of<double>(sum);
    }

    int L_, Lp_;
    std::vector<size_t> bounds_;
    std::vector<uint8_t> mask_, legal_;
    Array<double> forbidden_;
    std::vector<Member> members_;
    bool masked_ = false, masked_inside_ = false, varies_ = false;
};

// The sum over parts, in their order whoever computes which.
inline PoolExpectations expect_pool(const std::vector<const PoolPart*>& parts, const double* weights,
                                    const double* bias, const double* correction, int threads) {
    std::vector<PoolExpectations> found(parts.size(), PoolExpectations(0, 0));
    parallel(parts.size(), threads, [&](size_t k, size_t) { found[k] = parts[k]->expect(weights, bias, correction); });
    for (size_t k = 1; k < found.size(); ++k) found[0].add(found[k]);
    return std::move(found[0]);
}

}  // namespace dovetail
