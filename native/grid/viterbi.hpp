// The best joint labels of a grid, exactly.
#pragma once
#include <memory>

#include "grid/messages.hpp"
#include "grid/results.hpp"

namespace dovetail {

struct ImpossibleGrid : std::invalid_argument {
    ImpossibleGrid(const Grids& grids, size_t s)
        : std::invalid_argument("no combination of labels is allowed" +
                                (grids.n_sequences() > 1 ? " in sequence " + std::to_string(s + 1) : std::string())) {}
};

// Scores of the transitions from all joint states into one. Each is the sum of a number for the row of the state that
// is left and one for its lane.
class GridOrigins {
public:
    explicit GridOrigins(const GridLayout& layout)
        : layout_(layout), rows_(layout.rows), next_(layout.rows), lanes_(layout.width, GridMax::zero) {}

    // `labels` of the state at token t, by the layers' given numbers.
    void into(const GridView& view, size_t t, const int32_t* labels) {
        rows_.assign(1, 0.0);
        for (size_t i = 0; i < layout_.N; ++i) {
            const size_t L = layout_.L[i], given = layout_.layer[i], label = static_cast<size_t>(labels[given]);
            const double* transition = view.transition(given, t);
            weights_.resize(L);
            for (size_t a = 0; a < L; ++a) weights_[a] = transition[a * L + label];
            for (size_t g : layout_.lagged_from[i]) {
                const size_t after = layout_.all.lagged[g].after, width = view.L(after);
                const double* factor = view.lagged(g, t) + labels[after];
                for (size_t a = 0; a < L; ++a) weights_[a] += factor[a * width];
            }
            for (size_t k : layout_.context[i].factors) {
                const double* factor =
                    given_labels(view, k, t, [&](size_t j) { return static_cast<size_t>(labels[j]); }) + label;
                for (size_t a = 0; a < L; ++a) weights_[a] += factor[a * L];
            }
            if (i + 1 == layout_.N) {
                std::copy(weights_.begin(), weights_.end(), lanes_.begin());
                break;
            }
            next_.resize(rows_.size() * L);
            for (size_t row = 0, k = 0; row < rows_.size(); ++row)
                for (size_t a = 0; a < L; ++a, ++k) next_[k] = rows_[row] + weights_[a];
            rows_.swap(next_);
        }
    }
    // Into no state: after the last token.
    void into_end() {
        rows_.assign(layout_.rows, 0.0);
        std::fill(lanes_.begin(), lanes_.begin() + static_cast<ptrdiff_t>(layout_.L.back()), 0.0);
    }
    Vec<double> value(const double* alpha, size_t row, size_t lane) const {
        return load(alpha + row * layout_.width + lane) + (rows_[row] + load(&lanes_[lane]));
    }
    double value(const double* alpha, size_t state) const {
        return alpha[state] + (rows_[state / layout_.width] + lanes_[state % layout_.width]);
    }

    // The first state from which alpha and the transition are best.
    size_t best(const double* alpha) const {
        Vec<double> high = splat(GridMax::zero);
        for (size_t row = 0; row < layout_.rows; ++row)
            for (size_t k = 0; k < layout_.width; k += kLane) high = larger<double>(value(alpha, row, k), high);
        const double most = largest_of<double>(high);
        for (size_t row = 0; row < layout_.rows; ++row)
            for (size_t k = 0; k < layout_.width; k += kLane) {
                const Vec<double> found = value(alpha, row, k);
                for (int lane = 0; lane < kLane; ++lane)
                    if (found[lane] == most) return row * layout_.width + k + static_cast<size_t>(lane);
            }
        return 0;
    }

private:
    const GridLayout& layout_;
    std::vector<double> rows_, next_, weights_;
    Array<double> lanes_;
};

// Viterbi with the scratch space of one thread.
class GridDecoder {
public:
    explicit GridDecoder(const GridLayout& layout) : messages_(layout), origins_(layout), labels_(layout.N) {}

    // False: nothing is allowed.
    bool best(const GridView& view, const std::vector<int32_t*>& rows) {
        if (!view.T) return true;
        bool in_range = true;
        if (!std::isfinite(messages_.run(view, in_range))) return false;
        const GridLayout& layout = messages_.layout;
        const double* last = messages_.alpha(view.T - 1);
        size_t state = static_cast<size_t>(std::find(last, last + layout.size(), 0.0) - last);
        for (size_t t = view.T; t-- > 0;) {
            layout.write_labels(state, labels_.data(), 1);
            for (size_t i = 0; i < layout.N; ++i) rows[i][t] = labels_[i];
            if (!t) break;
            origins_.into(view, t, labels_.data());
            state = origins_.best(messages_.alpha(t - 1));
        }
        return true;
    }

private:
    GridMessages<GridMax> messages_;
    GridOrigins origins_;
    std::vector<int32_t> labels_;
};

inline GridLabels grid_best(const Grids& grids, int threads) {
    GridLabels out(grids);
    const GridLayout layout(grids);
    std::vector<std::unique_ptr<GridDecoder>> decoders(static_cast<size_t>(std::max(1, threads)));
    each_sequence(grids, threads, [&](size_t s, size_t, size_t worker) {
        if (!decoders[worker]) decoders[worker] = std::make_unique<GridDecoder>(layout);
        const GridView view(grids, s);
        const auto rows = label_rows(out, view);
        if (!decoders[worker]->best(view, rows)) throw ImpossibleGrid(grids, s);
        out.scores[s] = labels_score(view, rows);
    });
    return out;
}

}  // namespace dovetail
