// Block-coordinate ascent on the dual of the L2-regularised loss by exponentiated gradients
// (Collins, Globerson, Koo, Carreras & Bartlett 2008).
//
// Each sequence i owns a chain distribution a_i with log-potentials theta_i and expectations mu_i, and always
//     w = (known counts - sum_i mu_i F_i) / lambda,        lambda = 2 c2
//     D = sum_i H(a_i) - lambda/2 |w|^2  <=  min f  <=  f(w):   f(w) - D certifies how far w is from the optimum.
// A visit updates theta_i towards the scores of sequence i under w and keeps the update only if it is sure to raise D:
//     change of H + <score, change of mu> - q/(2 lambda) sum_t k_t |change of mu_t|^2  >=  0
// where k_t bounds how strongly token t's features couple it to the sequence. q = 1 is a proven bound but timid; q
// follows how much more than promised the dual value really rises.
//
// Most of the rise comes from few sequences. A sequence is left out of an epoch while what its last visit gained, times
// the square of the epochs since (potentials drift apart linearly, gains grow with the square), is below the average.
#pragma once
#include "chain/problem.hpp"
#include "core/random.hpp"

namespace dovetail {

class Dual {
public:
    // Bytes beside the data: potentials and expectations of every token, and of every sequence's transitions that have
    // a weight.
    static double memory(const Problem& problem) {
        const double tokens = static_cast<double>(problem.data->x.n_tokens()),
                     sequences = static_cast<double>(problem.size());
        return 2 * sizeof(float) *
               (tokens * problem.Lp() + sequences * static_cast<double>(problem.layout.weighted_transitions().size()));
    }

    Dual(std::shared_ptr<const Problem> problem, double c2)
        : problem_(std::move(problem)),
          loss_(*problem_, problem_->program()),
          lambda_(2 * c2),
          matrix_(static_cast<size_t>(problem_->L()) * problem_->Lp()),
          free_(problem_->layout.weighted_transitions()),
          weights_(problem_->layout.buffer_size(), 0.0f) {
        const size_t tokens = problem_->data->x.n_tokens(), n = problem_->size();
        const int Lp = problem_->Lp();
        theta_.assign(tokens * Lp, 0.0f);
        mu_.assign(tokens * Lp, 0.0f);
        theta_transitions_.assign(n * free_.size(), 0.0f);
        mu_transitions_.assign(n * free_.size(), 0.0f);
        entropy_.assign(n, 0.0);
        step_.assign(n, 0.6f);
        gain_.assign(n, std::numeric_limits<double>::infinity());
        since_.assign(n, 0);
        for (size_t t = 0; t < tokens; ++t) {
            const int32_t y = problem_->data->gold[t];
            theta_[t * Lp + y] = kStart;
            mu_[t * Lp + y] = 1.0f;
        }
        std::vector<uint32_t> place(matrix_, kNone);
        for (size_t k = 0; k < free_.size(); ++k) place[free_[k]] = static_cast<uint32_t>(k);
        for (size_t s = 0; s < n; ++s)
            for (size_t t = problem_->begin(s) + 1; t < problem_->begin(s) + problem_->length(s); ++t) {
                const uint32_t transition =
                    place[static_cast<size_t>(problem_->data->gold[t - 1]) * Lp + problem_->data->gold[t]];
                if (transition != kNone) mu_transitions_[s * free_.size() + transition] += 1;
            }
        couple();
    }

    // One pass in random order over the sequences worth a visit. Returns the dual value.
    double epoch(uint64_t seed) {
        const double average = promised_ / std::max<double>(1, problem_->data->x.n_tokens());
        promised_ = 0;
        for (uint32_t s : shuffled(problem_->size(), seed)) {
            const double length = problem_->length(s), since = ++since_[s];
            if (!length || gain_[s] * since * since < average * length) continue;
            since_[s] = 0;
            visit(s);
        }
        const double before = value_;
        value_ = value();
        adapt(value_ - before);
        return value_;
    }
    double value() const {
        double entropy = 0, squares = 0;
        for (double h : entropy_) entropy += h;
        for (uint32_t at : problem_->layout.slot) squares += static_cast<double>(weights_[at]) * weights_[at];
        return entropy - lambda_ / 2 * squares;
    }

    // w: [parameters]
    void weights(double* w) const {
        for (size_t k = 0; k < problem_->layout.size(); ++k) w[k] = weights_[problem_->layout.slot[k]];
    }
    // Recomputes the weights from the expectations, so that no rounding has piled up; returns the dual value.
    double refresh() {
        const Problem& problem = *problem_;
        const int Lp = problem.Lp();
        const Layout& layout = problem.layout;
        std::vector<double> sums(layout.buffer_size(), 0.0), row(Lp);
        for (size_t t = 0; t < problem.data->x.n_tokens(); ++t) {
            for (int j = 0; j < Lp; ++j) row[j] = -static_cast<double>(mu_[t * Lp + j]);
            row[problem.data->gold[t]] += 1;
            scatter_token<true>(problem.program(), layout, sums.data(), t, row.data());
        }
        double* transitions = sums.data() + layout.transitions_at();
        for (size_t s = 0; s < problem.size(); ++s) {
            for (size_t k = 0; k < free_.size(); ++k) transitions[free_[k]] -= mu_transitions_[s * free_.size() + k];
            for (size_t t = problem.begin(s) + 1; t < problem.begin(s) + problem.length(s); ++t)
                transitions[static_cast<size_t>(problem.data->gold[t - 1]) * Lp + problem.data->gold[t]] += 1;
        }
        for (uint32_t at : layout.slot) weights_[at] = static_cast<float>(sums[at] / lambda_);
        return value_ = value();
    }

private:
    static constexpr float kStart = 10.0f;  // log-potential of the known label at the start
    static constexpr int kTries = 4;

    // Transitions that have a weight, as places in a matrix. The potentials of others stay 0.
    void adapt(double risen) {
        if (risen > 1.5 * promised_) trust_ = std::max(0.3, 0.85 * trust_);
        else if (risen < promised_) trust_ = std::min(1.0, 1.25 * trust_);
    }

    void couple() {
        const Problem& problem = *problem_;
        const Features& x = problem.data->x;
        const Program& program = problem.program();
        coupling_.assign(x.n_tokens(), 0.0f);
        const size_t pairs_at = problem.layout.pairs_at() / kLane;
        const auto at = [&](size_t t, uint64_t k) {
            return k < program.begin[t] + program.dense[t] ? program.code[k] / kLane : pairs_at + program.code[k];
        };
        struct Total {
            uint32_t sequence;
            float value;
        };
        std::vector<Total> total(pairs_at + problem.layout.pair_label.size(), {kNone, 0.0f});
        const auto value = [&](uint64_t k) { return program.value.empty() ? 1.0f : std::abs(program.value[k]); };
        for (size_t s = 0; s < x.size(); ++s) {
            const size_t first = x.sequences[s], last = x.sequences[s + 1];
            const auto each = [&](auto visit) {
                for (size_t t = first; t < last; ++t)
                    for (uint64_t k = program.begin[t]; k < program.begin[t + 1]; ++k) visit(t, k);
            };
            each([&](size_t t, uint64_t k) {
                Total& sum = total[at(t, k)];
                if (sum.sequence != s) sum = {static_cast<uint32_t>(s), 0.0f};
                sum.value += value(k);
            });
            each([&](size_t t, uint64_t k) { coupling_[t] += value(k) * total[at(t, k)].value; });
        }
    }

    void visit(size_t s) {
        const Problem& problem = *problem_;
        const size_t T = problem.length(s), first = problem.begin(s);
        const int Lp = problem.Lp();
        float *theta = &theta_[first * Lp], *mu = &mu_[first * Lp];
        float *theta_transitions = theta_transitions_.data() + s * free_.size(),
              *mu_transitions = mu_transitions_.data() + s * free_.size();
        const float* transitions = &weights_[problem.layout.transitions_at()];
        Work<float>& work = loss_.work;

        loss_.score(s, weights_.data());
        if (score_.size() < T * Lp) score_.resize(T * Lp), moved_.resize(T * Lp);
        std::copy_n(work.score.begin(), T * Lp, score_.begin());
        moved_transitions_.assign(matrix_, 0.0f);
        loss_.mask(s, false);
        for (int attempt = 0; attempt < kTries; ++attempt) {
            const float step = step_[s];
            for (size_t k = 0; k < T * Lp; k += kLane) {
                const Vec<float> moved = fma(step, load(&score_[k]) - load(theta + k), load(theta + k));
                store(&moved_[k], moved);
                store(&work.score[k], moved);
            }
            for (size_t k = 0; k < free_.size(); ++k)
                moved_transitions_[free_[k]] =
                    theta_transitions[k] + step * (transitions[free_[k]] - theta_transitions[k]);
            loss_.transitions.set(moved_transitions_.data());
            const double log_z = posterior(loss_.transitions, work, T);
            if (!std::isfinite(log_z)) throw ImpossibleSequence(s);

            const double entropy = log_z - inner(moved_.data(), work.p.data(), T * Lp) -
                                   inner(moved_transitions_.data(), work.edge.data(), matrix_);
            const double gain =
                entropy - entropy_[s] + gain_of_nodes(T, first, mu) + gain_of_transitions(mu_transitions, transitions);
            if (gain < 0 && attempt + 1 < kTries) {
                step_[s] = 0.5f * step;
                continue;
            }
            if (gain < 0) return;
            if (!attempt) step_[s] = std::min(1.0f, 1.3f * step);
            entropy_[s] = entropy;
            promised_ += gain_[s] = gain;
            accept(T, first, theta, mu, theta_transitions, mu_transitions);
            return;
        }
    }

    static double inner(const float* a, const float* b, size_t n) {
        Vec<double> sum = {};
        for (size_t k = 0; k < n; k += kLane) sum += widened(load(a + k) * load(b + k));
        return sum_of<double>(sum);
    }
    // <score, change> - q/(2 lambda) k_t |change|^2 over the tokens; leaves the change in work.p.
    double gain_of_nodes(size_t T, size_t first, const float* mu) {
        return with_blocks<float>(problem_->Lp() / kLane, [&](auto G) { return gain_of_rows<G>(T, first, mu); });
    }
    template <int G> double gain_of_rows(size_t T, size_t first, const float* mu) {
        const int Lp = G ? G * kLane : problem_->Lp();
        const float factor = static_cast<float>(trust_ / (2 * lambda_));
        const float *score = score_.data(), *p = loss_.work.p.data();
        Vec<double> total = {};
        for (size_t t = 0; t < T; ++t, score += Lp, p += Lp, mu += Lp) {
            const float penalty = factor * coupling_[first + t];
            Vec<float> gain = {};
            for (int j = 0; j < Lp; j += kLane) {
                const Vec<float> change = load(p + j) - load(mu + j);
                gain = fma(fma(-penalty, change, load(score + j)), change, gain);
            }
            total += widened(gain);
        }
        return sum_of<double>(total);
    }
    double gain_of_transitions(const float* mu_transitions, const float* transitions) const {
        float linear = 0, square = 0;
        for (size_t k = 0; k < free_.size(); ++k) {
            const float change = loss_.work.edge[free_[k]] - mu_transitions[k];
            linear += transitions[free_[k]] * change;
            square += change * change;
        }
        return linear - trust_ / (2 * lambda_) * square;
    }
    void accept(size_t T, size_t first, float* theta, float* mu, float* theta_transitions, float* mu_transitions) {
        const int Lp = problem_->Lp();
        const float rate = static_cast<float>(-1 / lambda_);
        Array<float>& p = loss_.work.p;
        for (size_t t = 0; t < T; ++t) {
            for (size_t k = t * Lp; k < (t + 1) * Lp; k += kLane) {
                const Vec<float> fresh = load(&p[k]), change = (fresh - load(mu + k)) * rate;
                store(mu + k, fresh);
                store(&p[k], change);
            }
            scatter_token<true>(problem_->program(), problem_->layout, weights_.data(), first + t, &p[t * Lp]);
        }
        std::copy_n(moved_.begin(), T * Lp, theta);
        float* transitions = &weights_[problem_->layout.transitions_at()];
        for (size_t k = 0; k < free_.size(); ++k) {
            const float fresh = loss_.work.edge[free_[k]];
            transitions[free_[k]] += rate * (fresh - mu_transitions[k]);
            theta_transitions[k] = moved_transitions_[free_[k]];
            mu_transitions[k] = fresh;
        }
    }

    std::shared_ptr<const Problem> problem_;
    SequenceLoss<float> loss_;
    const double lambda_;
    const size_t matrix_;
    const std::vector<uint32_t> free_;
    Array<float> weights_, theta_, mu_, theta_transitions_, mu_transitions_;
    std::vector<float> step_, coupling_;
    Array<float> score_, moved_, moved_transitions_;
    std::vector<double> entropy_, gain_;             // [sequences]: gain_ of the last visit
    std::vector<uint32_t> since_;                    // [sequences]: epochs since the last visit
    double trust_ = 0.7, value_ = 0, promised_ = 0;  // q; the dual value and what the last epoch's visits promised it
};

}  // namespace dovetail
