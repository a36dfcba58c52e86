// Labels for whole batches: the best label sequence, the best label of each token, and posteriors.
//
//   best     argmax_y  sum_t score_t[y_t] + into_t[y_{t-1}][y_t]          in single precision, ties to the lower label
//   entropy  log Z - E[score of a label sequence]
#pragma once
#include "chain/posterior.hpp"
#include "chain/scores.hpp"
#include "core/parallel.hpp"

namespace dovetail {

// The first largest of left[j] + right[j].
template <class R> int argmax_of_sum(const R* left, const R* right, int Lp) {
    Vec<R> high = splat(-std::numeric_limits<R>::infinity());
    for (int j = 0; j < Lp; j += kLane) high = larger<R>(load(left + j) + load(right + j), high);
    const R best = largest_of<R>(high);
    for (int j = 0; j < Lp; ++j)
        if (left[j] + right[j] == best) return j;
    return 0;
}
template <class R> int argmax(const R* row, int L) { return static_cast<int>(std::max_element(row, row + L) - row); }

// alpha_t[j] = score_t[j] + max_i (alpha_{t-1}[i] + into_t[i][j]), largest 0 in each row. False: no label sequence
// has a finite score.
template <class R> bool best_prefixes(Chain<R>& chain, Array<R>& alpha) {
    struct Source {
        Chain<R>* chain;
        const R* into(size_t t) const { return chain->into(t); }
    };
    if (alpha.size() < chain.T * chain.Lp()) alpha.resize(chain.T * chain.Lp());
    const Recursion<MaxPlus<R>, Source> forward{chain.L(), chain.Lp(), chain.T, chain.score.data(), {&chain}};
    return std::isfinite(forward.forward(alpha.data()));
}

// From the end to the front: back pointers are recomputed rather than stored.
template <class R> bool viterbi(Chain<R>& chain, Array<R>& alpha, int32_t* labels) {
    const int Lp = chain.Lp();
    if (chain.T == 0) return true;
    if (!best_prefixes(chain, alpha)) return false;
    int y = argmax(&alpha[(chain.T - 1) * Lp], chain.L());
    for (size_t t = chain.T - 1;; --t) {
        labels[t] = y;
        if (t == 0) return true;
        y = argmax_of_sum(&alpha[(t - 1) * Lp], chain.into(t, y), Lp);
    }
}

// Viterbi with the scratch space of one thread.
class Decoder {
public:
    Decoder(const Model& model, const PaddedTransitions<float>& transitions, const Limits& limits)
        : model_(model), limits_(limits), chain_(model, transitions) {}

    void best(const Batch& batch, size_t s, int32_t* labels) {
        chain_.load(batch, s, limits_);
        if (viterbi(chain_, alpha_, labels)) return;
        // Not allowed, or beyond the range of single precision.
        const PaddedTransitions<double> transitions(model_.transitions.data(), model_.L, limits_.constraints.legal);
        Chain<double> wide(model_, transitions);
        Array<double> alpha;
        wide.load(batch, s, limits_);
        if (!viterbi(wide, alpha, labels)) throw ImpossibleSequence(s);
    }

private:
    const Model& model_;
    const Limits& limits_;
    Chain<float> chain_;
    Array<float> alpha_;
};

// The score of a given label sequence, -infinity where it is not allowed.
inline double path_score(const TokenScorer<double>& scorer, const Batch& batch, size_t s, const int32_t* labels,
                         const Limits& limits) {
    const Model& model = *batch.model;
    const auto& legal = limits.constraints.legal;
    double sum = 0;
    for (size_t t = 0, T = batch.length(s); t < T; ++t) {
        const int y = labels[t];
        if (!limits.permits(batch, s, t, y)) return -std::numeric_limits<double>::infinity();
        sum += scorer.score(batch.x, batch.first(s) + t, y);
        if (t == 0) continue;
        const int before = labels[t - 1];
        if (!legal.empty() && !legal[static_cast<size_t>(before) * model.L + y])
            return -std::numeric_limits<double>::infinity();
        sum += model.transitions[static_cast<size_t>(before) * model.L + y];
        if (!model.has_edges()) continue;
        const auto wanted = static_cast<uint32_t>(before * model.Lp + y);
        scorer.each_cell(batch.x, batch.first(s) + t,
                         [&](uint32_t cell, double value) { sum += cell == wanted ? value : 0.0; });
    }
    return sum;
}

// Sum-product transitions of a model under constraints, which must outlive them.
inline Transitions<double> sum_product_transitions(const Model& model, const Constraints& constraints) {
    Transitions<double> transitions;
    transitions.shape(model.L, constraints.legal);
    const Array<double> scores(model.padded_transitions.into.begin(), model.padded_transitions.into.end());
    transitions.set(scores.data());
    return transitions;
}

// log Z and expectations, with the scratch space of one thread.
class Posterior {
public:
    Posterior(const Model& model, const Transitions<double>& shared, const Limits& limits)
        : model_(model), shared_(shared), limits_(limits), scorer_(model) {}

    Work<double> work;
    const Transitions<double>& transitions() const { return varied_ ? own_ : shared_; }
    size_t T = 0;

    // log Z of sequence s, which has tokens. each_step: expected transitions of every step into work.edge_at.
    double run(const Batch& batch, size_t s, bool each_step = false) {
        const int Lp = model_.Lp;
        T = batch.length(s);
        work.size(T, Lp);
        for (size_t t = 0; t < T; ++t) scorer_.score(batch.x, batch.first(s) + t, &work.score[t * Lp]);
        varied_ = each_step || model_.has_edges();
        if (varied_) vary(batch, s);
        mask(batch, s);
        const double log_z = posterior(transitions(), work, T);
        if (!std::isfinite(log_z)) throw ImpossibleSequence(s);
        return log_z;
    }
    double entropy(double log_z) const {
        double expected = 0;
        const auto add = [&](double p, double score) { expected += p > 0 ? p * score : 0.0; };
        for (size_t k = 0; k < T * model_.Lp; ++k) add(work.p[k], work.score[k]);
        const Array<double>& log = transitions().log;
        const size_t matrix = static_cast<size_t>(model_.L) * model_.Lp;
        if (varied_)
            for (size_t k = matrix; k < T * matrix; ++k) add(work.edge_at[k], log[k]);
        else
            for (size_t k = 0; k < matrix; ++k) add(work.edge[k], log[k]);
        return std::max(0.0, log_z - expected);
    }

private:
    void vary(const Batch& batch, size_t s) {
        if (!own_.L) own_ = shared_;
        own_.vary(T, shared_.log.data());
        for (size_t t = 1; t < T; ++t)
            if (scorer_.any_cell(batch.x, batch.first(s) + t)) {
                double* matrix = &own_.log[t * own_.stride];
                scorer_.each_cell(batch.x, batch.first(s) + t,
                                  [&](uint32_t cell, double value) { matrix[cell] += value; });
            }
        own_.prepare(T);
    }
    void mask(const Batch& batch, size_t s) {
        work.masked = limits_.any();
        work.masked_inside = limits_.allowed != nullptr;
        if (!work.masked) return;
        work.mask.assign(T * model_.Lp, 0);
        for (size_t t = 0; t < T; ++t)
            for (int j = 0; j < model_.L; ++j) work.mask[t * model_.Lp + j] = limits_.permits(batch, s, t, j);
    }
    const Model& model_;
    const Transitions<double>& shared_;
    const Limits& limits_;
    TokenScorer<double> scorer_;
    Transitions<double> own_;
    bool varied_ = false;
};

// Calls run(state, s) for every sequence, over threads, each of which has a state made by make().
template <class Make, class Run> void each_sequence(size_t sequences, int threads, Make make, Run run) {
    constexpr size_t kChunk = 16;
    const size_t tasks = (sequences + kChunk - 1) / kChunk;
    std::vector<std::unique_ptr<decltype(make())>> states(
        std::max<size_t>(1, std::min<size_t>(tasks, std::max(1, threads))));
    parallel(tasks, threads, [&](size_t task, size_t worker) {
        auto& state = states[worker];
        if (!state) state.reset(new auto(make()));
        for (size_t s = task * kChunk, end = std::min(sequences, s + kChunk); s < end; ++s) run(*state, s);
    });
}

// Best labels of a whole batch, [n_tokens].
inline void decode(const Batch& batch, const Limits& limits, int threads, int32_t* labels) {
    const Model& model = *batch.model;
    std::unique_ptr<PaddedTransitions<float>> constrained;
    if (const auto& legal = limits.constraints.legal; !legal.empty())
        constrained = std::make_unique<PaddedTransitions<float>>(model.transitions.data(), model.L, legal);
    const PaddedTransitions<float>& transitions = constrained ? *constrained : model.padded_transitions;
    each_sequence(
        batch.x.size(), threads, [&] { return Decoder(model, transitions, limits); },
        [&](Decoder& decoder, size_t s) { decoder.best(batch, s, labels + batch.first(s)); });
}

inline std::vector<double> score_paths(const Batch& batch, const Limits& limits, int threads, const int32_t* labels) {
    std::vector<double> scores(batch.x.size());
    const TokenScorer<double> scorer(*batch.model);
    each_sequence(
        batch.x.size(), threads, [] { return 0; },
        [&](int, size_t s) { scores[s] = path_score(scorer, batch, s, labels + batch.first(s), limits); });
    return scores;
}

// Calls visit(posterior, log Z, s) for every sequence that has tokens.
template <class Visit> void each_posterior(const Batch& batch, const Limits& limits, int threads, Visit visit) {
    const Transitions<double> transitions = sum_product_transitions(*batch.model, limits.constraints);
    each_sequence(
        batch.x.size(), threads, [&] { return Posterior(*batch.model, transitions, limits); },
        [&](Posterior& posterior, size_t s) {
            if (batch.length(s)) visit(posterior, posterior.run(batch, s), s);
        });
}

}  // namespace dovetail
