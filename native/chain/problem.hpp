// A training problem: data, parameters, constraints; and the loss of one sequence,
//
//     loss_i(w) = log Z_i - log Z_i(label sequences that agree with what is known)
//
// whose gradient is a row of residuals a token, p_t - q_t, and a matrix of expected minus known transitions.
#pragma once
#include <memory>
#include <mutex>

#include "chain/constraints.hpp"
#include "chain/posterior.hpp"
#include "chain/program.hpp"

namespace dovetail {

struct Problem {
    std::shared_ptr<const Dataset> data;
    Layout layout;
    Constraints constraints;
    std::vector<float> margin;   // [L] or empty: added to every label but the known one, where that is the label
    std::vector<float> scale;    // [features] or empty: width of the prior on each feature's weights
    std::vector<uint8_t> full;   // [sequences]: every label known
    std::vector<size_t> shards;  // bounds, in sequences

    Problem(std::shared_ptr<const Dataset> dataset, const LayoutOptions& options, Constraints given,
            std::vector<float> label_margin, std::vector<float> feature_scale)
        : data(std::move(dataset)),
          layout(LayoutBuilder(*data, options).build()),
          constraints(std::move(given)),
          margin(std::move(label_margin)),
          scale(std::move(feature_scale)) {
        for (size_t s = 0; s < data->x.size(); ++s) {
            full.push_back(data->fully_labelled(s));
            if (full.back()) check_labels(s);
        }
        divide();
    }
    // Made before, by the constructor above, and read from a file.
    Problem(std::shared_ptr<const Dataset> dataset, Layout known_layout, Constraints given,
            std::vector<float> label_margin, std::vector<float> feature_scale, std::vector<size_t> bounds,
            Program plain, std::unique_ptr<Bundles> bundles, Program bundled)
        : data(std::move(dataset)),
          layout(std::move(known_layout)),
          constraints(std::move(given)),
          margin(std::move(label_margin)),
          scale(std::move(feature_scale)),
          shards(std::move(bounds)),
          prepared_(true),
          program_(std::make_unique<Program>(std::move(plain))),
          bundled_(std::make_unique<Program>(std::move(bundled))),
          bundles_(std::move(bundles)) {
        for (size_t s = 0; s < data->x.size(); ++s) full.push_back(data->fully_labelled(s));
    }
    bool prepared() const { return prepared_; }
    int L() const { return layout.L; }
    int Lp() const { return layout.Lp; }
    size_t size() const { return data->x.size(); }
    size_t begin(size_t s) const { return data->x.sequences[s]; }
    size_t length(size_t s) const { return data->x.sequences[s + 1] - data->x.sequences[s]; }
    double weight(size_t s) const { return data->weights.empty() ? 1.0 : data->weights[s]; }
    // For methods that change weights from one sequence to the next.
    const Program& program() const {
        std::call_once(program_once_, [this] {
            if (!prepared_) program_ = std::make_unique<Program>(data->x, layout, scale);
        });
        return *program_;
    }
    // For methods that hold weights still over many sequences.
    const Bundles& bundles() const {
        std::call_once(bundles_once_, [this] {
            if (prepared_) return;
            bundles_ = std::make_unique<Bundles>(*data, layout);
            bundled_ = std::make_unique<Program>(data->x, layout, scale, bundles_.get());
        });
        return *bundles_;
    }
    const Program& bundled_program() const { return bundles(), *bundled_; }
    size_t bundled_buffer_size() const { return Program::bundle_at(layout) + bundles().size() * layout.Lp; }
    bool masks() const { return !constraints.start.empty() || !constraints.end.empty() || !data->allowed.empty(); }

private:
    // Known labels have to obey the constraints.
    void check_labels(size_t s) const {
        for (size_t t = begin(s), end = t + length(s); t < end; ++t) {
            const int32_t y = data->gold[t];
            bool fine = t > begin(s) || constraints.start.empty() || constraints.start[y];
            fine &= t + 1 < end || constraints.end.empty() || constraints.end[y];
            fine &= t == begin(s) || constraints.legal.empty() ||
                    constraints.legal[static_cast<size_t>(data->gold[t - 1]) * L() + y];
            if (!data->allowed.empty() && data->allowed[t] != kUnknown) {
                const int32_t code = data->allowed[t];
                fine &= code >= 0 ? code == y : std::count(data->sets[code].begin(), data->sets[code].end(), y) > 0;
            }
            if (!fine) throw ImpossibleSequence(s);
        }
    }
    // The objective is a sum over shards in fixed order, so that it does not depend on who computes which.
    // Their number follows from the data alone: enough for parallel work, few enough to be cheap to add up.
    void divide() {
        const size_t tokens = data->x.n_tokens();
        size_t count = tokens < 4000 ? 1 : 2;
        while (count < 64 && tokens / count > 150000) count *= 2;
        const size_t work = data->x.ids.size() + 8 * tokens;
        shards.push_back(0);
        for (size_t s = 0, done = 0; s < size(); ++s) {
            const size_t t = data->x.sequences[s + 1];
            done = data->x.tokens[t] + 8 * t;
            if (s + 1 < size() && shards.size() < count && done * count >= work * shards.size())
                shards.push_back(s + 1);
        }
        shards.push_back(size());
    }

    bool prepared_ = false;
    mutable std::once_flag program_once_, bundles_once_;
    mutable std::unique_ptr<Program> program_, bundled_;
    mutable std::unique_ptr<Bundles> bundles_;
};

template <class R> class SequenceLoss {
public:
    SequenceLoss(const Problem& problem, const Program& program) : problem_(problem), program_(program) {
        transitions.shape(problem.L(), problem.constraints.legal);
    }
    Transitions<R> transitions;
    Work<R> work;

    // Scores of sequence s under `weights`, or what a threshold above 0 leaves of them, into work.score, and into
    // `transitions` where those depend on the token.
    void score(size_t s, const R* weights, R threshold = 0) {
        const size_t T = problem_.length(s), first = problem_.begin(s);
        const int Lp = problem_.Lp();
        work.size(T, Lp);
        const auto each = [&](auto score_one) {
            for (size_t t = 0; t < T; ++t) score_one(first + t, &work.score[t * Lp]);
        };
        const Layout& layout = problem_.layout;
        if (threshold > 0)
            each([&](size_t t, R* out) { score_token<true>(program_, layout, weights, t, out, threshold); });
        else each([&](size_t t, R* out) { score_token(program_, layout, weights, t, out); });
        if (program_.has_edges()) {
            transitions.vary(T, weights + problem_.layout.transitions_at());
            for (size_t t = 1; t < T; ++t)
                score_transitions(program_, problem_.layout, weights, first + t,
                                  &transitions.log[t * transitions.stride]);
            transitions.prepare(T);
        }
    }
    void set_transitions(const R* weights) {
        if (!program_.has_edges()) transitions.set(weights + problem_.layout.transitions_at());
    }

    // Masks for inference: constraints alone, or what is known of the labels as well.
    void mask(size_t s, bool known) {
        const size_t T = problem_.length(s), first = problem_.begin(s);
        const int L = problem_.L(), Lp = problem_.Lp();
        const Dataset& data = *problem_.data;
        work.masked = known || problem_.masks();
        work.masked_inside = known || !data.allowed.empty();
        if (!work.masked) return;
        work.mask.assign(T * Lp, 1);
        for (size_t t = 0; t < T; ++t) {
            uint8_t* row = &work.mask[t * Lp];
            if (!data.allowed.empty()) restrict(row, data.allowed[first + t]);
            if (known) restrict(row, data.gold[first + t]);
        }
        const auto& [legal, start, end] = problem_.constraints;
        for (int j = 0; j < L; ++j) {
            if (!start.empty()) work.mask[j] &= start[j];
            if (!end.empty()) work.mask[(T - 1) * Lp + j] &= end[j];
        }
    }

    // The loss; residuals are left in work.p, work.edge (and work.edge_at).
    double residuals(size_t s, const R* weights) {
        const size_t T = problem_.length(s), first = problem_.begin(s);
        const int Lp = problem_.Lp();
        const int32_t* gold = &problem_.data->gold[first];
        score(s, weights);
        mask(s, false);
        if (!problem_.full[s]) return partial_residuals(s, T);

        double known = 0;
        for (size_t t = 0; t < T; ++t) {
            if (work.masked && !work.mask[t * Lp + gold[t]]) throw ImpossibleSequence(s);
            known += work.score[t * Lp + gold[t]];
            if (t) known += transitions.log[t * transitions.stride + static_cast<size_t>(gold[t - 1]) * Lp + gold[t]];
        }
        add_margin(T, gold);
        const double loss = posterior(transitions, work, T) - known;
        if (!std::isfinite(loss)) throw ImpossibleSequence(s);
        for (size_t t = 0; t < T; ++t) {
            work.p[t * Lp + gold[t]] -= 1;
            if (!t) continue;
            const size_t cell = static_cast<size_t>(gold[t - 1]) * Lp + gold[t];
            work.edge[cell] -= 1;
            if (transitions.stride) work.edge_at[t * transitions.stride + cell] -= 1;
        }
        return loss;
    }

    // Adds the residuals, times `factor`, to a gradient buffer. Masked: only true parameters change.
    template <bool Masked> void scatter(size_t s, R* gradient, R factor) {
        const size_t T = problem_.length(s), first = problem_.begin(s);
        const int Lp = problem_.Lp();
        if (factor != R(1)) {
            for (size_t k = 0; k < T * Lp; ++k) work.p[k] *= factor;
            for (R& value : work.edge) value *= factor;
            if (transitions.stride)
                for (size_t k = transitions.stride; k < T * transitions.stride; ++k) work.edge_at[k] *= factor;
        }
        for (size_t t = 0; t < T; ++t) {
            scatter_token<Masked>(program_, problem_.layout, gradient, first + t, &work.p[t * Lp]);
            if (transitions.stride && t)
                scatter_transitions(program_, problem_.layout, gradient, first + t,
                                    &work.edge_at[t * transitions.stride]);
        }
    }

private:
    void restrict(uint8_t* row, int32_t code) const {
        if (code == kUnknown) return;
        if (code >= 0) {
            const uint8_t before = row[code];
            std::fill(row, row + problem_.Lp(), uint8_t{0});
            row[code] = before;
            return;
        }
        std::vector<uint8_t> kept(problem_.Lp(), 0);
        for (uint16_t y : problem_.data->sets[code]) kept[y] = row[y];
        std::copy(kept.begin(), kept.end(), row);
    }
    // Softmax margin: errors on a label of weight v compete with a handicap of log v.
    void add_margin(size_t T, const int32_t* gold) {
        if (problem_.margin.empty()) return;
        const int Lp = problem_.Lp();
        for (size_t t = 0; t < T; ++t) {
            if (gold[t] < 0) continue;
            const R extra = problem_.margin[gold[t]];
            for (int j = 0; j < problem_.L(); ++j)
                if (j != gold[t]) work.score[t * Lp + j] += extra;
        }
    }
    double partial_residuals(size_t s, size_t T) {
        const int Lp = problem_.Lp();
        const int32_t* gold = &problem_.data->gold[problem_.begin(s)];
        const Array<R> plain(work.score.begin(), work.score.begin() + T * Lp);
        add_margin(T, gold);
        const double log_all = posterior(transitions, work, T);
        const Array<R> p(work.p.begin(), work.p.begin() + T * Lp);
        const Array<R> edge = work.edge, edge_at = transitions.stride ? work.edge_at : Array<R>();
        std::copy(plain.begin(), plain.end(), work.score.begin());
        mask(s, true);
        const double loss = log_all - posterior(transitions, work, T);
        if (!std::isfinite(loss)) throw ImpossibleSequence(s);
        for (size_t k = 0; k < p.size(); ++k) work.p[k] = p[k] - work.p[k];
        for (size_t k = 0; k < edge.size(); ++k) work.edge[k] = edge[k] - work.edge[k];
        for (size_t k = transitions.stride; k < edge_at.size() && k < T * transitions.stride; ++k)
            work.edge_at[k] = edge_at[k] - work.edge_at[k];
        return loss;
    }

    const Problem& problem_;
    const Program& program_;
};

}  // namespace dovetail
