// One token of sparse inference where few labels of each layer matter: all their combinations at once, in plain arrays.
//
// Labels whose bounds are far below the best are left out; the joint states of the others are computed as exact
// inference does it, one layer's previous label eliminated after another, as products of probabilities. Then the fewest
// states are chosen that hold 1 - epsilon of the mass. If the labels left out could have held too much, the step is
// taken again with more.
#pragma once
#include "core/elementary.hpp"
#include "grid/exponentials.hpp"
#include "grid/sparse/bounds.hpp"
#include "grid/sparse/cells.hpp"

namespace dovetail {

class DenseStep {
public:
    DenseStep(const Grids& grids, const SparsePlan& plan, const std::vector<ExponentialScores>& transitions)
        : grids_(grids),
          plan_(plan),
          transitions_(transitions),
          bounds_(grids, plan),
          cotemporal_(grids),
          new_(grids.layers()),
          cells_(grids) {
        previous_.labels.resize(grids.layers()), previous_.masses.resize(grids.layers());
        for (size_t labels : grids.labels) index_.emplace_back(labels, kUnknown);
    }

    // Takes the states at t - 1 to those at t, likeliest first. False if this is no case for it: then nothing has
    // happened.
    bool advance(const GridView& view, size_t t, const SparseLimits& limits, const SparseStates& before,
                 SparseStates& after, std::vector<SparseBranches>* record, SparseLoss& loss) {
        if (limits.epsilon == 0 || plan_.holds || !grids_.conditioned.empty()) return false;
        view_ = &view, t_ = t;
        cotemporal_.set(view, t);
        set_previous(before);
        bounds_.set(view, t, previous_, cotemporal_);
        double margin = kFirstMargin - portable::log(limits.epsilon);
        for (int attempt = 0; attempt < 3; ++attempt) {
            loss = {};
            if (!bounds_.finish(margin, cotemporal_) || !choose_labels(margin) || !eliminate(before, record))
                return false;
            const double lost = outside_ * portable::exp(bounds_.top - log_mass_);
            if (lost < kLossByLabels * limits.epsilon) {
                loss.kept = 1 - lost;
                finish(limits, after, record, loss);
                return true;
            }
            margin += 1 + portable::log(lost / (kLossByLabels * limits.epsilon));
        }
        return false;
    }

private:
    static constexpr uint32_t kUnknown = std::numeric_limits<uint32_t>::max();
    static constexpr double kFirstMargin = 3.0;    // labels are left out below exp(-3) epsilon of the best at first
    static constexpr double kLossByLabels = 0.25;  // share of epsilon that labels left out may hold
    static constexpr size_t kMostCells = 1 << 15;
    static constexpr double kSmallest = 1e-200;  // a largest mass below this may be off

    void set_previous(const SparseStates& before) {
        for (size_t i = 0; i < grids_.layers(); ++i) {
            auto &labels = previous_.labels[i], &index = index_[i];
            auto& masses = previous_.masses[i];
            for (uint32_t label : labels) index[label] = kUnknown;
            labels.clear(), masses.clear();
            for (size_t e = 0; e < before.size(); ++e) {
                const size_t label = plan_.fields[i].label(before.key[e]);
                if (index[label] == kUnknown) {
                    index[label] = static_cast<uint32_t>(labels.size());
                    labels.push_back(static_cast<uint32_t>(label));
                    masses.push_back(before.mass[e]);
                }
                masses[index[label]] = std::max(masses[index[label]], before.mass[e]);
            }
        }
    }
    // Labels near enough to the best, and what the others could hold together. False if there are too many.
    bool choose_labels(double margin) {
        double cells = 1, outside = 0;
        for (size_t i = 0; i < grids_.layers(); ++i) {
            const std::vector<double>& bound = bounds_.bound[i];
            const double high = bounds_.top, cut = high - margin;
            new_[i].clear();
            Vec<float> others{};
            for (size_t y = 0; y < bound.size(); y += kLane) {
                const Vec<float> below = narrowed(load(&bound[y]) - high);
                others += keep<float>(exp(below), below < static_cast<float>(-margin));
                for (unsigned rest = lanes_from(cut, &bound[y]); rest; rest &= rest - 1) {
                    const auto label = static_cast<uint32_t>(y) + static_cast<uint32_t>(std::countr_zero(rest));
                    if (bound[label] != kForbidden)
                        new_[i].push_back(label);  // padding is forbidden, and may be near enough if all is
                }
            }
            outside += static_cast<double>(sum_of<float>(others));
            cells *= static_cast<double>(new_[i].empty() ? 0 : std::max(new_[i].size(), previous_.labels[i].size()));
        }
        outside_ = outside;
        return cells > 0 && cells <= kMostCells;
    }

    // Masses of all combinations of the chosen labels. False if they leave the range of numbers.
    bool eliminate(const SparseStates& before, std::vector<SparseBranches>* record) {
        const size_t N = grids_.layers();
        cells_.clear(previous_.labels);
        if (record) numbers_.assign(cells_.size(), 0);
        linear_.resize(2 * before.size());
        exponentials(before.mass.data(), 0, linear_.data(), before.size());
        exponentials(before.best.data(), 0, linear_.data() + before.size(), before.size());
        for (size_t e = 0; e < before.size(); ++e) {
            size_t cell = 0;
            for (size_t i = 0; i < N; ++i) cell += cells_.stride(i) * index_[i][plan_.fields[i].label(before.key[e])];
            cells_.now.mass[cell] = linear_[e];
            cells_.now.best[cell] = linear_[before.size() + e];
            cells_.now.origin[cell] = static_cast<double>(e);
            if (record) numbers_[cell] = static_cast<uint32_t>(e);
        }
        log_scale_ = 0;
        if (record) record->resize(N);
        for (size_t at = 0; at < N; ++at) {
            const size_t layer = plan_.stages[at].layer;
            set_weights(layer);
            cells_.replace(layer, weight_.data(), new_[layer].size());
            if (record) note_stage(at, before, (*record)[at]);
            cells_.accept(layer, new_[layer].size());
            for (size_t k : plan_.lagged_into[layer])
                if (t_) weigh_lagged(k);
        }
        return weigh_local();
    }
    // Rows of transitions from the previous labels to the chosen ones, as probabilities.
    void set_weights(size_t layer) {
        const std::vector<uint32_t>&from = previous_.labels[layer], &to = new_[layer];
        const size_t L = grids_.labels[layer], width = padded(to.size());
        weight_.assign(from.size() * width, 0.0);
        if (!t_) {
            std::fill_n(weight_.begin(), to.size(), 1.0);
            return;
        }
        const bool each = grids_.transition[layer].each_token;
        const double* transition = view_->transition(layer, t_);
        double peak = transitions_[layer].peak(0);
        if (each) {
            peak = kForbidden;
            for (uint32_t x : from)
                for (uint32_t y : to) peak = std::max(peak, transition[x * L + y]);
            if (peak == kForbidden) peak = 0;
        } else {
            transition = transitions_[layer].at(0);
        }
        for (size_t x = 0; x < from.size(); ++x)
            for (size_t y = 0; y < to.size(); ++y) {
                const double value = transition[from[x] * L + to[y]];
                weight_[x * width + y] = each ? portable::exp(value - peak) : value;
            }
        log_scale_ += peak;
    }
    void weigh_lagged(size_t k) {
        const LaggedFactor& factor = grids_.lagged[k];
        const size_t L = grids_.labels[factor.after];
        const double* scores = view_->lagged(k, t_);
        double peak = kForbidden;
        for (uint32_t x : previous_.labels[factor.before])
            for (uint32_t y : new_[factor.after]) peak = std::max(peak, scores[x * L + y]);
        if (peak == kForbidden) peak = 0;
        for (size_t cell = 0; cell < cells_.size(); ++cell) {
            if (cells_.now.mass[cell] == 0) continue;
            const double weight =
                portable::exp(scores[previous_.labels[factor.before][cells_.label_at(cell, factor.before)] * L +
                                     new_[factor.after][cells_.label_at(cell, factor.after)]] -
                              peak);
            cells_.now.mass[cell] *= weight, cells_.now.best[cell] *= weight;
        }
        log_scale_ += peak;
    }
    // Scores of labels and cotemporal factors at this token.
    bool weigh_local() {
        const size_t N = grids_.layers(), inner = cells_.inner, n = cells_.extent(inner), width = cells_.width();
        const double* node = view_->node(inner, t_);
        local_.resize(cells_.size());
        row_key_.resize(cells_.size() / width);
        counter_.assign(N, 0);
        double high = kForbidden;
        for (size_t row = 0; row < row_key_.size(); ++row) {
            double shared = 0;
            uint64_t key = 0;
            for (size_t i = 0; i < N; ++i) {
                if (i == inner) continue;
                shared += view_->node(i, t_)[new_[i][counter_[i]]];
                key = plan_.fields[i].with(key, new_[i][counter_[i]]);
            }
            row_key_[row] = key;
            double* to = &local_[row * width];
            for (size_t y = 0; y < n; ++y) to[y] = shared + node[new_[inner][y]];
            std::fill(to + n, to + width, kForbidden);
            for (size_t k = 0; k < grids_.cotemporal.size(); ++k) {
                size_t offset = 0, own = 0;
                for (size_t i : grids_.cotemporal[k].layers) {
                    offset *= grids_.labels[i], own *= grids_.labels[i];
                    if (i == inner) own = 1;
                    else offset += new_[i][counter_[i]];
                }
                const double* factor = cotemporal_[k] + offset;
                for (size_t y = 0; y < n; ++y) to[y] += factor[own * new_[inner][y]];
            }
            for (size_t y = 0; y < n; ++y) high = std::max(high, to[y]);
            for (size_t i = N; i-- > 0;) {
                if (i == inner) continue;
                if (++counter_[i] < cells_.extent(i)) break;
                counter_[i] = 0;
            }
        }
        if (high == kForbidden) return false;
        Vec<double> sums{}, top{};
        for (size_t k = 0; k < cells_.size(); k += kLane) {
            const Vec<double> weight = exp(load(&local_[k]) - high), mass = load(&cells_.now.mass[k]) * weight;
            store(&cells_.now.mass[k], mass);
            store(&cells_.now.best[k], load(&cells_.now.best[k]) * weight);
            sums += mass;
            top = larger<double>(top, mass);
        }
        log_scale_ += high;
        highest_ = largest_of<double>(top);
        log_mass_ = portable::log(sum_of<double>(sums)) + log_scale_;
        return highest_ > kSmallest;
    }
    void finish(const SparseLimits& limits, SparseStates& after, std::vector<SparseBranches>* record,
                SparseLoss& loss) {
        fewest_.choose(cells_.now.mass, cells_.now.mass.data(), cells_.size(), limits, loss);
        const size_t n = fewest_.ranked.size(), width = cells_.width(), inner = cells_.inner;
        after.resize(padded(n));
        double best = 0;
        for (const auto& kept : fewest_.ranked) best = std::max(best, cells_.now.best[kept.state]);
        for (size_t k = 0; k < after.size(); ++k) {
            const size_t cell = fewest_.ranked[std::min(k, n - 1)].state;
            const uint64_t key = plan_.fields[inner].with(row_key_[cell / width], new_[inner][cell % width]);
            after.set(k, key, highest_ / cells_.now.mass[cell],
                      cells_.now.best[cell] > best * kSmallest ? best / cells_.now.best[cell] : 1 / kSmallest,
                      static_cast<uint32_t>(cells_.now.origin[cell]));
        }
        for (size_t k = 0; k < after.size(); k += kLane) {
            store(&after.mass[k], -log_from_one(load(&after.mass[k])));
            store(&after.best[k], -log_from_one(load(&after.best[k])));
        }
        after.resize(n);
        loss.log_scale = portable::log(highest_) + log_scale_;
        if (record) note_end(record->back());
    }

    // Where a stage's cells came from. States are numbered by their cells; at the first stage, as they are before it.
    void note_stage(size_t at, const SparseStates& before, SparseBranches& to) {
        const size_t layer = plan_.stages[at].layer, n = new_[layer].size(), width = padded(n);
        const size_t inside = cells_.stride(layer), wide = cells_.room(layer),
                     broad = layer == cells_.inner ? width : n;
        to.branches.clear();
        if (at) to.from_key.assign(cells_.size(), 0);
        else to.from_key = before.key;
        for (size_t cell = 0; cell < cells_.size(); ++cell) {
            if (cells_.now.mass[cell] == 0) continue;
            const size_t x = cell / inside % wide, o = cell / (inside * wide), k = cell % inside;
            const uint32_t from = at ? static_cast<uint32_t>(cell) : numbers_[cell];
            if (at) to.from_key[cell] = key_of(cell, at);
            for (size_t y = 0; y < n; ++y) {
                const size_t target = (o * broad + y) * inside + k;
                const double part = cells_.now.mass[cell] * weight_[x * width + y];
                if (part > 0)
                    to.branches.push_back(
                        {from, static_cast<uint32_t>(target), new_[layer][y], part / cells_.next.mass[target]});
            }
        }
    }
    uint64_t key_of(size_t cell, size_t at) const {
        uint64_t key = 0;
        for (size_t n = 0; n < plan_.stages.size(); ++n) {
            const size_t i = plan_.stages[n].layer;
            key = plan_.fields[i].with(key, (n < at ? new_[i] : previous_.labels[i])[cells_.label_at(cell, i)]);
        }
        return key;
    }
    // The last stage's cells are numbered as the states that were kept; others lead nowhere.
    void note_end(SparseBranches& to) {
        numbers_.assign(cells_.size(), kUnknown);
        for (size_t n = 0; n < fewest_.ranked.size(); ++n) numbers_[fewest_.ranked[n].state] = static_cast<uint32_t>(n);
        size_t stay = 0;
        for (const auto& branch : to.branches)
            if (numbers_[branch.to] != kUnknown) {
                to.branches[stay] = branch;
                to.branches[stay++].to = numbers_[branch.to];
            }
        to.branches.resize(stay);
    }

    const Grids& grids_;
    const SparsePlan& plan_;
    const std::vector<ExponentialScores>& transitions_;
    const GridView* view_ = nullptr;
    size_t t_ = 0;
    LabelBounds bounds_;
    CotemporalScores cotemporal_;
    PreviousLabels previous_;
    std::vector<std::vector<uint32_t>> index_;  // of each layer and label: its number among the previous labels
    std::vector<std::vector<uint32_t>> new_;    // labels of each layer that may matter
    std::vector<double> weight_;                // of a layer [previous x new, padded]
    LabelCells cells_;
    std::vector<double> local_, linear_;
    std::vector<uint64_t> row_key_;  // of each row of cells: the labels of all layers but the inner one
    std::vector<size_t> counter_;
    std::vector<uint32_t> numbers_;  // of cells that are states at the token before, or kept at this one
    FewestStates fewest_;
    double outside_ = 0, log_scale_ = 0, log_mass_ = 0, highest_ = 0;
};

}  // namespace dovetail
