// Forward and backward through one chunk of sequences, a step for all of them at a time.
//
//   alpha_t = (alpha_{t-1} M) . e_t / c_t             c_t makes the row sum to 1; log p(x) = sum_t log c_t
//   reach_t = M (e_{t+1} . reach_{t+1}) / s_t         s_t likewise
//   gamma_t = alpha_t . reach_t / z_t                 z_t = alpha_t reach_t
//   moves   = M . sum_t alpha_t' (e_{t+1} . reach_{t+1}) / z_t       with reach_t before its division by s_t
#pragma once
#include "core/elementary.hpp"
#include "core/simd.hpp"
#include "hmm/tables.hpp"

namespace dovetail {

template <class R> class HmmChunkPass {
public:
    Array<R> moves;                      // [K x Kp], without the factor M
    std::vector<double> log_likelihood;  // of each sequence of the chunk

    HmmChunkPass(const HmmPlan& plan, const HmmTables<R>& tables) : plan_(plan), tables_(tables), K_(tables.K), Kp_(tables.Kp) {}

    // Both return whether the numbers can be trusted: in double precision always, a sequence that cannot be having
    // log-likelihood minus infinity and expecting nothing.
    bool forward(const HmmChunk& chunk) {
        chunk_ = &chunk;
        const size_t rows = chunk.end_row - chunk.first_row, B = chunk.end_sequence - chunk.first_sequence;
        grow(alpha_, rows * Kp_);
        if (tables_.tilted()) grow(emitted_, rows * Kp_);
        log_likelihood.assign(B, 0.0), scale_.assign(B, 1.0);
        for (size_t t = 0; t < chunk.n_steps; ++t) {
            const size_t first = step(t), going = step(t + 1) - first;
            R* alpha = row(alpha_, first);
            if (t)
                product<false>(row(alpha_, step(t - 1)), Kp_, 1, tables_.move.data(), going, K_, alpha, Kp_);
            else
                for (size_t b = 0; b < going; ++b) std::copy_n(tables_.start.data(), Kp_, alpha + b * Kp_);
            for (size_t b = 0; b < going; ++b) {
                prefetch(first + b + 4);
                const R* e = tables_.tilted() ? tilt(first + b, b) : plain(first + b);
                const R c = multiply(alpha + b * Kp_, e, alpha + b * Kp_);
                if (!(c > kLeastSum<R>) && sizeof(R) == sizeof(float)) return false;
                divide(alpha + b * Kp_, c);
                log_likelihood[b] += tables_.log_scale[plan_.word[first + b]];
                if (c < 1e-100)  // a product with it might be too small for a double
                    log_likelihood[b] += portable::log(c);
                else if ((scale_[b] *= c) < 1e-200)
                    log_likelihood[b] += portable::log(scale_[b]), scale_[b] = 1;
            }
        }
        for (size_t b = 0; b < B; ++b) log_likelihood[b] += portable::log(scale_[b]);
        return true;
    }

    // gamma [rows of the chunk x Kp]; `counting` also adds up moves.
    bool backward(R* gamma, bool counting) {
        const HmmChunk& chunk = *chunk_;
        const size_t B = chunk.end_sequence - chunk.first_sequence;
        grow(reach_, B * Kp_), grow(ahead_, B * Kp_);
        if (counting) moves.assign(size_t(K_) * Kp_, R(0));
        for (size_t t = chunk.n_steps; t-- > 0;) {
            const size_t first = step(t), going = step(t + 1) - first;
            const size_t next = t + 1 < chunk.n_steps ? step(t + 2) - step(t + 1) : 0;
            const R* alpha = row(alpha_, first);
            product<false>(ahead_.data(), Kp_, 1, tables_.turned.data(), next, K_, reach_.data(), Kp_);
            for (size_t b = next; b < going; ++b) std::fill_n(&reach_[b * Kp_], K_, R(1)), std::fill_n(&reach_[b * Kp_ + K_], Kp_ - K_, R(0));
            for (size_t b = 0; b < going; ++b) {
                const R* reach = &reach_[b * Kp_];
                R* out = gamma + (first - chunk.first_row + b) * Kp_;
                const R z = multiply(alpha + b * Kp_, reach, out);
                if (!(z > kLeastSum<R>) && sizeof(R) == sizeof(float)) return false;
                divide(out, z);
                if (counting && b < next) divide(&ahead_[b * Kp_], z);
            }
            if (counting) product<true>(alpha, 1, Kp_, ahead_.data(), K_, next, moves.data(), Kp_);
            if (!t) break;
            for (size_t b = 0; b < going; ++b) {
                prefetch_back(first + b);
                const R* e = tables_.tilted() ? row(emitted_, first + b) : plain(first + b);
                divide(&ahead_[b * Kp_], follow(&reach_[b * Kp_], e, &ahead_[b * Kp_]));
            }
        }
        return true;
    }

private:
    const HmmPlan& plan_;
    const HmmTables<R>& tables_;
    const int K_, Kp_;
    const HmmChunk* chunk_ = nullptr;
    Array<R> alpha_, emitted_, reach_, ahead_, own_;
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
        if (r >= chunk_->first_row + 4 && !tables_.tilted()) fetch(r - 4);
    }

    // The emissions of a row times exp(-cost) of all its costs.
    const R* tilt(size_t r, size_t b) {
        R* out = row(emitted_, r);
        const size_t token = plan_.token[r];
        factors_.clear();
        for (const HmmTilt<R>& tilt : tables_.tilts) {
            const int32_t code = tilt.codes[token];
            if (code < 0) continue;
            log_likelihood[b] += tilt.offset[code];
            factors_.push_back(tilt.factors.data() + static_cast<size_t>(code) * Kp_);
        }
        if (tables_.each) factors_.push_back(factors_of(tables_.each + token * K_, b));
        const R* e = plain(r);
        int k = 0;
        for (; k + kGroups * kWidth<R> <= Kp_; k += kGroups * kWidth<R>) tilt_columns<kGroups>(e + k, k, out + k);
        for (; k < Kp_; k += kWidth<R>) tilt_columns<1>(e + k, k, out + k);
        return out;
    }
    template <int G> void tilt_columns(const R* e, int k, R* out) const {
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
    // out = reach . e, and the sum of reach.
    R follow(const R* reach, const R* e, R* out) const {
        const int Kp = Kp_;
        Wide<R> sum{};
        for (int k = 0; k < Kp; k += kWidth<R>) {
            const Wide<R> value = load_wide(reach + k);
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
