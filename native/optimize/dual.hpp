// Block-coordinate ascent on the dual of the loss with an L2 penalty, or L1 and L2, by exponentiated gradients
// (Collins, Globerson, Koo, Carreras & Bartlett 2008; for L1 Shalev-Shwartz & Zhang 2014).
//
// Each sequence i owns a chain distribution a_i with log-potentials theta_i and expectations mu_i, and always
//     v = known counts - sum_i mu_i F_i,     w = shrink(v, c1) / lambda,     lambda = 2 c2
//     D = sum_i H(a_i) - lambda/2 |w|^2  <=  min f  <=  f(w):   f(w) - D certifies how far w is from the optimum.
// A visit updates theta_i towards the scores of sequence i under w and keeps the update only if it should raise D:
//     change of H + <score, change of mu> - q_i/(2 lambda) sum_t k_t |change of mu_t|^2  >=  0
// where k_t bounds how strongly token t's features couple it to the sequence. q = 1 is a proven bound but timid: the
// changes of one feature's tokens cancel, and weights that the L1 penalty holds at zero do not move at all. So q_i is
// measured, by how much an update has changed the scores of its own sequence. Where updates of many sequences together
// raise D less than they should, all q_i get a larger least value.
//
// Potentials and scores are relative to those of the known labels. With a weak penalty nearly all of a distribution is
// on these, entropies are small, and differences of large numbers would drown them in rounding errors; what is left of
// such errors is forgiven (kNoise).
//
// With a weak penalty sequences depend on each other: what one gains, others lose. So an epoch ascends the dual of
// f(w) + kappa/2 |w - y|^2, which is better conditioned, and whose centre y then moves on, with momentum
// (Shalev-Shwartz & Zhang 2014; Lin, Mairal & Harchaoui 2015):
//     w = shrink(v + kappa y, c1) / (lambda + kappa)
// The same distributions give D of f itself, with v alone, so that the certificate is what it was.
//
// Most of the rise comes from few sequences. A sequence is left out of an epoch while what its last visit gained, times
// the square of the epochs since (potentials drift apart linearly, gains grow with the square), is below the average.
#pragma once
#include "chain/problem.hpp"
#include "core/random.hpp"
#include "optimize/dual_units.hpp"

namespace dovetail {

class Dual {
public:
    // Bytes beside the data: potentials and expectations of every token, and of every unit's transitions that have a
    // weight.
    static double memory(const Problem& problem) {
        const double tokens = static_cast<double>(problem.data->x.n_tokens()),
                     transitions = static_cast<double>(problem.layout.weighted_transitions().size());
        return 2 * sizeof(float) *
               (tokens * problem.Lp() + static_cast<double>(DualUnits(problem).size()) * transitions);
    }

    Dual(std::shared_ptr<const Problem> problem, double c1, double c2, bool accelerated = true)
        : problem_(std::move(problem)),
          units_(*problem_),
          loss_(*problem_, problem_->program()),
          c1_(c1),
          lambda_(2 * c2),
          matrix_(static_cast<size_t>(problem_->L()) * problem_->Lp()),
          free_(problem_->layout.weighted_transitions()),
          sums_(problem_->layout.buffer_size(), 0.0f) {
        const size_t tokens = problem_->data->x.n_tokens(), n = units_.size();
        const int Lp = problem_->Lp();
        theta_.assign(tokens * Lp, -kStart);
        mu_.assign(tokens * Lp, 0.0f);
        theta_transitions_.assign(n * free_.size(), 0.0f);
        mu_transitions_.assign(n * free_.size(), 0.0f);
        entropy_.assign(n, 0.0);
        step_.assign(n, kFirstStep);
        gain_.assign(n, std::numeric_limits<double>::infinity());
        since_.assign(n, 0);
        visits_.assign(n, 0);
        share_.assign(n, 0.7f);
        for (size_t t = 0; t < tokens; ++t) {
            const int32_t y = problem_->data->gold[t];
            theta_[t * Lp + y] = 0.0f;
            mu_[t * Lp + y] = 1.0f;
        }
        std::vector<uint32_t> place(matrix_, kNone);
        for (size_t k = 0; k < free_.size(); ++k) place[free_[k]] = static_cast<uint32_t>(k);
        for (size_t u = 0; u < n; ++u)
            units_.each_sequence(u, [&](size_t s) {
                for (size_t t = problem_->begin(s) + 1; t < problem_->begin(s) + problem_->length(s); ++t) {
                    const uint32_t transition =
                        place[static_cast<size_t>(problem_->data->gold[t - 1]) * Lp + problem_->data->gold[t]];
                    if (transition != kNone) mu_transitions_[u * free_.size() + transition] += 1;
                }
            });
        couple();
        choose_pull(accelerated);
    }

    // One pass in random order over the units worth a visit. Returns the dual value.
    double epoch(uint64_t seed) {
        const double average = promised_ / std::max<double>(1, problem_->data->x.n_tokens());
        promised_ = 0;
        for (uint32_t u : shuffled(units_.size(), seed)) {
            const double length = units_.length(u), since = ++since_[u];
            if (!length || gain_[u] * since * since < average * length) continue;
            since_[u] = 0;
            visit(u);
        }
        adapt(inner_value() - inner_);
        const double before = value_;
        value_ = value();
        move_centre(value_ < before);
        return value_;
    }
    // D of f.
    double value() const {
        double squares = 0;
        for (size_t k = 0; k < problem_->layout.size(); ++k) {
            const double v = strength_ * sums_[problem_->layout.slot[k]] - pull_ * centre(k);
            const double w = shrink(v, c1_) / lambda_;
            squares += w * w;
        }
        return entropy() - lambda_ / 2 * squares;
    }

    // w: [parameters]
    void weights(double* w) const {
        for (size_t k = 0; k < problem_->layout.size(); ++k) w[k] = pull_ > 0 ? last_[k] : weight(k);
    }
    // Starts again from the distributions that a model with weights w [parameters] gives; returns the dual value.
    double restart(const double* w) {
        const Problem& problem = *problem_;
        const int Lp = problem.Lp();
        problem.layout.place(w, sums_.data());
        const float* transitions = &sums_[problem.layout.transitions_at()];
        for (size_t u = 0; u < units_.size(); ++u) {
            const size_t T = units_.length(u), potentials = u * free_.size();
            if (!T) continue;
            float* theta = &theta_[units_.begin(u) * Lp];
            score(u, theta, 0);
            const double log_z = infer(u, theta, transitions);
            std::copy_n(p_.begin(), T * Lp, &mu_[units_.begin(u) * Lp]);
            for (size_t k = 0; k < free_.size(); ++k) {
                theta_transitions_[potentials + k] = transitions[free_[k]];
                mu_transitions_[potentials + k] = edge_[free_[k]];
            }
            entropy_[u] = entropy_at(log_z, theta, transitions, T);
            step_[u] = kFirstStep / 2;
        }
        if (pull_ > 0) centre_.assign(w, w + problem.layout.size()), last_ = centre_;
        gain_.assign(units_.size(), std::numeric_limits<double>::infinity());
        return refresh();
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
        for (size_t u = 0; u < units_.size(); ++u) {
            for (size_t k = 0; k < free_.size(); ++k) transitions[free_[k]] -= mu_transitions_[u * free_.size() + k];
            units_.each_sequence(u, [&](size_t s) {
                for (size_t t = problem.begin(s) + 1; t < problem.begin(s) + problem.length(s); ++t)
                    transitions[static_cast<size_t>(problem.data->gold[t - 1]) * Lp + problem.data->gold[t]] += 1;
            });
        }
        for (size_t k = 0; k < layout.size(); ++k)
            sums_[layout.slot[k]] = static_cast<float>((sums[layout.slot[k]] + pull_ * centre(k)) / strength_);
        inner_ = inner_value();
        return value_ = value();
    }

    // All that an epoch leaves to the next, for a training that is to go on elsewhere.
    template <class Visit> void each_part(Visit visit) {
        visit("sums", sums_), visit("centre", centre_), visit("last", last_);
        visit("theta", theta_), visit("mu", mu_);
        visit("theta_transitions", theta_transitions_), visit("mu_transitions", mu_transitions_);
        visit("step", step_), visit("share", share_), visit("entropy", entropy_), visit("gain", gain_);
        visit("visits", visits_), visit("since", since_);
        visit("least_share", least_share_), visit("value", value_), visit("inner", inner_);
        visit("promised", promised_);
    }

private:
    static constexpr float kStart = 10.0f;  // by how much the known label's log-potential exceeds others at the start
    static constexpr float kFirstStep = 0.6f, kLeastStep = 1e-3f;
    static constexpr int kTries = 4, kMeasured = 3;  // visits a sequence from one measurement to the next
    static constexpr float kSafety = 1.3f, kLeastShare = 0.02f;
    static constexpr double kNoise = 3e-7;  // error of a gain in single precision, a token

    static constexpr double kFirmness = 0.005;  // the pull, of the mean coupling, while that is weaker than the penalty
    static constexpr double kLeastPull = 0.15, kJump = 0.4, kMostPull = 3;  // of lambda; L1 lets weights jump

    // kappa. A pull of about the penalty's own strength halves the epochs; where the penalty is strong, none is needed.
    void choose_pull(bool accelerated) {
        double mean = 0;
        for (float k : coupling_) mean += k;
        mean /= static_cast<double>(std::max<size_t>(1, coupling_.size()));
        const double share = std::min(1.0, kFirmness * mean / lambda_);
        if (accelerated && share > kLeastPull)
            pull_ = lambda_ * std::min(kMostPull, share * (1 + kJump * c1_ / lambda_));
        strength_ = lambda_ + pull_;
        threshold_ = static_cast<float>(c1_ / strength_);
        floor_ = std::clamp(kLeastShare * threshold_ / 2, kLeastShare, 1.0f);
        least_share_ = std::max(0.3f, floor_);
        if (pull_ > 0) centre_.assign(problem_->layout.size(), 0.0f), last_ = centre_;
    }
    double centre(size_t k) const { return pull_ > 0 ? centre_[k] : 0.0f; }
    float weight(size_t k) const { return shrink(sums_[problem_->layout.slot[k]], threshold_); }
    double entropy() const {
        double sum = 0;
        for (double h : entropy_) sum += h;
        return sum;
    }
    // The dual value of f with the pull, but for terms that epochs do not change.
    double inner_value() const {
        double squares = 0;
        for (size_t k = 0; k < problem_->layout.size(); ++k) squares += static_cast<double>(weight(k)) * weight(k);
        return entropy() - strength_ / 2 * squares;
    }
    // The centre goes to the weights and beyond, unless they have turned round or D has fallen. D stays what it is.
    void move_centre(bool fallen) {
        if (pull_ > 0) {
            double back = 0;
            for (size_t k = 0; k < centre_.size(); ++k)
                back += static_cast<double>(centre_[k] - weight(k)) * (weight(k) - last_[k]);
            const double root = std::sqrt(lambda_ / strength_);
            const float momentum = fallen || back > 0 ? 0.0f : static_cast<float>((1 - root) / (1 + root));
            const float share = static_cast<float>(pull_ / strength_);
            for (size_t k = 0; k < centre_.size(); ++k) {
                const float w = weight(k), next = w + momentum * (w - last_[k]);
                sums_[problem_->layout.slot[k]] += share * (next - centre_[k]);
                centre_[k] = next;
                last_[k] = w;
            }
        }
        inner_ = inner_value();
    }

    void adapt(double risen) {
        if (risen >= 0.9 * promised_) least_share_ = std::max(floor_, 0.9f * least_share_);
        else least_share_ = risen < 0 ? 1.0f : std::min(1.0f, 2 * least_share_);
    }

    // How strongly each token is coupled to its unit.
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
            uint32_t unit;
            float value;
        };
        std::vector<Total> total(pairs_at + problem.layout.pair_label.size(), {kNone, 0.0f});
        const auto value = [&](uint64_t k) { return program.value.empty() ? 1.0f : std::abs(program.value[k]); };
        for (size_t u = 0; u < units_.size(); ++u) {
            const size_t first = units_.begin(u), last = first + units_.length(u);
            const auto each = [&](auto visit) {
                for (size_t t = first; t < last; ++t)
                    for (uint64_t k = program.begin[t]; k < program.begin[t + 1]; ++k) visit(t, k);
            };
            each([&](size_t t, uint64_t k) {
                Total& sum = total[at(t, k)];
                if (sum.unit != u) sum = {static_cast<uint32_t>(u), 0.0f};
                sum.value += value(k);
            });
            each([&](size_t t, uint64_t k) { coupling_[t] += value(k) * total[at(t, k)].value; });
        }
    }

    void visit(size_t u) {
        const size_t T = units_.length(u), first = units_.begin(u);
        const int Lp = problem_->Lp();
        float *theta = &theta_[first * Lp], *mu = &mu_[first * Lp];
        float *theta_transitions = theta_transitions_.data() + u * free_.size(),
              *mu_transitions = mu_transitions_.data() + u * free_.size();

        if (score_.size() < T * Lp) score_.resize(T * Lp), moved_.resize(T * Lp);
        score(u, score_.data(), threshold_);
        weight_transitions();
        moved_transitions_.assign(matrix_, 0.0f);
        for (int attempt = 0; attempt < kTries; ++attempt) {
            const float step = step_[u];
            for (size_t k = 0; k < T * Lp; k += kLane)
                store(&moved_[k], fma(step, load(&score_[k]) - load(theta + k), load(theta + k)));
            for (size_t k = 0; k < free_.size(); ++k)
                moved_transitions_[free_[k]] = theta_transitions[k] + step * (transitions_[k] - theta_transitions[k]);
            const double log_z = infer(u, moved_.data(), moved_transitions_.data());
            const double entropy = entropy_at(log_z, moved_.data(), moved_transitions_.data(), T);
            const double gain = entropy - entropy_[u] + gain_of_nodes(u, mu) + gain_of_transitions(u, mu_transitions);
            const double noise = kNoise * static_cast<double>(T);
            if (gain < -noise) {
                // At the start expectations are the known labels, nearer to these than theta is.
                if (entropy_[u] == 0)
                    for (size_t k = 0; k < T * Lp; ++k) theta[k] *= 1.5f;
                else step_[u] = std::max(kLeastStep, 0.5f * step);
                continue;
            }
            if (!attempt) step_[u] = std::min(1.0f, 1.3f * step);
            entropy_[u] = entropy;
            promised_ += std::max(0.0, gain);
            gain_[u] = std::max(noise / 3, gain);
            accept(T, first, theta, mu, theta_transitions, mu_transitions);
            if (visits_[u]++ % kMeasured == 0) measure(u);
            return;
        }
    }

    // Scores of a unit's tokens relative to those of the known labels; without a threshold, sums_ are the weights.
    void score(size_t u, float* out, float threshold) {
        const int Lp = problem_->Lp();
        units_.each_sequence(u, [&](size_t s) {
            loss_.score(s, sums_.data(), threshold);
            const float* from = loss_.work.score.data();
            const int32_t* gold = &problem_->data->gold[problem_->begin(s)];
            for (size_t t = 0; t < problem_->length(s); ++t, from += Lp, out += Lp) {
                const float known = from[gold[t]];
                for (int j = 0; j < Lp; j += kLane) store(out + j, load(from + j) - known);
            }
        });
    }
    // Expectations of a unit, into p_ and edge_; returns the sum of its log Z.
    double infer(size_t u, const float* potentials, const float* transitions) {
        const int Lp = problem_->Lp();
        loss_.transitions.set(transitions);
        if (p_.size() < units_.length(u) * Lp) p_.resize(units_.length(u) * Lp);
        edge_.assign(matrix_, 0.0f);
        float* p = p_.data();
        double log_z = 0;
        units_.each_sequence(u, [&](size_t s) {
            const size_t T = problem_->length(s);
            loss_.work.size(T, Lp);
            std::copy_n(potentials, T * Lp, loss_.work.score.begin());
            loss_.mask(s, false);
            log_z += posterior(loss_.transitions, loss_.work, T);
            if (!std::isfinite(log_z)) throw ImpossibleSequence(s);
            std::copy_n(loss_.work.p.begin(), T * Lp, p);
            for (size_t k = 0; k < matrix_; k += kLane) store(&edge_[k], load(&edge_[k]) + load(&loss_.work.edge[k]));
            potentials += T * Lp, p += T * Lp;
        });
        return log_z;
    }
    // The entropy of the distributions whose expectations are p_ and edge_.
    double entropy_at(double log_z, const float* potentials, const float* transitions, size_t T) const {
        return log_z - inner(potentials, p_.data(), T * problem_->Lp()) -
               inner_in_double(transitions, edge_.data(), matrix_);
    }
    void weight_transitions() {
        const float* sums = &sums_[problem_->layout.transitions_at()];
        transitions_.resize(free_.size());
        for (size_t k = 0; k < free_.size(); ++k) transitions_[k] = shrink(sums[free_[k]], threshold_);
    }
    static double inner(const float* a, const float* b, size_t n) {
        Vec<double> sum = {};
        for (size_t k = 0; k < n; k += kLane) sum += widened(load(a + k) * load(b + k));
        return sum_of<double>(sum);
    }
    static double inner_in_double(const float* a, const float* b, size_t n) {
        Vec<double> sum = {};
        for (size_t k = 0; k < n; k += kLane) sum = fma(widened(load(a + k)), widened(load(b + k)), sum);
        return sum_of<double>(sum);
    }
    // <score, change> - q/(2 lambda) k_t |change|^2 over the tokens; leaves the change in p_.
    double gain_of_nodes(size_t u, const float* mu) const {
        return with_blocks<float>(problem_->Lp() / kLane, [&](auto G) { return gain_of_rows<G>(u, mu); });
    }
    template <int G> double gain_of_rows(size_t u, const float* mu) const {
        const int Lp = G ? G * kLane : problem_->Lp();
        const size_t T = units_.length(u), first = units_.begin(u);
        const float factor = penalty(u);
        const float *score = score_.data(), *p = p_.data();
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
    double gain_of_transitions(size_t u, const float* mu_transitions) const {
        float linear = 0, square = 0;
        for (size_t k = 0; k < free_.size(); ++k) {
            const float change = edge_[free_[k]] - mu_transitions[k];
            linear += transitions_[k] * change;
            square += change * change;
        }
        return linear - penalty(u) * square;
    }
    float penalty(size_t u) const { return std::max(share_[u], least_share_) / static_cast<float>(2 * strength_); }

    // q_u by the last update, which stands in p_ (times -1/(lambda + kappa)), and what it did to the scores.
    void measure(size_t u) {
        const size_t T = units_.length(u), first = units_.begin(u);
        const int Lp = problem_->Lp();
        score(u, moved_.data(), threshold_);
        double curvature = 0, bound = 0;
        for (size_t t = 0; t < T; ++t) {
            Vec<float> moved = {}, square = {};
            for (size_t k = t * Lp; k < (t + 1) * Lp; k += kLane) {
                const Vec<float> change = load(&p_[k]);
                moved = fma(load(&moved_[k]) - load(&score_[k]), change, moved);
                square = fma(change, change, square);
            }
            curvature += sum_of<float>(moved);
            bound += static_cast<double>(coupling_[first + t]) * sum_of<float>(square);
        }
        if (!(bound > 0)) return;
        const float share = std::clamp(static_cast<float>(kSafety * curvature / bound), 0.0f, 1.0f);
        share_[u] = visits_[u] == 1 ? share : std::max(share, 0.5f * (share + share_[u]));
    }
    void accept(size_t T, size_t first, float* theta, float* mu, float* theta_transitions, float* mu_transitions) {
        const int Lp = problem_->Lp();
        const float rate = static_cast<float>(-1 / strength_);
        for (size_t t = 0; t < T; ++t) {
            for (size_t k = t * Lp; k < (t + 1) * Lp; k += kLane) {
                const Vec<float> fresh = load(&p_[k]), change = (fresh - load(mu + k)) * rate;
                store(mu + k, fresh);
                store(&p_[k], change);
            }
            scatter_token<true>(problem_->program(), problem_->layout, sums_.data(), first + t, &p_[t * Lp]);
        }
        std::copy_n(moved_.begin(), T * Lp, theta);
        float* transitions = &sums_[problem_->layout.transitions_at()];
        for (size_t k = 0; k < free_.size(); ++k) {
            const float fresh = edge_[free_[k]];
            transitions[free_[k]] += rate * (fresh - mu_transitions[k]);
            theta_transitions[k] = moved_transitions_[free_[k]];
            mu_transitions[k] = fresh;
        }
    }

    std::shared_ptr<const Problem> problem_;
    const DualUnits units_;
    SequenceLoss<float> loss_;
    const double c1_, lambda_;
    double pull_ = 0, strength_ = 0;  // kappa, and lambda + kappa
    float threshold_ = 0;             // of sums_
    float floor_ = 0;  // of least_share_: the further weights jump from 0, the less an update says of the next
    const size_t matrix_;
    const std::vector<uint32_t> free_;
    Array<float> sums_;                 // (v + kappa y) / (lambda + kappa)
    std::vector<float> centre_, last_;  // [parameters]: y, and the weights before it moved; empty without a pull
    Array<float> theta_, mu_, theta_transitions_, mu_transitions_;
    std::vector<float> step_, share_, coupling_;
    Array<float> score_, transitions_, moved_, moved_transitions_, p_, edge_;  // of the unit that is visited
    std::vector<double> entropy_, gain_;                                       // [units]: gain_ of the last visit
    std::vector<uint32_t> visits_;
    std::vector<uint32_t> since_;  // [units]: epochs since the last visit
    float least_share_ = 0;
    double value_ = 0;                 // D
    double inner_ = 0, promised_ = 0;  // the same with the pull, and what the last epoch's visits promised it
};

}  // namespace dovetail
