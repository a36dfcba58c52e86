// The k best labellings of a grid, exactly, as in one chain (kbest.hpp): a labelling is described by where, seen from its
// end, it leaves the best way on. Its loss against the best labelling is its parent's, and what the other state costs.
#pragma once
#include <set>
#include <tuple>

#include "grid_exact.hpp"

namespace dovetail {

class GridKBest {
public:
    explicit GridKBest(const Grids& grids) : layout_(grids), messages_(layout_), origins_(layout_), labels_(layout_.N) {}

    std::vector<int32_t> labels;  // [found x layers x T]
    std::vector<double> scores;   // [found], best first

    void run(size_t s, size_t k) {
        const Grids& grids = layout_.all;
        const GridView view(grids, s);
        if (k == 0) return;
        if (!view.T) return scores.push_back(0.0);
        bool in_range = true;
        if (!std::isfinite(messages_.run(view, in_range))) throw ImpossibleGrid(grids, s);
        follow(view, {0.0, 0, view.T, 0}, k);
        while (scores.size() < k && !waiting_.empty()) {
            const Candidate next = *waiting_.begin();
            waiting_.erase(waiting_.begin());
            follow(view, next, k);
        }
        labels.resize(scores.size() * layout_.N * view.T);
        for (size_t found = 0; found < scores.size(); ++found)
            for (size_t t = 0; t < view.T; ++t) layout_.write_labels(states_[found * view.T + t], &labels[found * layout_.N * view.T + t], view.T);
        std::vector<int32_t*> rows;
        for (size_t i = 0; i < layout_.N; ++i) rows.push_back(&labels[i * view.T]);
        const double best = labels_score(view, rows);
        for (double& score : scores) score = best - score;
    }

private:
    struct Candidate {
        double loss;
        size_t parent;  // number of the labelling it leaves
        size_t t;       // where; T: nowhere, the best one itself
        size_t state;   // what it has there
        bool operator<(const Candidate& other) const { return std::tie(loss, parent, t, state) < std::tie(other.loss, other.parent, other.t, other.state); }
    };

    // Writes the candidate's states down and offers all labellings that leave it further to the front.
    void follow(const GridView& view, const Candidate& from, size_t k) {
        const size_t T = view.T, number = scores.size();
        states_.resize(states_.size() + T);
        scores.push_back(from.loss);
        size_t* path = &states_[number * T];
        if (from.t < T) {
            const size_t* parent = &states_[from.parent * T];
            std::copy(parent + from.t + 1, parent + T, path + from.t + 1);
            path[from.t] = from.state;
        }
        for (size_t t = from.t; t-- > 0;) {
            const double* alpha = messages_.alpha(t);
            if (t + 1 == T) origins_.into_end();
            else {
                layout_.write_labels(path[t + 1], labels_.data(), 1);
                origins_.into(view, t + 1, labels_.data());
            }
            path[t] = origins_.best(alpha);
            offer_others(alpha, {from.loss, number, t, path[t]}, k);
        }
    }
    void offer_others(const double* alpha, const Candidate& best, size_t k) {
        const double high = origins_.value(alpha, best.state);
        for (size_t row = 0; row < layout_.rows; ++row)
            for (size_t j = 0; j < layout_.width; j += kLane) {
                const Vec<double> loss = best.loss + (high - origins_.value(alpha, row, j));
                if (!(smallest_of<double>(loss) <= worst(k))) continue;
                for (int lane = 0; lane < kLane; ++lane) {
                    const size_t state = row * layout_.width + j + static_cast<size_t>(lane);
                    if (state != best.state && std::isfinite(loss[lane])) offer({loss[lane], best.parent, best.t, state}, k);
                }
            }
    }
    // Candidates of a greater loss are not wanted any more.
    double worst(size_t k) const {
        const size_t wanted = k - scores.size();
        if (waiting_.size() < wanted) return std::numeric_limits<double>::max();
        return wanted ? waiting_.rbegin()->loss : -1.0;
    }
    void offer(const Candidate& candidate, size_t k) {
        const size_t wanted = k - scores.size();
        if (waiting_.size() >= wanted && (!wanted || !(candidate < *waiting_.rbegin()))) return;
        waiting_.insert(candidate);
        if (waiting_.size() > wanted) waiting_.erase(std::prev(waiting_.end()));
    }

    const GridLayout layout_;
    GridMessages<GridMax> messages_;
    GridOrigins origins_;
    std::vector<int32_t> labels_;
    std::vector<size_t> states_;  // [found x T]
    std::set<Candidate> waiting_;
};

}  // namespace dovetail
