// Which labels a layer can have at a token at all, before any joint state is looked at.
//
// The bound of a label is the most that the mass of a joint state with that label can be. Cotemporal factors of two
// layers that form a tree (each layer and its anchor) are taken as they are, others by their largest score. Of what led
// to the previous labels, a label counts what its own layer knows: the mass of a joint state is at most that of each of
// its labels.
#pragma once
#include "grid/sparse/states.hpp"

namespace dovetail {

// Labels of each layer at the token before: which, and the log of the largest mass of a state that has it.
struct PreviousLabels {
    std::vector<std::vector<uint32_t>> labels;
    std::vector<std::vector<double>> masses;
};

class LabelBounds {
public:
    LabelBounds(const Grids& grids, const SparsePlan& plan)
        : grids_(grids),
          plan_(plan),
          children_(grids.layers()),
          bound(grids.layers()),
          own_(grids.layers()),
          free_(grids.layers()),
          up_(grids.layers()),
          down_(grids.layers()),
          tree_(grids.layers()) {
        for (size_t i = 0; i < grids.layers(); ++i) {
            if (plan.anchor[i] != SparsePlan::kNone) children_[plan.anchor[i]].push_back(i);
            for (auto* rows : {&bound, &own_, &free_, &down_}) (*rows)[i].assign(padded(grids.labels[i]), 0.0);
            up_[i].assign(plan.anchor[i] == SparsePlan::kNone ? 0 : padded(grids.labels[plan.anchor[i]]), 0.0);
        }
    }

    void set(const GridView& view, size_t t, const PreviousLabels& previous, const CotemporalScores& cotemporal) {
        for (size_t i = 0; i < view.layers(); ++i) set_own(view, t, i, previous);
        all_ = 0;
        for (size_t at = plan_.stages.size(); at-- > 0;) {
            const size_t j = plan_.stages[at].layer, a = plan_.anchor[j];
            const std::vector<double>& row = all_but(free_[j], j, SparsePlan::kNone, false);
            if (a != SparsePlan::kNone) toward(j, a, row, up_[j], cotemporal, nullptr);
            else all_ += tree_[j] = *std::max_element(row.begin(), row.end());
        }
        for (size_t k = 0; k < grids_.cotemporal.size(); ++k)
            if (!plan_.is_anchor(k))
                all_ += *std::max_element(cotemporal[k], cotemporal[k] + grids_.factor_size(grids_.cotemporal[k]));
    }
    // Bounds, right for labels within the margin of the best; those of others may be too low. False if nothing is
    // allowed.
    bool finish(double margin, const CotemporalScores& cotemporal) {
        top = all_;
        for (const auto& stage : plan_.stages) {
            if (top == kForbidden) return false;
            const size_t j = stage.layer, a = plan_.anchor[j];
            if (a != SparsePlan::kNone) {
                near_.clear();
                for (uint32_t y = 0; y < grids_.labels[a]; ++y)
                    if (bound[a][y] >= top - margin) near_.push_back(y);
                toward(a, j, all_but(free_[a], a, j, true), down_[j], cotemporal, &near_);
                tree_[j] = tree_[a];
            }
            const std::vector<double>& row = all_but(own_[j], j, SparsePlan::kNone, true);
            const double others = all_ - tree_[j];
            Vec<double> high = splat(kForbidden);
            for (size_t y = 0; y < row.size(); y += kLane) {
                const Vec<double> value = load(&row[y]) + others;
                store(&bound[j][y], value);
                high = larger<double>(high, value);
            }
            top = std::min(top, largest_of<double>(high));
        }
        return top != kForbidden;
    }

private:
    const Grids& grids_;
    const SparsePlan& plan_;
    std::vector<std::vector<size_t>> children_;  // layers that have this one as their anchor

public:
    std::vector<std::vector<double>> bound;  // of each layer [Lp]
    double top = 0;                          // of all joint states

private:
    void set_own(const GridView& view, size_t t, size_t layer, const PreviousLabels& previous) {
        const size_t L = view.L(layer);
        std::vector<double>&own = own_[layer], &free = free_[layer];
        const double* node = view.node(layer, t);
        std::fill(own.begin(), own.end(), kForbidden);
        std::fill(free.begin(), free.end(), kForbidden);
        if (!t) {
            std::copy_n(node, L, own.begin());
            std::copy_n(node, L, free.begin());
            return;
        }
        for (size_t n = 0; n < previous.labels[layer].size(); ++n) {
            const double* transition = view.transition(layer, t) + previous.labels[layer][n] * L;
            const double mass = previous.masses[layer][n];
            for (size_t y = 0; y < L; ++y) {
                own[y] = std::max(own[y], mass + transition[y]);
                free[y] = std::max(free[y], transition[y]);
            }
        }
        sum_.assign(node, node + L);
        for (size_t k : plan_.lagged_into[layer])
            for (size_t y = 0; y < L; ++y) {
                double high = kForbidden;
                for (uint32_t before : previous.labels[grids_.lagged[k].before])
                    high = std::max(high, view.lagged(k, t)[before * L + y]);
                sum_[y] += high;
            }
        for (size_t y = 0; y < L; ++y) own[y] += sum_[y], free[y] += sum_[y];
    }
    // A row over a layer's labels with all that other layers say to them, but one of its children.
    const std::vector<double>& all_but(const std::vector<double>& row, size_t layer, size_t child, bool from_anchor) {
        sum_ = row;
        const auto add = [&](const std::vector<double>& more) {
            for (size_t y = 0; y < sum_.size(); y += kLane) store(&sum_[y], load(&sum_[y]) + load(&more[y]));
        };
        if (from_anchor && plan_.anchor[layer] != SparsePlan::kNone) add(down_[layer]);
        for (size_t k : children_[layer])
            if (k != child) add(up_[k]);
        return sum_;
    }
    // For each label of a layer the best of the other's row and their factor; of some labels of the other, if given.
    void toward(size_t from, size_t to, const std::vector<double>& row, std::vector<double>& out,
                const CotemporalScores& cotemporal, const std::vector<uint32_t>* some) {
        const size_t k = plan_.anchor[from] == to ? plan_.anchor_factor[from] : plan_.anchor_factor[to];
        const size_t F = grids_.labels[from], L = grids_.labels[to];
        if (grids_.cotemporal[k].layers[1] == from) {
            for (size_t a = 0; a < L; ++a) {
                const double* factor = cotemporal[k] + a * F;
                Vec<double> high = load(row.data()) + load(factor);
                for (size_t y = kLane; y < row.size(); y += kLane)
                    high = larger<double>(high, load(&row[y]) + load(factor + y));
                out[a] = largest_of<double>(high);
            }
        } else {
            for (size_t y = 0; y < out.size(); y += kLane) {
                Vec<double> high = splat(kForbidden);
                const size_t n = some ? some->size() : F;
                for (size_t at = 0; at < n; ++at) {
                    const size_t a = some ? (*some)[at] : at;
                    high = larger<double>(high, load(cotemporal[k] + a * L + y) + row[a]);
                }
                store(&out[y], high);
            }
        }
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(L), out.end(), kForbidden);
    }

    std::vector<std::vector<double>>
        own_;  // of each layer [Lp]: node, transition, lagged factors, and the mass of the previous label
    std::vector<std::vector<double>> free_;  // the same without that mass
    std::vector<std::vector<double>> up_;    // from each layer to its anchor's labels
    std::vector<std::vector<double>> down_;  // from each layer's anchor to its labels
    std::vector<double> tree_;               // of each layer: the most that its tree can be
    std::vector<double> sum_;
    std::vector<uint32_t> near_;
    double all_ = 0;  // the most that anything can be
};

}  // namespace dovetail
