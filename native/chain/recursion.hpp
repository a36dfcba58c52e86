// The one recursion over a chain, for any semiring.
//
//   alpha_t = node_t (x) (alpha_{t-1} . edge_t)         forward:  all prefixes that end in a label at t
//   beta_t  = edge_{t+1} . full_{t+1}                   backward: all suffixes that follow a label at t
//   full_t  = node_t (x) beta_t
//
// The backward direction is the forward one on the reversed chain with transposed edges.
#pragma once
#include "chain/semiring.hpp"

namespace dovetail {

// edge_t is the transition from token t-1 into token t; one matrix for all tokens when stride is 0.
template <class R> struct Edges {
    const R *forward, *transposed;
    size_t stride;
    const R* into(size_t t) const { return forward + t * stride; }
    const R* out_of(size_t t) const { return transposed + (t + 1) * stride; }
};

// E gives the matrices: `Edges`, or anything with into(t) (and out_of(t) for the backward direction).
template <class S, class E = Edges<typename S::Real>> struct Recursion {
    using R = typename S::Real;

    int L, Lp;
    size_t T;
    const R* node;  // [T x Lp]
    E edges;

    // alpha: [T x Lp]. Returns the log of the whole chain's weight: log Z, or the best score under MaxPlus.
    double forward(R* alpha) const {
        LogProduct scale;
        with_blocks<R>(Lp / kLane, [&](auto G) {
            for (size_t t = 0; t < T; ++t) forward_step<G>(t, alpha, scale);
        });
        return scale.log() + ending(alpha);
    }
    // Both directions in one loop: the two are independent, so the processor overlaps them.
    double both(R* alpha, R* beta, R* full) const {
        LogProduct scale;
        NoScale ignored;
        with_blocks<R>(Lp / kLane, [&](auto G) {
            for (size_t t = 0; t < T; ++t) {
                forward_step<G>(t, alpha, scale);
                backward_step<G>(T - 1 - t, beta, full, ignored);
            }
        });
        return scale.log() + ending(alpha);
    }

private:
    template <int G, class Scale> void forward_step(size_t t, R* alpha, Scale& scale) const {
        R* here = alpha + t * Lp;
        if (t == 0) std::fill(here, here + Lp, S::one);
        else S::template product<G>(here - Lp, edges.into(t), here, L, Lp);
        S::template weigh<G>(node + t * Lp, here, here, Lp, scale);
    }
    template <int G, class Scale> void backward_step(size_t t, R* beta, R* full, Scale& scale) const {
        R* here = beta + t * Lp;
        if (t == T - 1) std::fill(here, here + Lp, S::one);
        else S::template product<G>(full + (t + 1) * Lp, edges.out_of(t), here, L, Lp);
        S::template weigh<G>(node + t * Lp, here, full + t * Lp, Lp, scale);
    }
    // What the last row still holds: rescaling has put a sum of 1, or a maximum of 1, there.
    double ending(const R* alpha) const {
        if constexpr (!S::in_logs) return 0.0;
        const R* last = alpha + (T - 1) * Lp;
        if constexpr (std::is_same_v<S, LogSum>) return log_sum_exp(last, static_cast<size_t>(L));
        else return *std::max_element(last, last + L);
    }
};

}  // namespace dovetail
