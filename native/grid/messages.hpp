// Messages over the joint states of one sequence. A step does not need all pairs of states: the previous labels are
// eliminated one layer after another,
//
//   M -> M_1(s^1, s'^2 .. s'^N) = (+)_{s'^1} M(s'^1 .. s'^N) (x) transition_1(s'^1, s^1) -> ... -> M_N(s^1 .. s^N)
//
// which costs K x sum L_i for K = prod L_i states. A lagged factor is multiplied in when the new label of its later
// layer is there and the previous label of the other still is. Transitions that are given other layers' labels are
// applied after these layers have moved on: a matrix for each combination of given labels.
#pragma once
#include "grid/kernels.hpp"
#include "grid/layout.hpp"

namespace dovetail {

// Transitions and lagged factors into one token, as a semiring wants them.
template <class Cell> class GridStep {
public:
    explicit GridStep(const GridLayout& layout)
        : layout_(layout), transition_(layout.N), spread_(layout.N), shift_(layout.N), lagged_(layout.lagged.size()) {
        for (size_t i = 0; i < layout.N; ++i) {
            const size_t size = layout.context[i].combinations * matrix_size(i);
            transition_[i].assign((size + kLane - 1) / kLane * kLane, Cell::zero);
            if (!each_token(i)) prepare_transitions(i, 0);
        }
        back_.assign(transition_.back().size(), Cell::zero);
        if (!each_token(layout.N - 1)) transpose();
        for (size_t g = 0; g < layout.lagged.size(); ++g) lagged_[g].resize(layout.lagged[g].table_size());
    }

    // The log of what was taken out of the weights.
    double prepare(size_t token, bool& in_range) {
        double shift = 0, spread = 0;
        for (size_t i = 0; i < layout_.N; ++i) {
            if (each_token(i)) {
                prepare_transitions(i, token);
                if (i + 1 == layout_.N) transpose();
            }
            shift += shift_[i], spread += spread_[i];
        }
        for (size_t g = 0; g < lagged_.size(); ++g) {
            std::fill(lagged_[g].begin(), lagged_[g].end(), GridMax::zero);
            layout_.lagged[g].spread(token, lagged_[g].data());
            shift += Cell::prepare(lagged_[g].data(), lagged_[g].size(), spread);
        }
        in_range &= spread <= GridSum::kStep;
        return shift;
    }
    // Layer i's previous label, in `from`, becomes its new one, in `to`; lagged factors are in `from` already.
    void forward(size_t i, const double* from, double* to) const {
        i + 1 == layout_.N ? replace_lanes(transition_[i], from, to) : replace_rows(i, 1, layout_.L[i], from, to);
    }
    void backward(size_t i, const double* from, double* to) const {
        i + 1 == layout_.N ? replace_lanes(back_, from, to) : replace_rows(i, layout_.L[i], 1, from, to);
    }
    // Multiplies those lagged factors in that have the previous label of layer i.
    void apply_lagged(size_t i, double* message) const {
        for (size_t g : layout_.lagged_from[i]) {
            const GridFactor& factor = layout_.lagged[g];
            double* to = message;
            for (size_t row = 0; row < layout_.rows; ++row, to += layout_.width) {
                const double* weight = &lagged_[g][factor.row[row] * factor.width];
                for (size_t k = 0; k < layout_.width; k += kLane)
                    store(to + k, Cell::times(load(to + k), factor.innermost() ? load(weight + k) : splat(*weight)));
            }
        }
    }
    bool each_token(size_t i) const { return layout_.context[i].each_token; }
    size_t row_width(size_t i) const { return i + 1 == layout_.N ? layout_.width : layout_.L[i]; }
    size_t matrix_size(size_t i) const { return layout_.L[i] * row_width(i); }
    const Array<double>& transitions(size_t i) const { return transition_[i]; }  // [combinations x L x row_width]

private:
    void replace_lanes(const Array<double>& matrices, const double* from, double* to) const {
        const size_t i = layout_.N - 1, width = layout_.width;
        for (const auto& run : layout_.context[i].runs)
            Cell::product({run.states / width, layout_.L[i], width, from + run.first, width, 1,
                           &matrices[run.combination * matrix_size(i)], width, to + run.first, width});
    }
    void replace_rows(size_t i, size_t row, size_t column, const double* from, double* to) const {
        const size_t L = layout_.L[i], inner = layout_.inner[i];
        for (const auto& run : layout_.context[i].runs)
            for (size_t o = 0, at = run.first; o < run.repeats; ++o, at += L * inner)
                Cell::product({L, L, run.states, &transition_[i][run.combination * matrix_size(i)], row, column,
                               from + at, inner, to + at, inner});
    }
    void prepare_transitions(size_t i, size_t token) {
        const size_t L = layout_.L[i], width = row_width(i);
        const GridContext& context = layout_.context[i];
        const GridTransition& plain = layout_.all.transition[layout_.layer[i]];
        const double* score = plain.score + (plain.each_token ? token * L * L : 0);
        std::fill(transition_[i].begin(), transition_[i].end(), GridMax::zero);
        for (size_t q = 0; q < context.combinations; ++q) {
            double* to = &transition_[i][q * matrix_size(i)];
            for (size_t a = 0; a < L; ++a)
                for (size_t b = 0; b < L; ++b) to[a * width + b] = score[a * L + b];
            for (size_t n = 0; n < context.factors.size(); ++n) {
                const ConditionedTransition& factor = layout_.all.conditioned[context.factors[n]];
                const double* more = factor.score + (factor.each_token ? token * layout_.all.factor_size(factor) : 0) +
                                     context.cells[n][q] * L * L;
                for (size_t a = 0; a < L; ++a)
                    for (size_t b = 0; b < L; ++b) to[a * width + b] += more[a * L + b];
            }
        }
        spread_[i] = 0;
        shift_[i] = Cell::prepare(transition_[i].data(), transition_[i].size(), spread_[i]);
    }
    void transpose() {
        const size_t L = layout_.L.back(), width = layout_.width;
        for (size_t at = 0; at < layout_.context.back().combinations * L * width; at += L * width)
            for (size_t a = 0; a < L; ++a)
                for (size_t b = 0; b < L; ++b) back_[at + b * width + a] = transition_.back()[at + a * width + b];
    }

    const GridLayout& layout_;
    std::vector<Array<double>> transition_;
    std::vector<double> spread_, shift_;
    Array<double> back_;  // the innermost layer's transitions, transposed
    std::vector<Array<double>> lagged_;
};

// The scores of all joint states of a token.
class GridLocal {
public:
    explicit GridLocal(const GridLayout& layout) : layout_(layout), row_(layout.rows) {
        for (const auto* factors : {&layout.node, &layout.cotemporal})
            for (const GridFactor& factor : *factors)
                (factor.innermost() ? wide_ : narrow_)
                    .push_back({&factor, Array<double>(factor.table_size(), GridMax::zero)});
    }
    void score(size_t token, double* out) {
        std::fill(row_.begin(), row_.end(), 0.0);
        for (auto& [factor, table] : narrow_) {
            factor->spread(token, table.data());
            for (size_t row = 0; row < row_.size(); ++row) row_[row] += table[factor->row[row]];
        }
        const size_t width = layout_.width;
        for (size_t f = 0; f < wide_.size(); ++f) {
            auto& [factor, table] = wide_[f];
            factor->spread(token, table.data());
            double* to = out;
            for (size_t row = 0; row < row_.size(); ++row, to += width) {
                const double* from = table.data() + factor->row[row] * width;
                const Vec<double> all = splat(row_[row]);
                for (size_t k = 0; k < width; k += kLane) store(to + k, (f ? load(to + k) : all) + load(from + k));
            }
        }
    }

private:
    struct Spread {
        const GridFactor* factor;
        Array<double> table;
    };
    const GridLayout& layout_;
    std::vector<Spread> narrow_,
        wide_;  // without and with the innermost layer; the latter's labels themselves come first
    std::vector<double> row_;
};

// Forward messages of one sequence after another. Of a long one only every `stride`-th message is kept; those between
// are computed again when they are asked for, so that memory grows with the square root of its length.
template <class Cell> class GridMessages {
public:
    explicit GridMessages(const GridLayout& layout)
        : layout(layout), step(layout), weights(layout.size()), size_(layout.size()), local_(layout), other_(size_) {}

    const GridLayout& layout;
    GridStep<Cell> step;
    Array<double> weights;

    // alpha_t for all t; returns the log of the whole weight. False in `in_range`: numbers have left the range.
    // `scales` is null or takes the logs of what has been taken out until each token.
    double run(const GridView& view, bool& in_range, std::vector<double>* scales = nullptr) {
        first_ = view.first, T_ = view.T, block_ = kNoBlock;
        stride_ = T_ * size_ * sizeof(double) <= kKept
                      ? 1
                      : static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(T_))));
        kept_.resize((T_ + stride_ - 1) / stride_ * size_);
        LogProduct scale;
        here_.assign(size_, Cell::one);
        for (size_t t = 0; t < T_ && in_range; ++t) {
            advance(t, here_, scale, in_range);
            if (t % stride_ == 0) std::copy(here_.begin(), here_.end(), &kept_[t / stride_ * size_]);
            if (scales) scales->push_back(scale.log());
        }
        return scale.log();
    }
    // alpha_t, its largest number one; cheap if asked for from the end to the front.
    const double* alpha(size_t t) {
        if (stride_ == 1) return &kept_[t * size_];
        if (t / stride_ != block_) {
            block_ = t / stride_;
            const size_t first = block_ * stride_, last = std::min(T_, first + stride_);
            again_.resize(stride_ * size_);
            here_.assign(&kept_[block_ * size_], &kept_[block_ * size_] + size_);
            std::copy(here_.begin(), here_.end(), again_.begin());
            LogProduct ignored;
            bool in_range = true;
            for (size_t s = first + 1; s < last; ++s) {
                advance(s, here_, ignored, in_range);
                std::copy(here_.begin(), here_.end(), &again_[(s - first) * size_]);
            }
        }
        return &again_[(t - block_ * stride_) * size_];
    }
    // The weights of a token's states go to `weights`; the log of what was taken out of them.
    double weigh_states(size_t t, bool& in_range) {
        local_.score(first_ + t, weights.data());
        double spread = 0;
        const double taken = Cell::prepare(weights.data(), size_, spread);
        in_range &= spread <= GridSum::kStep;
        return taken;
    }
    // Takes a message from token t - 1 to t, without the weights of t; the log of what was taken out.
    double pass_on(size_t t, Array<double>& message, bool& in_range) {
        const double taken = step.prepare(first_ + t, in_range);
        for (size_t i : layout.elimination) {
            step.apply_lagged(i, message.data());
            step.forward(i, message.data(), other_.data());
            message.swap(other_);
        }
        return taken;
    }
    // Takes `message` to token t (none before the first) and takes its weights in.
    void advance(size_t t, Array<double>& message, LogProduct& scale, bool& in_range) {
        if (t) scale.plus(pass_on(t, message, in_range));
        scale.plus(weigh_states(t, in_range));
        Cell::weigh(weights.data(), message.data(), size_, scale, in_range);
    }
    // From beta_t to beta_{t-1}, scaled so that its products with alpha_{t-1} sum up to one.
    void retreat(size_t t, Array<double>& beta, bool& in_range) {
        const double* before = alpha(t - 1);
        weigh_states(t, in_range);
        step.prepare(first_ + t, in_range);
        for (size_t k = 0; k < size_; k += kLane) store(&beta[k], Cell::times(load(&weights[k]), load(&beta[k])));
        for (size_t n = layout.N; n-- > 0; beta.swap(other_)) {
            step.backward(layout.elimination[n], beta.data(), other_.data());
            step.apply_lagged(layout.elimination[n], other_.data());
        }
        Cell::rescale(beta.data(), size_, Cell::total(before, beta.data(), size_), in_range);
    }

private:
    static constexpr size_t kKept = 16u << 20;  // bytes
    static constexpr size_t kNoBlock = static_cast<size_t>(-1);

    const size_t size_;
    GridLocal local_;
    size_t first_ = 0, T_ = 0, stride_ = 1, block_ = kNoBlock;
    Array<double> kept_, again_, here_, other_;
};

}  // namespace dovetail
