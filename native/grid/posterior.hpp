// log Z and all expectations of a grid, exactly. With beta scaled so that sum_k alpha_t(k) beta_t(k) = 1, products of
// messages are probabilities. Between two tokens,
//
//   behind_i   alpha_{t-1} with the layers before the i-th moved on already
//   ahead_i    weights_t (x) beta_t with the layers after the i-th taken back
//   P(s'^i_{t-1} = a, s^i_t = b) = transition_i(a, b) sum over the other labels of behind_i(.. a ..) ahead_i(.. b ..)
//
// and so for each combination of labels that the transition is given, summed over the other labels that have it.
// "Before" and "after" are meant in the order of elimination.
#pragma once
#include <memory>

#include "grid/viterbi.hpp"

namespace dovetail {

// Sums a distribution over joint states up to the labels of a factor's layers.
class GridMarginal {
public:
    explicit GridMarginal(const GridLayout& layout) : layout_(layout), row_(layout.rows) {}

    void take(const double* p) {
        p_ = p;
        for (size_t row = 0; row < layout_.rows; ++row, p += layout_.width) {
            Vec<double> sum{};
            for (size_t k = 0; k < layout_.width; k += kLane) sum += load(p + k);
            row_[row] = sum_of<double>(sum);
        }
    }
    void write(const GridFactor& factor, double* cells) {
        const size_t width = layout_.width;
        if (factor.innermost() && factor.from.size() == layout_.rows) return factor.collect(p_, cells);
        table_.assign(factor.table_size(), 0.0);
        for (size_t row = 0; row < layout_.rows; ++row) {
            double* to = &table_[factor.row[row] * factor.width];
            if (!factor.innermost()) *to += row_[row];
            else
                for (size_t k = 0; k < width; k += kLane) store(to + k, load(to + k) + load(p_ + row * width + k));
        }
        factor.collect(table_.data(), cells);
    }

private:
    const GridLayout& layout_;
    const double* p_ = nullptr;
    std::vector<double> row_;
    Array<double> table_;
};

template <class Cell> class GridPosterior {
public:
    explicit GridPosterior(const GridLayout& layout)
        : layout_(layout),
          messages_(layout),
          marginal_(layout),
          ahead_(layout.N + 1, Array<double>(layout.size())),
          pairs_(layout.N),
          beta_(layout.size()),
          behind_(layout.size()),
          next_(layout.size()),
          p_(layout.size()) {
        for (size_t i = 0; i < layout.N; ++i) {
            pairs_[i].resize(layout.context[i].combinations * sums_size(i));
            totals_.emplace_back(layout.L[i] * layout.L[i]);
        }
        for (const ConditionedTransition& factor : layout.all.conditioned)
            conditioned_totals_.emplace_back(layout.all.factor_size(factor));
    }

    // log Z; `joint` is null or takes the probabilities of joint states. Nothing is to be believed that is not
    // `in_range`.
    double run(const GridView& view, SequenceExpectations& to, double* joint, bool& in_range) {
        if (!view.T) return 0.0;
        for (auto& sums : pairs_) std::fill(sums.begin(), sums.end(), 0.0);
        for (auto* totals : {&totals_, &conditioned_totals_})
            for (auto& sums : *totals) std::fill(sums.begin(), sums.end(), 0.0);
        double log_z = messages_.run(view, in_range);
        if (!in_range || !(log_z > GridMax::zero)) return log_z;
        std::fill(beta_.begin(), beta_.end(), Cell::one);
        const double all = Cell::total(messages_.alpha(view.T - 1), beta_.data(), beta_.size());
        log_z += Cell::log_of(all);
        Cell::rescale(beta_.data(), beta_.size(), all, in_range);
        for (size_t t = view.T - 1; in_range; --t) {
            multiply(messages_.alpha(t), beta_.data());
            for (size_t i = 0; i < layout_.N; ++i) marginal_.write(layout_.node[i], to.labels(layout_.layer[i], t));
            for (size_t k = 0; k < layout_.cotemporal.size(); ++k)
                marginal_.write(layout_.cotemporal[k], to.cotemporal(k, t));
            if (joint) marginal_.write(layout_.joint, joint + (view.first + t) * layout_.joint.size);
            if (t == 0) break;
            step_back(view, t, to, in_range);
        }
        if (in_range) write_totals(to);
        return log_z;
    }

private:
    // The distribution over joint states that two messages make.
    void multiply(const double* a, const double* b) {
        for (size_t k = 0; k < p_.size(); k += kLane)
            store(&p_[k], Cell::probability(Cell::times(load(a + k), load(b + k))));
        marginal_.take(p_.data());
    }
    void step_back(const GridView& view, size_t t, SequenceExpectations& to, bool& in_range) {
        const size_t N = layout_.N, size = layout_.size();
        const double* before = messages_.alpha(t - 1);
        messages_.weigh_states(t, in_range);
        messages_.step.prepare(view.first + t, in_range);
        for (size_t k = 0; k < size; k += kLane)
            store(&ahead_[N][k], Cell::times(load(&messages_.weights[k]), load(&beta_[k])));
        for (size_t n = N; n-- > 0;) {
            messages_.step.backward(layout_.elimination[n], ahead_[n + 1].data(), ahead_[n].data());
            messages_.step.apply_lagged(layout_.elimination[n], ahead_[n].data());
        }
        const double all = Cell::total(before, ahead_[0].data(), size);
        std::copy(ahead_[0].begin(), ahead_[0].end(), beta_.begin());
        std::copy(before, before + size, behind_.begin());
        Cell::rescale(beta_.data(), size, all, in_range);
        Cell::rescale(behind_.data(), size, all, in_range);
        for (size_t n = 0; n < N; ++n) {
            const size_t i = layout_.elimination[n];
            if (!layout_.lagged_from[i].empty()) {
                multiply(behind_.data(), ahead_[n].data());
                for (size_t g : layout_.lagged_from[i]) marginal_.write(layout_.lagged[g], to.lagged(g, t));
                messages_.step.apply_lagged(i, behind_.data());
            }
            couple(i, behind_.data(), ahead_[n + 1].data());
            if (messages_.step.each_token(i)) {
                write_pairs(i, t, to);
                std::fill(pairs_[i].begin(), pairs_[i].end(), 0.0);
            }
            if (n + 1 == N) break;
            messages_.step.forward(i, behind_.data(), next_.data());
            behind_.swap(next_);
        }
    }
    void couple(size_t i, const double* before, const double* after) {
        for (const auto& run : layout_.context[i].runs) {
            const double* transition = &messages_.step.transitions(i)[run.combination * messages_.step.matrix_size(i)];
            double* sums = &pairs_[i][run.combination * sums_size(i)];
            if (i + 1 == layout_.N)
                Cell::couple_lanes(run.states / layout_.width, layout_.L[i], layout_.width, before + run.first,
                                   after + run.first, transition, sums);
            else
                Cell::couple_rows(run.repeats, layout_.L[i], layout_.inner[i], run.states, before + run.first,
                                  after + run.first, transition, sums);
        }
    }
    size_t sums_size(size_t i) const {
        return i + 1 == layout_.N ? layout_.L[i] * layout_.width : layout_.L[i] * layout_.L[i] * kLane;
    }
    // What pairs of labels of layer i have come to. Expectations at one token are complete, and may have been written
    // before; those of all tokens together are added to the totals.
    void write_pairs(size_t i, size_t t, SequenceExpectations& to) {
        const GridContext& context = layout_.context[i];
        const size_t L = layout_.L[i], given = layout_.layer[i];
        double* plain = fresh(layout_.all.transition[given].each_token, to.transitions(given, t), totals_[i]);
        write_cells(i, 0, [&](size_t, size_t cell, double value) { plain[cell] += value; });
        for (size_t n = 0; n < context.factors.size(); ++n) {
            const size_t k = context.factors[n];
            double* cells = fresh(layout_.all.conditioned[k].each_token, to.conditioned(k, t), conditioned_totals_[k]);
            write_cells(i, n, [&](size_t at, size_t cell, double value) { cells[at * L * L + cell] += value; });
        }
    }
    static double* fresh(bool each_token, double* own, std::vector<double>& totals) {
        if (!each_token) return totals.data();
        std::fill(own, own + totals.size(), 0.0);
        return own;
    }
    // visit(cell of the given labels in the n-th conditioned transition, previous x label, expectation)
    template <class Visit> void write_cells(size_t i, size_t n, Visit visit) const {
        const GridContext& context = layout_.context[i];
        const size_t L = layout_.L[i], width = messages_.step.row_width(i), size = messages_.step.matrix_size(i);
        for (size_t q = 0; q < context.combinations; ++q)
            for (size_t a = 0; a < L; ++a)
                for (size_t b = 0; b < L; ++b) {
                    const double* sums = &pairs_[i][q * sums_size(i)];
                    const double sum =
                        i + 1 == layout_.N ? sums[a * width + b] : sum_of<double>(load(sums + (a * L + b) * kLane));
                    visit(context.cells.empty() ? 0 : context.cells[n][q], a * L + b,
                          Cell::expected(sum, messages_.step.transitions(i)[q * size + a * width + b]));
                }
    }
    void write_totals(SequenceExpectations& to) {
        for (size_t i = 0; i < layout_.N; ++i) {
            if (!messages_.step.each_token(i)) write_pairs(i, 0, to);
            if (!layout_.all.transition[layout_.layer[i]].each_token)
                add(totals_[i], to.transitions(layout_.layer[i], 0));
        }
        for (size_t k = 0; k < conditioned_totals_.size(); ++k)
            if (!layout_.all.conditioned[k].each_token) add(conditioned_totals_[k], to.conditioned(k, 0));
    }
    static void add(const std::vector<double>& from, double* to) {
        for (size_t k = 0; k < from.size(); ++k) to[k] += from[k];
    }

    const GridLayout& layout_;
    GridMessages<Cell> messages_;
    GridMarginal marginal_;
    std::vector<Array<double>> ahead_, pairs_;
    std::vector<std::vector<double>> totals_, conditioned_totals_;  // over the tokens of a sequence
    Array<double> beta_, behind_, next_, p_;
};

// In probabilities; in logarithms where those leave the range of numbers.
inline GridExpectations grid_expectations(const Grids& grids, int threads, double* joint = nullptr) {
    struct Worker {
        explicit Worker(const GridLayout& layout) : fast(layout) {}
        GridPosterior<GridSum> fast;
        std::unique_ptr<GridPosterior<GridLogSum>> slow;
    };
    const GridLayout layout(grids);
    std::vector<std::unique_ptr<Worker>> workers(static_cast<size_t>(std::max(1, threads)));
    return expectations(grids, threads, [&](const GridView& view, SequenceExpectations& to, size_t s, size_t worker) {
        auto& own = workers[worker];
        if (!own) own = std::make_unique<Worker>(layout);
        bool in_range = true;
        double log_z = own->fast.run(view, to, joint, in_range);
        if (!in_range) {
            if (!own->slow) own->slow = std::make_unique<GridPosterior<GridLogSum>>(layout);
            log_z = own->slow->run(view, to, joint, in_range = true);
        }
        if (!std::isfinite(log_z)) throw ImpossibleGrid(grids, s);
        return log_z;
    });
}

}  // namespace dovetail
