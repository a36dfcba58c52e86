// log Z and expectations of one sequence from its label scores.
//
//   p_t[j]     = alpha_t[j] beta_t[j] / z_t,                        z_t = sum_j alpha_t[j] beta_t[j]
//   edge[i][j] = sum_t  alpha_t[i] / z_t * M[i][j] * full_{t+1}[j]
//
// Single precision is used where it provably cannot underflow, else double, else logarithms.
#pragma once
#include <memory>
#include <vector>

#include "chain/recursion.hpp"
#include "core/elementary.hpp"
#include "core/memory.hpp"

namespace dovetail {

// Transition scores of a chain, prepared for the recursion. Illegal ones have score -infinity.
template <class R> struct Transitions {
    int L = 0, Lp = 0;
    Array<R> log;                  // [L x Lp], or [T x L x Lp] where transitions depend on the token
    Array<R> forward, transposed;  // exp(log - shift) and its transpose, of the same shape
    R shift = 0, range = 0;
    size_t stride = 0;
    int steps = 1;  // transitions after which any label can follow any other: bounds how far alphas drift apart

    void shape(int labels, const std::vector<uint8_t>& legal) {
        L = labels;
        Lp = padded(labels);
        steps = legal.empty() ? 1 : mixing_steps(legal);
        legal_ = legal.empty() ? nullptr : legal.data();
    }
    // One matrix for every token.
    void set(const R* scores) {
        stride = 0;
        log.assign(scores, scores + static_cast<size_t>(L) * Lp);
        prepare(1);
    }
    // A matrix a token, to be filled into `log` by the caller before `prepare(T)`.
    void vary(size_t T, const R* scores) {
        stride = static_cast<size_t>(L) * Lp;
        log.resize(T * stride);
        for (size_t t = 0; t < T; ++t) std::copy(scores, scores + stride, log.begin() + t * stride);
    }
    void prepare(size_t matrices) {
        const size_t size = static_cast<size_t>(L) * Lp;
        forward.resize(matrices * size);
        transposed.resize(matrices * size);
        constexpr R infinity = std::numeric_limits<R>::infinity();
        Vec<R> low = splat(infinity), high = -low;
        const auto last = lanes<R>(static_cast<uint8_t>((1u << (L - (Lp - kLane))) - 1));
        for (size_t row = 0; row < matrices * L; ++row) {
            R* scores = &log[row * Lp];
            if (legal_)
                for (int j = 0; j < L; ++j)
                    if (!legal_[row % L * L + j]) scores[j] = -infinity;
            store(scores + Lp - kLane, select(last, load(scores + Lp - kLane), splat(-infinity)));
            for (int j = 0; j < Lp; j += kLane) {
                const Vec<R> value = load(scores + j);
                high = larger<R>(high, value);
                low = smaller(low, select(value > -infinity, value, splat(infinity)));
            }
        }
        const bool any = largest_of<R>(high) > -infinity;
        shift = any ? largest_of<R>(high) : R(0);
        range = any ? shift - smallest_of<R>(low) : R(0);
        for (size_t m = 0; m < matrices; ++m) {
            R *to = &forward[m * size], *across = &transposed[m * size];
            for (size_t k = 0; k < size; k += kLane) store(to + k, exp(load(&log[m * size + k]) - shift));
            for (int i = 0; i < L; ++i)
                for (int j = 0; j < L; ++j) across[j * Lp + i] = to[i * Lp + j];
        }
    }
    Edges<R> edges() const { return {forward.data(), transposed.data(), stride}; }
    bool constrained() const { return legal_ != nullptr; }
    const uint8_t* legal() const { return legal_; }
    void share_legality(const uint8_t* legal) { legal_ = legal; }

private:
    int mixing_steps(const std::vector<uint8_t>& legal) const {
        std::vector<uint8_t> reachable = legal, next(reachable.size());
        for (int n = 1; n <= 4; ++n) {
            if (std::find(reachable.begin(), reachable.end(), 0) == reachable.end()) return n;
            std::fill(next.begin(), next.end(), 0);
            for (int i = 0; i < L; ++i)
                for (int k = 0; k < L; ++k)
                    if (reachable[i * L + k])
                        for (int j = 0; j < L; ++j) next[i * L + j] |= legal[k * L + j];
            reachable.swap(next);
        }
        return 1 << 20;  // no bound: logarithms it is
    }
    const uint8_t* legal_ = nullptr;
};

// Scratch space of one thread; grows to the longest sequence and is then reused.
template <class R> struct Work {
    Array<R> score;              // [T x Lp] in
    std::vector<uint8_t> mask;   // [T x Lp] in, if masked: labels a token may take
    bool masked = false;         // anywhere, the sequence's ends included
    bool masked_inside = false;  // at single tokens
    Array<R> node, alpha, beta, full;
    Array<R> p;        // [T x Lp] out: label marginals
    Array<R> edge;     // [L x Lp] out: expected transitions
    Array<R> edge_at;  // [T x L x Lp] out, where transitions depend on the token
    std::unique_ptr<Work<double>> wide;
    std::unique_ptr<Transitions<double>> wide_transitions;

    void size(size_t T, int Lp) {
        for (auto* rows : {&score, &node, &alpha, &beta, &full, &p})
            if (rows->size() < T * Lp) rows->resize(T * Lp);
    }
};

template <class R> constexpr R safe_range() { return std::is_same_v<R, float> ? R(80) : R(690); }

// Scores of labels that a token may not take become -infinity.
template <class R> void apply_mask(Work<R>& w, size_t T, int L, int Lp) {
    for (size_t t = 0; t < T; ++t)
        for (int j = 0; j < L; ++j)
            if (!w.mask[t * Lp + j]) w.score[t * Lp + j] = -std::numeric_limits<R>::infinity();
}

template <int G, class R> double exponentiate_rows(Work<R>& w, size_t T, int L, const int Lp, R& spread) {
    constexpr R infinity = std::numeric_limits<R>::infinity();
    const auto real = lanes<R>(static_cast<uint8_t>((1u << (L - (Lp - kLane))) - 1));  // in the last block
    double shift = 0;
    Vec<R> widest = {};
    for (size_t t = 0; t < T; ++t) {
        R *score = &w.score[t * Lp], *node = &w.node[t * Lp];
        store(score + Lp - kLane, select(real, load(score + Lp - kLane), splat(-infinity)));
        Vec<R> high = splat(-infinity), low = splat(infinity);
        for (int j = 0; j < Lp; j += kLane) {
            const Vec<R> value = load(score + j);
            high = larger<R>(high, value);
            low = smaller(low, select(value > -infinity, value, splat(infinity)));
        }
        const R top = largest_of<R>(high);
        if (!(top > -infinity)) return -infinity;
        widest = larger<R>(widest, top - low);
        shift += top;
        for (int j = 0; j < Lp; j += kLane) store(node + j, exp(load(score + j) - top));
    }
    spread = largest_of<R>(widest);
    return shift;
}

// node = exp(score - max), 0 for padding and masked labels; returns the sum of the maxima (-infinity if a
// token has no label left) and the largest spread of scores within a token.
template <class R> double exponentiate(Work<R>& w, size_t T, int L, int Lp, R& spread) {
    if (w.masked) apply_mask(w, T, L, Lp);
    return with_blocks<R>(Lp / kLane,
                          [&](auto G) { return exponentiate_rows<G>(w, T, L, G ? G * kLane : Lp, spread); });
}

// edge[i][j] += sum_t left_t[i] * right_{t+1}[j], a few rows at a time in registers.
template <class R> struct OuterSums {
    const R *left, *right;
    R* out;
    size_t T;
    int L, Lp;
    template <int G> void run(int block) const {
        constexpr int most = std::clamp(kSums / (G * Vec<R>::kParts), 1, 4);
        for (int i = 0; i < L; i += most) {
            const int rows = std::min(most, L - i);
            Vec<R> sum[most][G] = {};
            for (size_t t = 0; t + 1 < T; ++t) {
                const R *a = left + t * Lp + i, *b = right + (t + 1) * Lp + block * kLane;
                for (int g = 0; g < G; ++g) {
                    const Vec<R> value = load(b + g * kLane);
                    for (int r = 0; r < most; ++r) sum[r][g] = fma(a[r], value, sum[r][g]);  // padding reads zeros
                }
            }
            for (int r = 0; r < rows; ++r)
                for (int g = 0; g < G; ++g) store(out + (i + r) * Lp + (block + g) * kLane, sum[r][g]);
        }
    }
};

// p_t, and alpha_t / z_t in the place of alpha_t.
template <int G, class R> void marginals(Work<R>& w, size_t T, const int Lp) {
    for (size_t t = 0; t < T; ++t) {
        R *alpha = &w.alpha[t * Lp], *p = &w.p[t * Lp];
        const R* beta = &w.beta[t * Lp];
        Vec<R> total = {};
        for (int j = 0; j < Lp; j += kLane) total = fma(load(alpha + j), load(beta + j), total);
        const R inverse = R(1) / sum_of<R>(total);
        for (int j = 0; j < Lp; j += kLane) {
            const Vec<R> scaled = load(alpha + j) * inverse;
            store(alpha + j, scaled);
            store(p + j, scaled * load(beta + j));
        }
    }
}

template <class R> void expectations(const Transitions<R>& transitions, Work<R>& w, size_t T) {
    const int L = transitions.L, Lp = transitions.Lp;
    const size_t matrix = static_cast<size_t>(L) * Lp;
    with_blocks<R>(Lp / kLane, [&](auto G) { marginals<G>(w, T, G ? G * kLane : Lp); });
    w.edge.assign(matrix, R(0));
    if (T == 1) return;
    if (!transitions.stride) {
        each_group<R, 1>(Lp / kLane, OuterSums<R>{w.alpha.data(), w.full.data(), w.edge.data(), T, L, Lp});
        for (size_t k = 0; k < matrix; k += kLane) store(&w.edge[k], load(&w.edge[k]) * load(&transitions.forward[k]));
        return;
    }
    w.edge_at.resize(T * matrix);
    for (size_t t = 1; t < T; ++t)
        for (int i = 0; i < L; ++i)
            for (int j = 0; j < Lp; j += kLane) {
                const size_t k = static_cast<size_t>(i) * Lp + j;
                const Vec<R> value =
                    w.alpha[(t - 1) * Lp + i] * load(&transitions.forward[t * matrix + k]) * load(&w.full[t * Lp + j]);
                store(&w.edge_at[t * matrix + k], value);
                store(&w.edge[k], load(&w.edge[k]) + value);
            }
}

// The same from logarithms: slow, and right whatever the scores.
inline void expectations_in_logs(const Transitions<double>& transitions, Work<double>& w, size_t T) {
    const int L = transitions.L, Lp = transitions.Lp;
    const size_t matrix = static_cast<size_t>(L) * Lp;
    w.edge.assign(matrix, 0.0);
    if (transitions.stride) w.edge_at.assign(T * matrix, 0.0);
    for (size_t t = 0; t < T; ++t) {
        double best = -std::numeric_limits<double>::infinity(), z = 0;
        for (int j = 0; j < L; ++j) best = std::max(best, w.alpha[t * Lp + j] + w.beta[t * Lp + j]);
        for (int j = 0; j < Lp; ++j)
            z += w.p[t * Lp + j] = j < L ? portable::exp(w.alpha[t * Lp + j] + w.beta[t * Lp + j] - best) : 0.0;
        for (int j = 0; j < L; ++j) w.p[t * Lp + j] /= z;
        if (t + 1 == T) break;
        const double norm = best + portable::log(z);
        for (int i = 0; i < L; ++i)
            for (int j = 0; j < L; ++j) {
                const size_t k = static_cast<size_t>(i) * Lp + j;
                const double log_transition = transitions.log[(t + 1) * transitions.stride + k];
                const double value =
                    portable::exp(w.alpha[t * Lp + i] + log_transition + w.full[(t + 1) * Lp + j] - norm);
                w.edge[k] += value;
                if (transitions.stride) w.edge_at[(t + 1) * matrix + k] = value;
            }
    }
}

inline double posterior_in_logs(const Transitions<double>& transitions, Work<double>& w, size_t T) {
    const int L = transitions.L, Lp = transitions.Lp;
    const size_t matrix = static_cast<size_t>(L) * Lp;
    Array<double> across(transitions.log.size());
    for (size_t m = 0; m < transitions.log.size(); m += matrix)
        for (int i = 0; i < L; ++i)
            for (int j = 0; j < L; ++j) across[m + j * Lp + i] = transitions.log[m + i * Lp + j];
    const Recursion<LogSum> chain{
        L, Lp, T, w.score.data(), {transitions.log.data(), across.data(), transitions.stride}};
    const double log_z = chain.both(w.alpha.data(), w.beta.data(), w.full.data());
    if (log_z > -std::numeric_limits<double>::infinity()) expectations_in_logs(transitions, w, T);
    return log_z;
}

// log Z of the sequence whose scores stand in w.score (kept, but for padding and masked labels, which become
// -infinity); expectations in w.p and w.edge. -infinity: no label sequence is allowed.
template <class R> double posterior(const Transitions<R>& transitions, Work<R>& w, size_t T) {
    const int L = transitions.L, Lp = transitions.Lp;
    constexpr double none = -std::numeric_limits<double>::infinity();
    R spread;
    const double shift = exponentiate(w, T, L, Lp, spread);
    if (!(shift > none)) return none;
    // Within a row, alphas that are not 0 differ by at most exp(spread + range) a transition, and after `steps` of them
    // every label has been reached from every other. Masks amid illegal transitions can keep labels apart all the way.
    const R steps = w.masked_inside && transitions.constrained() ? R(T) : R(transitions.steps + (w.masked ? 1 : 0));
    const R bound = (spread + transitions.range) * steps;
    if (bound < safe_range<R>()) {
        const Recursion<SumProduct<R>> chain{L, Lp, T, w.node.data(), transitions.edges()};
        const double log_z = chain.both(w.alpha.data(), w.beta.data(), w.full.data());
        if (std::isfinite(log_z)) {
            expectations(transitions, w, T);
            return log_z + shift + (static_cast<double>(T) - 1) * transitions.shift;
        }
    }
    if constexpr (std::is_same_v<R, double>) {
        return posterior_in_logs(transitions, w, T);
    } else {
        if (!w.wide)
            w.wide = std::make_unique<Work<double>>(), w.wide_transitions = std::make_unique<Transitions<double>>();
        Work<double>& wide = *w.wide;
        Transitions<double>& wide_transitions = *w.wide_transitions;
        wide.size(T, Lp);
        std::copy_n(w.score.begin(), T * Lp, wide.score.begin());
        wide.masked = w.masked, wide.masked_inside = w.masked_inside;
        if (w.masked) wide.mask = w.mask;
        wide_transitions.L = L, wide_transitions.Lp = Lp, wide_transitions.steps = transitions.steps,
        wide_transitions.stride = transitions.stride;
        wide_transitions.log.assign(transitions.log.begin(), transitions.log.end());
        wide_transitions.share_legality(transitions.legal());
        wide_transitions.prepare(transitions.log.size() / (static_cast<size_t>(L) * Lp));
        const double log_z = posterior(wide_transitions, wide, T);
        std::copy_n(wide.p.begin(), T * Lp, w.p.begin());
        w.edge.assign(wide.edge.begin(), wide.edge.end());
        if (transitions.stride) w.edge_at.assign(wide.edge_at.begin(), wide.edge_at.end());
        return log_z;
    }
}

}  // namespace dovetail
