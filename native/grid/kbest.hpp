// The k best labellings of a grid, exactly.
#pragma once
#include "core/kbest.hpp"
#include "grid/viterbi.hpp"

namespace dovetail {

class GridKBest {
public:
    explicit GridKBest(const Grids& grids)
        : layout_(grids), messages_(layout_), origins_(layout_), labels_(layout_.N) {}

    std::vector<int32_t> labels;  // [found x layers x T]
    std::vector<double> scores;   // [found], best first

    void run(size_t s, size_t k) {
        const Grids& grids = layout_.all;
        const GridView view(grids, s);
        labels.clear(), scores.clear();
        if (k == 0) return;
        bool in_range = true;
        if (view.T && !std::isfinite(messages_.run(view, in_range))) throw ImpossibleGrid(grids, s);
        KBestPaths<size_t> search;
        view_ = &view;
        search.run(view.T, k, *this);
        scores = std::move(search.loss);
        labels.resize(scores.size() * layout_.N * view.T);
        for (size_t found = 0; found < scores.size(); ++found)
            for (size_t t = 0; t < view.T; ++t)
                layout_.write_labels(search.paths[found * view.T + t], &labels[found * layout_.N * view.T + t], view.T);
        std::vector<int32_t*> rows;
        for (size_t i = 0; i < layout_.N; ++i) rows.push_back(labels.data() + i * view.T);
        const double best = labels_score(view, rows);
        for (double& score : scores) score = best - score;
    }

private:
    friend class KBestPaths<size_t>;
    size_t best(size_t t, const size_t* path) {
        alpha_ = messages_.alpha(t);
        if (t + 1 == view_->T) origins_.into_end();
        else {
            layout_.write_labels(path[t + 1], labels_.data(), 1);
            origins_.into(*view_, t + 1, labels_.data());
        }
        return best_ = origins_.best(alpha_);
    }
    template <class Worst, class Visit> void each_other(double loss, Worst worst, Visit visit) const {
        const double high = origins_.value(alpha_, best_);
        for (size_t row = 0; row < layout_.rows; ++row)
            for (size_t j = 0; j < layout_.width; j += kLane) {
                const Vec<double> total = loss + (high - origins_.value(alpha_, row, j));
                if (!(smallest_of<double>(total) <= worst())) continue;
                for (int lane = 0; lane < kLane; ++lane) {
                    const size_t state = row * layout_.width + j + static_cast<size_t>(lane);
                    if (state != best_) visit(state, total[lane]);
                }
            }
    }

    const GridLayout layout_;
    GridMessages<GridMax> messages_;
    GridOrigins origins_;
    std::vector<int32_t> labels_;
    const GridView* view_ = nullptr;
    const double* alpha_ = nullptr;  // of the place at hand
    size_t best_ = 0;
};

}  // namespace dovetail
