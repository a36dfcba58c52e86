// One token of sparse inference: from the joint states kept at the token before to those kept at this one.
//
// Each stage of the plan gives one layer its new label. States that differ in nothing but what this stage forgets form
// a group; for each new label, a group's masses are added up, and the sums far below the best are dropped. After the
// last stage the fewest states stay that hold 1 - epsilon of the mass. What is dropped on the way counts as lost,
// weighed by what it could still have brought.
#pragma once
#include "core/elementary.hpp"
#include "grid/sparse/rows.hpp"

namespace dovetail {

class SparseStep {
public:
    SparseStep(const Grids& grids, const SparsePlan& plan) : plan_(plan), rows_(grids, plan) {}

    // Takes the states at t - 1 (at the first token: one empty state) to those at t, likeliest first. False if none is
    // allowed.
    bool advance(const GridView& view, size_t t, const SparseLimits& limits, const SparseStates& before,
                 SparseStates& after, std::vector<SparseBranches>* record, SparseLoss& loss) {
        limits_ = limits;
        for (int c = 0; c < kCuts && limits.epsilon > 0; ++c)
            cuts_[c] = static_cast<float>(portable::log(limits.epsilon) - 2.3 * c);
        loss = {}, loss_ = &loss;
        rows_.begin(view, t);
        if (record) record->resize(plan_.stages.size());
        const SparseStates* from = &before;
        for (size_t at = 0; at < plan_.stages.size(); ++at) {
            const bool last = at + 1 == plan_.stages.size();
            SparseStates& to = last ? after : partial_[at % 2];
            group(plan_.stages[at], *from);
            if (!spread(plan_.stages[at], *from, at == 0)) return false;
            last ? choose(to) : narrow(to);
            if (record) note((*record)[at], plan_.stages[at], *from, to.size());
            from = &to;
        }
        const double high = after.mass.front(), best = *std::max_element(after.best.begin(), after.best.end());
        for (double& value : after.mass) value -= high;
        for (double& value : after.best) value -= best;
        loss.log_scale = high;
        return true;
    }

private:
    static constexpr int kCuts = 6;                // from epsilon of the best down, by a factor of ten each
    static constexpr double kLossOnTheWay = 0.05;  // share of epsilon that may be lost at a stage
    static constexpr size_t kWider = 4;            // times the beam may be kept on the way

    struct Member {
        uint32_t state;
        size_t row;
    };

    // States that will be the same but for the new label, next to each other.
    void group(const SparsePlan::Stage& stage, const SparseStates& from) {
        const size_t n = from.size();
        table_.clear(n);
        rest_.clear();
        group_of_.resize(n);
        for (size_t e = 0; e < n; ++e) {
            uint64_t key = from.key[e];
            if (stage.held.bits) key = stage.held.with(key, stage.field.label(key));
            key &= ~(stage.field.mask() | stage.release);
            group_of_[e] = table_.number(key);
            if (group_of_[e] == rest_.size()) rest_.push_back(key);
        }
        starts_.assign(rest_.size() + 2, 0);
        for (uint32_t g : group_of_) ++starts_[g + 2];
        for (size_t g = 2; g < starts_.size(); ++g) starts_[g] += starts_[g - 1];
        members_.resize(n);
        for (size_t e = 0; e < n; ++e)
            members_[starts_[group_of_[e] + 1]++] = {static_cast<uint32_t>(e),
                                                     rows_.row(stage, stage.layer, from.key[e])};
    }
    // All new labels for all groups; those become states that can still come near the best. False if none is allowed.
    bool spread(const SparsePlan::Stage& stage, const SparseStates& from, bool first) {
        const size_t groups = rest_.size(), Lp = stage.Lp;
        sum_.resize(groups * Lp), mass_.resize(groups * Lp), total_.resize(groups * Lp);
        Vec<double> high = splat(kForbidden);
        for (size_t g = 0; g < groups; ++g) high = larger<double>(high, score(stage, from, g));
        const double best = largest_of<double>(high);
        if (best == kForbidden) return false;
        const double cut = choose_cut(best);
        const std::vector<double>& scores = rows_[stage.layer].score;
        size_t found = 0;
        look_.resize(states_.size()), source_.resize(states_.size());
        for (size_t g = 0; g < groups; ++g)
            for (size_t y = 0; y < Lp; y += kLane)
                for (unsigned rest = lanes_from(cut, &total_[g * Lp + y]); rest; rest &= rest - 1, ++found) {
                    const size_t label = y + static_cast<size_t>(std::countr_zero(rest)), cell = g * Lp + label;
                    if (found == states_.size())
                        states_.resize(2 * found + 64), look_.resize(2 * found + 64), source_.resize(2 * found + 64);
                    double best_here = kForbidden;
                    uint32_t origin = 0;
                    for (size_t n = starts_[g]; n < starts_[g + 1]; ++n) {
                        const auto& [e, own] = members_[n];
                        const double value = from.best[e] + scores[own * Lp + label];
                        if (value > best_here) best_here = value, origin = first ? e : from.origin[e];
                    }
                    states_.set(found, stage.field.with(rest_[g], label), mass_[cell],
                                best_here + (mass_[cell] - sum_[cell]), origin);
                    look_[found] = total_[cell] - mass_[cell];
                    source_[found] = static_cast<uint32_t>(cell);
                }
        states_.resize(found), look_.resize(found), source_.resize(found);
        return true;
    }
    // The highest of a few cuts below which no more than a part of epsilon is lost.
    double choose_cut(double best) {
        double cut = std::numeric_limits<double>::lowest();
        if (limits_.epsilon == 0) return cut;
        Vec<float> all{}, lost[kCuts] = {};
        for (size_t n = 0; n < total_.size(); n += kLane) {
            const Vec<float> below = narrowed(load(&total_[n]) - best), mass = exp(below);
            all += mass;
            for (int c = 0; c < kCuts; ++c) lost[c] += keep<float>(mass, below < cuts_[c]);
        }
        for (int c = 0; c < kCuts; ++c) {
            const double share = static_cast<double>(sum_of<float>(lost[c])) / static_cast<double>(sum_of<float>(all));
            if (c + 1 < kCuts && share > kLossOnTheWay * limits_.epsilon) continue;
            loss_->kept *= 1 - share;
            return best + static_cast<double>(cuts_[c]);
        }
        return cut;
    }
    // For each new label: the sum of a group's masses, that with cotemporal factors, and that with what is ahead. The
    // largest of the last.
    Vec<double> score(const SparsePlan::Stage& stage, const SparseStates& from, size_t g) {
        const size_t Lp = stage.Lp, first = starts_[g], end = starts_[g + 1];
        double *sum = &sum_[g * Lp], *mass = &mass_[g * Lp], *total = &total_[g * Lp];
        const double ahead = look_at(stage, from.key[members_[first].state]);
        const double* scores = rows_[stage.layer].score.data();
        Vec<double> high = splat(kForbidden);
        for (size_t y = 0; y < Lp; y += kLane) {
            Vec<double> value = load(scores + members_[first].row * Lp + y) + from.mass[members_[first].state];
            if (end - first > 1) {
                Vec<double> top = value;
                for (size_t n = first + 1; n < end; ++n)
                    top = larger<double>(top, load(scores + members_[n].row * Lp + y) + from.mass[members_[n].state]);
                const Vec<double> finite = larger<double>(top, splat(std::numeric_limits<double>::lowest()));
                Vec<double> all{};
                for (size_t n = first; n < end; ++n)
                    all += exp(load(scores + members_[n].row * Lp + y) + from.mass[members_[n].state] - finite);
                value = top + log_from_one(larger<double>(all, splat(1.0)));
            }
            store(sum + y, value);
            for (const double* more : factors_here_) value += load(more + y);
            store(mass + y, value);
            value += ahead;
            for (const double* more : looks_) value += load(more + y);
            store(total + y, value);
            high = larger<double>(high, value);
        }
        return high;
    }
    // Sets the rows of cotemporal factors that are complete with this stage's label, and of what is ahead of each
    // label; returns what is ahead of all.
    double look_at(const SparsePlan::Stage& stage, uint64_t key) {
        double shared = 0;
        factors_here_.clear(), looks_.clear();
        for (const auto& later : stage.later) {
            const size_t row = rows_.row(stage, later.layer, key);
            if (later.look == SparsePlan::Later::peak) shared += rows_[later.layer].peak[row];
            else if (later.look == SparsePlan::Later::anchored_here) looks_.push_back(rows_.ahead(later.layer, row));
            else shared += rows_.ahead(later.layer, row)[later.anchor.label(key)];
        }
        for (const auto& bound : stage.bounds) {
            if (bound.here) looks_.push_back(rows_.bound[bound.factor].data());
            else shared += rows_.bound[bound.factor][bound.first.label(key)];
        }
        spread_.resize(stage.completes.size() * stage.Lp);
        for (size_t n = 0; n < stage.completes.size(); ++n) {
            const auto& use = stage.completes[n];
            const double* factor = rows_.cotemporal[use.factor];
            for (const auto& [field, stride] : use.others) factor += field.label(key) * stride;
            if (use.stride != 1) {
                double* to = &spread_[n * stage.Lp];
                for (size_t y = 0; y < stage.L; ++y) to[y] = factor[y * use.stride];
                factor = to;
            }
            factors_here_.push_back(factor);
        }
        return shared;
    }

    // On the way: no more states than a few times the beam.
    void narrow(SparseStates& to) {
        const size_t most = limits_.beam > states_.size() ? states_.size() : limits_.beam * kWider;
        auto& ranked = fewest_.ranked;
        ranked.clear();
        if (states_.size() <= most) return std::swap(states_, to);
        for (size_t k = 0; k < look_.size(); ++k)
            ranked.push_back({states_.mass[k] + look_[k], static_cast<uint32_t>(k)});
        std::sort(ranked.begin(), ranked.end());
        const double high = ranked.front().value;
        double all = 0, stay = 0;
        for (size_t n = 0; n < ranked.size(); ++n) {
            const double mass = portable::exp(ranked[n].value - high);
            all += mass;
            if (n < most) stay += mass;
        }
        loss_->kept *= stay / all;
        loss_->narrowed = true;
        ranked.resize(most);
        gather(to);
    }
    void choose(SparseStates& to) {
        const double high = *std::max_element(states_.mass.begin(), states_.mass.end());
        linear_.assign(padded(states_.size()), kForbidden);
        for (size_t k = 0; k < states_.size(); ++k) linear_[k] = states_.mass[k] - high;
        for (size_t k = 0; k < linear_.size(); k += kLane) store(&linear_[k], exp(load(&linear_[k])));
        fewest_.choose(linear_, states_.mass.data(), states_.size(), limits_, *loss_);
        gather(to);
    }
    void gather(SparseStates& to) {
        to.resize(fewest_.ranked.size());
        for (size_t n = 0; n < to.size(); ++n) {
            const size_t k = fewest_.ranked[n].state;
            to.set(n, states_.key[k], states_.mass[k], states_.best[k], states_.origin[k]);
        }
    }
    void note(SparseBranches& to, const SparsePlan::Stage& stage, const SparseStates& from, size_t kept) {
        to.from_key = from.key;
        to.branches.clear();
        for (size_t n = 0; n < kept; ++n) {
            const size_t cell = source_[fewest_.ranked.empty() ? n : fewest_.ranked[n].state], g = cell / stage.Lp,
                         label = cell % stage.Lp;
            for (size_t k = starts_[g]; k < starts_[g + 1]; ++k) {
                const double mass =
                    from.mass[members_[k].state] + rows_[stage.layer].score[members_[k].row * stage.Lp + label];
                if (mass != kForbidden)
                    to.branches.push_back({members_[k].state, static_cast<uint32_t>(n), static_cast<uint32_t>(label),
                                           portable::exp(mass - sum_[cell])});
            }
        }
    }

    const SparsePlan& plan_;
    SparseLimits limits_{};
    SparseLoss* loss_ = nullptr;
    float cuts_[kCuts] = {};
    SparseRows rows_;
    StateNumbers table_;
    std::vector<uint64_t> rest_;               // of each group: the key without the new label
    std::vector<uint32_t> group_of_, starts_;  // of each state; where a group begins among
    std::vector<Member> members_;              // the states by group
    std::vector<double> sum_, mass_, total_;   // [groups x Lp]
    std::vector<const double*> factors_here_, looks_;
    std::vector<double> spread_, linear_;
    SparseStates states_, partial_[2];  // what this stage found; what earlier stages left
    std::vector<double> look_;          // ahead of each of states_
    std::vector<uint32_t> source_;      // cell of [groups x Lp] that each of states_ is from
    FewestStates fewest_;               // those of states_ that stay; none if all do
};

}  // namespace dovetail
