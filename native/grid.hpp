// Several chains over the same tokens at once: a factorial CRF, computed exactly.
//
//   score(s) = sum_t [ sum_i node_i(t, s^i_t) + sum_i move_i(s^i_{t-1}, s^i_t) + sum_c couple_c(t, s^a_t, s^b_t) ]
//
// The state of a token is the tuple of its labels, K = prod L_i of them. A step does not need K x K moves: the previous
// labels are eliminated one layer after another,
//
//   M -> M_1(s^1, s'^2 .. s'^N) = (+)_{s'^1} M(s'^1 .. s'^N) (x) move_1(s'^1, s^1) -> ... -> M_N(s^1 .. s^N)
//
// which costs K x sum L_i a token.
#pragma once
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace dovetail {

struct GridCoupling {
    size_t lower, upper;
    std::vector<double> score;  // [T x L_lower x L_upper]
};

// Scores of one sequence. -infinity forbids.
struct GridScores {
    std::vector<size_t> labels;  // of each layer
    size_t T = 0;
    std::vector<std::vector<double>> node;  // [T x L_i]
    std::vector<std::vector<double>> move;  // [L_i x L_i], previous x label
    std::vector<GridCoupling> couplings;

    size_t layers() const { return labels.size(); }
    size_t states() const { return std::accumulate(labels.begin(), labels.end(), size_t{1}, std::multiplies<>()); }
};

struct MaxPlusCell {
    static constexpr double zero = -std::numeric_limits<double>::infinity(), one = 0.0;
    static void add(double& sum, double value) { sum = sum < value ? value : sum; }
    static double times(double a, double b) { return a + b; }
};
struct SumProductCell {
    static constexpr double zero = 0.0, one = 1.0;
    static void add(double& sum, double value) { sum += value; }
    static double times(double a, double b) { return a * b; }
};
struct LogSumCell {
    static constexpr double zero = -std::numeric_limits<double>::infinity(), one = 0.0;
    static void add(double& sum, double value) {
        if (value == zero) return;
        const double high = sum < value ? value : sum, low = sum < value ? sum : value;
        sum = high + std::log1p(std::exp(low - high));
    }
    static double times(double a, double b) { return a + b; }
};

// Replaces the label of one layer by its successor (or predecessor, with `move` transposed) in a message.
template <class Cell>
void eliminate(const double* from, double* to, const double* move, size_t L, size_t outer, size_t inner) {
    std::fill(to, to + outer * L * inner, Cell::zero);
    for (size_t o = 0; o < outer; ++o, from += L * inner, to += L * inner)
        for (size_t i = 0; i < L; ++i) {
            const double* row = move + i * L;
            if (inner == 1) {
                const double value = from[i];
                for (size_t j = 0; j < L; ++j) Cell::add(to[j], Cell::times(value, row[j]));
                continue;
            }
            for (size_t j = 0; j < L; ++j) {
                const double weight = row[j];
                const double* source = from + i * inner;
                double* target = to + j * inner;
                for (size_t k = 0; k < inner; ++k) Cell::add(target[k], Cell::times(source[k], weight));
            }
        }
}

// Walks over the messages of one sequence in a semiring. Only every `stride`-th message is kept; those between are
// computed again when they are asked for, so that memory grows with the square root of a long sequence.
template <class Cell> class GridMessages {
public:
    explicit GridMessages(const GridScores& scores) : scores_(scores), K_(scores.states()), N_(scores.layers()) {
        size_t inner = K_, outer = 1;
        for (size_t i = 0; i < N_; ++i) {
            inner /= scores.labels[i];
            inner_.push_back(inner), outer_.push_back(outer);
            outer *= scores.labels[i];
            forward_.push_back(prepared(scores.move[i], scores.labels[i], false));
            backward_.push_back(prepared(scores.move[i], scores.labels[i], true));
        }
        stride_ = scores.T * K_ <= kKept ? 1 : static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(scores.T))));
    }

    // alpha_t for all t, forward; returns the log of the whole weight. Kept messages are normalised.
    double run_forward() {
        log_ = 0;
        kept_.clear();
        std::vector<double> here;
        for (size_t t = 0; t < scores_.T; ++t) {
            log_ += advance(t, here);
            if (t % stride_ == 0) kept_.insert(kept_.end(), here.begin(), here.end());
        }
        return log_;
    }
    // alpha_t; cheap if asked for from the end to the front.
    const double* alpha(size_t t) {
        const size_t block = t / stride_;
        if (stride_ == 1) return &kept_[t * K_];
        if (block != block_) {
            block_ = block;
            const size_t last = std::min(scores_.T, (block + 1) * stride_);
            again_.assign(kept_.begin() + block * K_, kept_.begin() + (block + 1) * K_);
            std::vector<double> here = again_;
            for (size_t s = block * stride_ + 1; s < last; ++s) {
                advance(s, here);
                again_.insert(again_.end(), here.begin(), here.end());
            }
        }
        return &again_[(t - block * stride_) * K_];
    }
    // Scores of all states of a token, ready for the semiring; what was taken out of them.
    double local(size_t t, std::vector<double>& out) const {
        out.assign(K_, 0.0);
        for (size_t i = 0; i < N_; ++i) {
            const size_t L = scores_.labels[i];
            const double* node = &scores_.node[i][t * L];
            for (size_t k = 0; k < K_; ++k) out[k] += node[k / inner_[i] % L];
        }
        for (const GridCoupling& c : scores_.couplings) {
            const size_t La = scores_.labels[c.lower], Lb = scores_.labels[c.upper];
            const double* score = &c.score[t * La * Lb];
            for (size_t k = 0; k < K_; ++k) out[k] += score[k / inner_[c.lower] % La * Lb + k / inner_[c.upper] % Lb];
        }
        return normalise_logs(out);
    }
    // Eliminates layers first .. last - 1 in order, or backwards from last - 1 to first with transposed moves.
    void pass_forward(std::vector<double>& message, size_t first, size_t last) const {
        std::vector<double> next(K_);
        for (size_t i = first; i < last; ++i, message.swap(next))
            eliminate<Cell>(message.data(), next.data(), forward_[i].data(), scores_.labels[i], outer_[i], inner_[i]);
    }
    void pass_backward(std::vector<double>& message, size_t first, size_t last) const {
        std::vector<double> next(K_);
        for (size_t i = last; i-- > first; message.swap(next))
            eliminate<Cell>(message.data(), next.data(), backward_[i].data(), scores_.labels[i], outer_[i], inner_[i]);
    }
    // Rescales a message; the log of what was taken out.
    static double normalise(std::vector<double>& message) {
        if constexpr (std::is_same_v<Cell, SumProductCell>) {
            const double sum = std::accumulate(message.begin(), message.end(), 0.0);
            for (double& value : message) value /= sum;
            return std::log(sum);
        } else {
            const double high = *std::max_element(message.begin(), message.end());
            if (std::isfinite(high))
                for (double& value : message) value -= high;
            return high;
        }
    }
    size_t states() const { return K_; }
    size_t label(size_t state, size_t layer) const { return state / inner_[layer] % scores_.labels[layer]; }
    size_t inner(size_t layer) const { return inner_[layer]; }
    size_t outer(size_t layer) const { return outer_[layer]; }
    const std::vector<double>& moves(size_t layer) const { return forward_[layer]; }
    const GridScores& scores() const { return scores_; }

private:
    static constexpr size_t kKept = 16u << 20;  // numbers: 128 MB

    // Moves as the semiring wants them. Their scale is left as it is: log-scores of moves are small.
    static std::vector<double> prepared(const std::vector<double>& move, size_t L, bool transposed) {
        std::vector<double> out(L * L);
        for (size_t i = 0; i < L; ++i)
            for (size_t j = 0; j < L; ++j) {
                const double value = move[i * L + j];
                out[transposed ? j * L + i : i * L + j] = std::is_same_v<Cell, SumProductCell> ? std::exp(value) : value;
            }
        return out;
    }
    static double normalise_logs(std::vector<double>& scores) {
        const double high = *std::max_element(scores.begin(), scores.end());
        if (!std::isfinite(high)) {
            if constexpr (std::is_same_v<Cell, SumProductCell>) std::fill(scores.begin(), scores.end(), 0.0);
            return high;
        }
        for (double& value : scores) value = std::is_same_v<Cell, SumProductCell> ? std::exp(value - high) : value - high;
        return high;
    }
    double advance(size_t t, std::vector<double>& here) {
        if (t) pass_forward(here, 0, N_);
        else here.assign(K_, Cell::one);
        const double shift = local(t, local_);
        for (size_t k = 0; k < K_; ++k) here[k] = Cell::times(here[k], local_[k]);
        return shift + normalise(here);
    }

    const GridScores& scores_;
    const size_t K_, N_;
    std::vector<size_t> inner_, outer_;
    std::vector<std::vector<double>> forward_, backward_;
    size_t stride_ = 1, block_ = static_cast<size_t>(-1);
    double log_ = 0;
    std::vector<double> kept_, again_, local_;
};

// The best joint labels, [layers x T]; their score, or -infinity if nothing is allowed.
inline double grid_viterbi(const GridScores& scores, std::vector<int32_t>& labels) {
    const size_t T = scores.T, N = scores.layers();
    labels.assign(N * T, 0);
    if (!T) return 0.0;
    GridMessages<MaxPlusCell> messages(scores);
    const double best = messages.run_forward();
    if (!std::isfinite(best)) return best;
    const double* last = messages.alpha(T - 1);
    size_t state = static_cast<size_t>(std::max_element(last, last + messages.states()) - last);
    for (size_t t = T; t-- > 0;) {
        for (size_t i = 0; i < N; ++i) labels[i * T + t] = static_cast<int32_t>(messages.label(state, i));
        if (!t) break;
        const double* alpha = messages.alpha(t - 1);
        double high = -std::numeric_limits<double>::infinity();
        size_t from = 0;
        for (size_t k = 0; k < messages.states(); ++k) {
            double value = alpha[k];
            for (size_t i = 0; i < N; ++i) value += scores.move[i][messages.label(k, i) * scores.labels[i] + messages.label(state, i)];
            if (value > high) high = value, from = k;
        }
        state = from;
    }
    return best;
}

struct GridPosterior {
    double log_z = 0;
    std::vector<std::vector<double>> node;    // [T x L_i]
    std::vector<std::vector<double>> move;    // [L_i x L_i], expected counts
    std::vector<std::vector<double>> couple;  // [T x L_lower x L_upper], as the scores have them
    std::vector<double> joint;                // [T x K], if asked for
};

template <class Cell> GridPosterior grid_posterior_in(const GridScores& scores, bool joint) {
    const size_t T = scores.T, N = scores.layers();
    const auto probability = [](double value) { return std::is_same_v<Cell, SumProductCell> ? value : std::exp(value); };
    GridPosterior out;
    GridMessages<Cell> messages(scores);
    const size_t K = messages.states();
    for (size_t i = 0; i < N; ++i) {
        out.node.emplace_back(T * scores.labels[i], 0.0);
        out.move.emplace_back(scores.labels[i] * scores.labels[i], 0.0);
    }
    for (const GridCoupling& c : scores.couplings) out.couple.emplace_back(T * scores.labels[c.lower] * scores.labels[c.upper], 0.0);
    if (joint) out.joint.assign(T * K, 0.0);
    if (!T) return out;
    out.log_z = messages.run_forward();
    if (!std::isfinite(out.log_z)) return out;
    std::vector<double> beta(K, Cell::one), here(K), p(K), ahead, behind;
    for (size_t t = T; t-- > 0;) {
        const double* alpha = messages.alpha(t);
        for (size_t k = 0; k < K; ++k) p[k] = Cell::times(alpha[k], beta[k]);
        GridMessages<Cell>::normalise(p);
        double total = 0;
        for (double& value : p) total += value = probability(value);
        for (double& value : p) value /= total;
        for (size_t k = 0; k < K; ++k) {
            for (size_t i = 0; i < N; ++i) out.node[i][t * scores.labels[i] + messages.label(k, i)] += p[k];
            for (size_t c = 0; c < out.couple.size(); ++c) {
                const GridCoupling& of = scores.couplings[c];
                const size_t La = scores.labels[of.lower], Lb = scores.labels[of.upper];
                out.couple[c][t * La * Lb + messages.label(k, of.lower) * Lb + messages.label(k, of.upper)] += p[k];
            }
        }
        if (joint) std::copy(p.begin(), p.end(), out.joint.begin() + t * K);
        if (!t) break;
        messages.local(t, here);
        for (size_t k = 0; k < K; ++k) here[k] = Cell::times(here[k], beta[k]);
        // Layer i moves between `behind`, where layers before it have moved already, and `ahead`, where those after it have not yet.
        behind.assign(messages.alpha(t - 1), messages.alpha(t - 1) + K);
        for (size_t i = 0; i < N; ++i) {
            ahead = here;
            messages.pass_backward(ahead, i + 1, N);
            const size_t L = scores.labels[i], inner = messages.inner(i), outer = messages.outer(i);
            std::vector<double> moved(L * L, Cell::zero);
            for (size_t o = 0; o < outer; ++o)
                for (size_t a = 0; a < L; ++a)
                    for (size_t b = 0; b < L; ++b) {
                        double sum = Cell::zero;
                        const double *x = &behind[(o * L + a) * inner], *y = &ahead[(o * L + b) * inner];
                        for (size_t k = 0; k < inner; ++k) Cell::add(sum, Cell::times(x[k], y[k]));
                        Cell::add(moved[a * L + b], Cell::times(sum, messages.moves(i)[a * L + b]));
                    }
            GridMessages<Cell>::normalise(moved);
            double sum = 0;
            for (double& value : moved) sum += value = probability(value);
            for (size_t k = 0; k < L * L; ++k) out.move[i][k] += moved[k] / sum;
            if (i + 1 < N) messages.pass_forward(behind, i, i + 1);
        }
        beta = here;
        messages.pass_backward(beta, 0, N);
        GridMessages<Cell>::normalise(beta);
    }
    return out;
}

// log Z and all expectations. In probabilities; in logarithms where those leave the range of numbers.
inline GridPosterior grid_posterior(const GridScores& scores, bool joint) {
    GridPosterior found = grid_posterior_in<SumProductCell>(scores, joint);
    bool sound = std::isfinite(found.log_z);
    for (const auto& rows : found.node)
        for (double value : rows) sound &= std::isfinite(value);
    return sound ? found : grid_posterior_in<LogSumCell>(scores, joint);
}

}  // namespace dovetail
