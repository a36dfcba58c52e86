// Forward and backward through one chunk of sequences, a step for all of them at a time.
//
//   alpha_t = (alpha_{t-1} M) . e_t / c_t             c_t makes the row sum to 1; log p(x) = sum_t log c_t
//   beta_t  = M (e_{t+1} . beta_{t+1}) / s_t          s_t likewise
//   gamma_t = alpha_t . beta_t / z_t                  z_t = alpha_t beta_t
//   transitions = M . sum_t alpha_t' (e_{t+1} . beta_{t+1}) / z_t    with beta_t before its division by s_t
#pragma once
#include "core/elementary.hpp"
#include "core/simd.hpp"
#include "hmm/tables.hpp"

namespace dovetail {

template <class R> class HmmChunkPass {
public:
    Array<R> transitions;                // [K x Kp], without the factor M
    std::vector<double> log_likelihood;  // of each sequence of the chunk

    HmmChunkPass(const HmmPlan& plan, const HmmTables<R>& tables)
        : plan_(plan), tables_(tables), K_(tables.K), Kp_(tables.Kp) {}

    // Both return whether the numbers can be trusted: in double precision always, a sequence that cannot be having
    // log-likelihood minus infinity and expecting nothing.
    bool forward(const HmmChunk& chunk) {
        chunk_ = &chunk;
        const size_t rows = chunk.end_row - chunk.first_row, B = chunk.end_sequence - chunk.first_sequence;
        grow(alpha_, rows * Kp_);
        if (tables_.has_costs()) grow(emitted_, rows * Kp_);
        log_likelihood.assign(B, 0.0), scale_.assign(B, 1.0);
        for (size_t t = 0; t < chunk.n_steps; ++t) {
            const size_t first = step(t), going = step(t + 1) - first;
            R* alpha = row(alpha_, first);
            if (t) product<false>(row(alpha_, step(t - 1)), Kp_, 1, tables_.transition.data(), going, K_, alpha, Kp_);
            else
                for (size_t b = 0; b < going; ++b) std::copy_n(tables_.start.data(), Kp_, alpha + b * Kp_);
            for (size_t b = 0; b < going; ++b) {
                prefetch(first + b + 4);
                const R* e = tables_.has_costs() ? apply_costs(first + b, b) : plain(first + b);
                const R c = multiply(alpha + b * Kp_, e, alpha + b * Kp_);
                if (!(c > kLeastSum<R>) && sizeof(R) == sizeof(float)) return false;
                divide(alpha + b * Kp_, c);
                log_likelihood[b] += tables_.log_scale[plan_.word[first + b]];
                if (c < 1e-100)  // a product with it might be too small for a double
                    log_likelihood[b] += portable::log(c);
                else if ((scale_[b] *= c) < 1e-200) log_likelihood[b] += portable::log(scale_[b]), scale_[b] = 1;
            }
        }
        for (size_t b = 0; b < B; ++b) log_likelihood[b] += portable::log(scale_[b]);
        return true;
    }

    // gamma [rows of the chunk x Kp]; `counting` also adds up transitions.
    bool backward(R* gamma, bool counting) {
        const HmmChunk& chunk = *chunk_;
        const size_t B = chunk.end_sequence - chunk.first_sequence;
        grow(beta_, B * Kp_), grow(ahead_, B * Kp_);
        if (counting) transitions.assign(size_t(K_) * Kp_, R(0));
        for (size_t t = chunk.n_steps; t-- > 0;) {
            const size_t first = step(t), going = step(t + 1) - first;
            const size_t next = t + 1 < chunk.n_steps ? step(t + 2) - step(t + 1) : 0;
            const R* alpha = row(alpha_, first);
            product<false>(ahead_.data(), Kp_, 1, tables_.transposed.data(), next, K_, beta_.data(), Kp_);
            for (size_t b = next; b < going; ++b)
                std::fill_n(&beta_[b * Kp_], K_, R(1)), std::fill_n(&beta_[b * Kp_ + K_], Kp_ - K_, R(0));
            for (size_t b = 0; b < going; ++b) {
                const R* beta = &beta_[b * Kp_];
                R* out = gamma + (first - chunk.first_row + b) * Kp_;
                const R z = multiply(alpha + b * Kp_, beta, out);
                if (!(z > kLeastSum<R>) && sizeof(R) == sizeof(float)) return false;
                divide(out, z);
                if (counting && b < next) divide(&ahead_[b * Kp_], z);
            }
            if (counting) product<true>(alpha, 1, Kp_, ahead_.data(), K_, next, transitions.data(), Kp_);
            if (!t) break;
            for (size_t b = 0; b < going; ++b) {
                prefetch_back(first + b);
                const R* e = tables_.has_costs() ? row(emitted_, first + b) : plain(first + b);
                divide(&ahead_[b * Kp_], follow(&beta_[b * Kp_], e, &ahead_[b * Kp_]));
            }
        }
        return true;
    }

private:
    const HmmPlan& plan_;
    const HmmTables<R>& tables_;
    const int K_, Kp_;
    const HmmChunk* chunk_ = nullptr;
    Array<R> alpha_, emitted_, beta_, ahead_, own_;
    std::vector<const R*> factors_;  // of the token at hand
    std::vector<double> scale_;

    static void grow(Array<R>& array, size_t size) {
        if (array.size() < size) array.resize(size);
    }
    size_t step(size_t t) const { return plan_.steps[chunk_->first_step + t]; }
    R* row(Array<R>& array, size_t r) { return array.data() + (r - chunk_->first_row) * Kp_; }
    const R* plain(size_t r) const { return tables_.emit.data() + size_t{plan_.word[r]} * Kp_; }
    void fetch(size_t r) const {
        const char* at = reinterpret_cast<const char*>(plain(r));
        for (size_t byte = 0; byte < Kp_ * sizeof(R); byte += 64) __builtin_prefetch(at + byte);
    }
    void prefetch(size_t r) const {
        if (r < chunk_->end_row) fetch(r);
    }
    void prefetch_back(size_t r) const {
        if (r >= chunk_->first_row + 4 && !tables_.has_costs()) fetch(r - 4);
    }

    // The emissions of a row times exp(-cost) of all its costs.
    const R* apply_costs(size_t r, size_t b) {
        R* out = row(emitted_, r);
        const size_t token = plan_.token[r];
        factors_.clear();
        for (const HmmCostFactors<R>& costs : tables_.cost_factors) {
            const int32_t code = costs.codes[token];
            if (code < 0) continue;
            log_likelihood[b] += costs.offset[code];
            factors_.push_back(costs.factors.data() + static_cast<size_t>(code) * Kp_);
        }
        if (tables_.each) factors_.push_back(factors_of(tables_.each + token * K_, b));
        const R* e = plain(r);
        int k = 0;
        for (; k + kGroups * kWidth<R> <= Kp_; k += kGroups * kWidth<R>) multiply_columns<kGroups>(e + k, k, out + k);
        for (; k < Kp_; k += kWidth<R>) multiply_columns<1>(e + k, k, out + k);
        return out;
    }
    template <int G> void multiply_columns(const R* e, int k, R* out) const {
        Wide<R> value[G];
#pragma GCC unroll 8
        for (int g = 0; g < G; ++g) value[g] = load_wide(e + g * kWidth<R>);
        for (const R* factor : factors_)
#pragma GCC unroll 8
            for (int g = 0; g < G; ++g) value[g] *= load_wide(factor + k + g * kWidth<R>);
#pragma GCC unroll 8
        for (int g = 0; g < G; ++g) store(out + g * kWidth<R>, value[g]);
    }
    // exp(-cost) of one token's costs, the largest made 1.
    const R* factors_of(const float* cost, size_t b) {
        grow(own_, Kp_);
        std::copy_n(cost, K_, own_.data());
        Vec<R> low = splat(R(cost[0]));
        std::fill(own_.begin() + K_, own_.end(), R(cost[0]));
        for (int k = 0; k < Kp_; k += kLane) low = smaller<R>(low, load(&own_[k]));
        const R least = smallest_of<R>(low);
        log_likelihood[b] -= least;
        for (int k = 0; k < Kp_; k += kLane) store(&own_[k], exp(splat(least) - load(&own_[k])));
        return own_.data();
    }

    // out = a . b, and its sum.
    R multiply(const R* a, const R* b, R* out) const {
        const int Kp = Kp_;
        Wide<R> sum{};
        for (int k = 0; k < Kp; k += kWidth<R>) {
            const Wide<R> value = load_wide(a + k) * load_wide(b + k);
            store(out + k, value);
            sum += value;
        }
        return sum_of(sum);
    }
    // out = beta . e, and the sum of beta.
    R follow(const R* beta, const R* e, R* out) const {
        const int Kp = Kp_;
        Wide<R> sum{};
        for (int k = 0; k < Kp; k += kWidth<R>) {
            const Wide<R> value = load_wide(beta + k);
            store(out + k, value * load_wide(e + k));
            sum += value;
        }
        return sum_of(sum);
    }
    void divide(R* values, R by) const {
        const int Kp = Kp_;
        const R factor = by > 0 ? 1 / by : R(0);
        for (int k = 0; k < Kp; k += kWidth<R>) store(values + k, load_wide(values + k) * factor);
    }
};

}  // namespace dovetail
