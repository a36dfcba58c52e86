// The regularised loss over all sequences and its gradient, f(w) = sum_i weight_i loss_i(w) + c2 |w|^2.
#pragma once
#include <mutex>

#include "chain/problem.hpp"
#include "core/parallel.hpp"

namespace dovetail {

template <class R> class Objective {
public:
    explicit Objective(std::shared_ptr<const Problem> problem) : problem_(std::move(problem)) {}

    size_t size() const { return problem_->layout.size(); }

    // Evaluations so far. Sums are rounded in another order from the fourth on: who goes on with a training sets this.
    size_t uses() const { return uses_; }
    void set_uses(size_t uses) { uses_ = uses, program_ = nullptr; }

    // w, g: [parameters].
    double evaluate(const double* w, double* g, double c2, int threads) {
        double value = sum_over_shards(
            w, g, threads, problem_->scale,
            [](SequenceLoss<R>& loss, size_t s, const R* weights, R* gradient, double* transitions, double weight) {
                const double value = loss.residuals(s, weights);
                loss.template scatter<false>(s, gradient, R(weight));
                for (size_t k = 0; k < loss.work.edge.size(); ++k) transitions[k] += loss.work.edge[k];
                return weight * value;
            });
        for (size_t k = 0; k < problem_->layout.size(); ++k) {
            value += c2 * w[k] * w[k];
            g[k] += 2 * c2 * w[k];
        }
        return value;
    }

    // h: the diagonal of the loss's Fisher information, with expected counts standing in for variances of transitions.
    void curvature(const double* w, double* h, int threads) {
        std::vector<float> squared = problem_->scale;
        for (float& s : squared) s *= s;
        sum_over_shards(
            w, h, threads, squared,
            [this](SequenceLoss<R>& loss, size_t s, const R* weights, R* gradient, double* transitions, double weight) {
                const Problem& problem = *problem_;
                const size_t T = problem.length(s), first = problem.begin(s);
                const int Lp = problem.Lp();
                loss.score(s, weights);
                loss.mask(s, false);
                if (!std::isfinite(posterior(loss.transitions, loss.work, T))) throw ImpossibleSequence(s);
                for (size_t k = 0; k < T * Lp; ++k) loss.work.p[k] *= R(weight) * (1 - loss.work.p[k]);
                for (size_t t = 0; t < T; ++t) {
                    scatter_token<false, true>(*program_, problem.layout, gradient, first + t, &loss.work.p[t * Lp]);
                    if (loss.transitions.stride && t)
                        scatter_transitions(*program_, problem.layout, gradient, first + t,
                                            &loss.work.edge_at[t * loss.transitions.stride], true);
                }
                for (size_t k = 0; k < loss.work.edge.size(); ++k) transitions[k] += weight * loss.work.edge[k];
                return 0.0;
            });
    }

private:
    struct Worker {
        SequenceLoss<R> loss;
        Array<R> gradient;
        std::vector<double> transitions;
        double value = 0;
        Worker(const Problem& problem, const Program& program) : loss(problem, program) {}
    };

    // total = sum over sequences of what `visit` adds; `shares`: factors with which bundles pass it on to members.
    template <class Visit>
    double sum_over_shards(const double* w, double* total, int threads, const std::vector<float>& shares, Visit visit) {
        const std::lock_guard<std::mutex> alone(mutex_);
        const Layout& layout = problem_->layout;
        choose_program();
        layout.place(w, weights_.data());
        const Bundles* bundles = bundled() ? &problem_->bundles() : nullptr;
        const size_t bundle_at = Program::bundle_at(layout);
        if (bundles) bundles->gather(layout, problem_->scale, weights_.data(), weights_.data() + bundle_at);
        const size_t shards = problem_->shards.size() - 1;
        const size_t at_once = std::max<size_t>(1, std::min<size_t>(shards, static_cast<size_t>(std::max(1, threads))));
        while (workers_.size() < at_once) workers_.push_back(std::make_unique<Worker>(*problem_, *program_));

        double value = 0;
        std::fill(total, total + layout.size(), 0.0);
        for (size_t first = 0; first < shards; first += at_once) {
            const size_t wave = std::min(at_once, shards - first);
            parallel(wave, threads, [&](size_t k, size_t) {
                Worker& worker = *workers_[k];
                worker.value = 0;
                worker.loss.set_transitions(weights_.data());
                worker.gradient.assign(weights_.size(), R(0));
                worker.transitions.assign(static_cast<size_t>(layout.L) * layout.Lp, 0.0);
                for (size_t s = problem_->shards[first + k]; s < problem_->shards[first + k + 1]; ++s)
                    if (problem_->length(s))
                        worker.value += visit(worker.loss, s, weights_.data(), worker.gradient.data(),
                                              worker.transitions.data(), problem_->weight(s));
                if (bundles)
                    bundles->scatter(layout, shares, worker.gradient.data(), worker.gradient.data() + bundle_at);
            });
            for (size_t k = 0; k < wave; ++k) {
                value += workers_[k]->value;
                add_up(*workers_[k], total, threads);
            }
        }
        return value;
    }

    // Bundles pay from the fourth evaluation on: finding them costs about as much as two evaluations.
    bool bundled() const { return uses_ > 3 || problem_->prepared(); }
    void choose_program() {
        ++uses_;
        if (program_ && uses_ != 4) return;
        program_ = bundled() ? &problem_->bundled_program() : &problem_->program();
        weights_.assign(bundled() ? problem_->bundled_buffer_size() : problem_->layout.buffer_size(), R(0));
        workers_.clear();
    }

    void add_up(const Worker& worker, double* total, int threads) const {
        const Layout& layout = problem_->layout;
        constexpr size_t chunk = 1 << 16;
        parallel((layout.size() + chunk - 1) / chunk, threads, [&](size_t c, size_t) {
            const size_t end = std::min(layout.size(), (c + 1) * chunk), transitions = layout.transitions_at();
            for (size_t k = c * chunk; k < end; ++k) {
                const size_t at = layout.slot[k];
                const bool transition = at >= transitions && at < layout.cells_at();
                total[k] +=
                    transition ? worker.transitions[at - transitions] : static_cast<double>(worker.gradient[at]);
            }
        });
    }

    std::shared_ptr<const Problem> problem_;
    const Program* program_ = nullptr;
    size_t uses_ = 0;
    Array<R> weights_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::mutex mutex_;
};

}  // namespace dovetail
