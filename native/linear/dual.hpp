// One linear classifier: minimise over w [F] and v [h]
//
//     f(w, v) = 1/n sum_i M(y_i (x_i . w + z_i . v)) + lambda |w|^2 + mu |v|^2
//
// by coordinate ascent in its dual (Hsieh et al. 2008; Yu et al. 2011): each row i has one number a_i, and
// w = sum_i a_i y_i x_i / (2 lambda n). x are sparse rows, z a block of dense ones. The duality gap is a sum over rows;
// only those that have a share in it worth mentioning are visited until the next look at all. Where mu is 0, v is free:
// it is held near a centre that moves to where v has gone; that ends at the free minimum, soon if the columns of z are
// alike in size and not in direction. A classifier takes one vector of F numbers in single precision, and four numbers
// a row.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "linear/losses.hpp"
#include "linear/rows.hpp"

namespace dovetail {

struct LinearSettings {
    double lambda,
        tolerance;  // stop when f can fall by no more than this share of it (with a free v, by its last move)
    int max_iterations;
    double block_penalty = 0;  // mu
    double enough(double objective) const { return tolerance * std::max(objective, kNothing); }
    static constexpr double kNothing = 1e-3;  // of what no weights at all lose: less is not worth a time
};

struct LinearFit {
    double objective = 0;
    int iterations = 0;
    bool enough = true;  // by the tolerance
};

template <class Loss> class LinearDual {
public:
    LinearDual(const LinearRows& rows, const float* dense, size_t h, const LinearSettings& settings)
        : rows_(rows),
          dense_(dense),
          h_(h),
          F_(rows.n_columns()),
          settings_(settings),
          centre_(h),
          squares_(rows.size()),
          state_(rows.size()) {
        weights.resize(F_ + h_);
        double of_x = 0, of_z = 0;
        for (size_t i = 0; i < rows.size(); ++i) {
            squares_[i] = rows.square(i);
            of_x += squares_[i];
            for (size_t j = 0; j < h_; ++j) of_z += static_cast<double>(dense[i * h + j]) * dense[i * h + j];
        }
        // A centre holds v so that the block and the sparse features weigh the same: neither slows the ascent down.
        held_ = free() ? settings.lambda * (of_x > 0 && of_z > 0 ? of_z / of_x : 1) : settings.block_penalty;
    }
    std::vector<float> weights;  // w, then v

    // codes[i] == positive: y_i = 1; other codes -1, codes below 0: the row is left out. After so many looks it gives
    // up.
    LinearFit fit(const int32_t* codes, int32_t positive, int most_looks) {
        codes_ = codes, positive_ = positive;
        n_ = static_cast<double>(std::max<std::ptrdiff_t>(
            1, std::count_if(codes, codes + rows_.size(), [](int32_t code) { return code >= 0; })));
        std::fill(state_.begin(), state_.end(), static_cast<float>(Loss::kStart));
        std::fill(centre_.begin(), centre_.end(), 0.0f);
        std::fill(weights.begin(), weights.end(), 0.0f);
        random_ = 0x9E3779B97F4A7C15ull;
        return ascent(most_looks, true);
    }
    // The same from weights that are near the minimum.
    LinearFit resume(const std::vector<float>& from, int most_looks) {
        weights = from;
        for (size_t i = 0; i < rows_.size(); ++i)
            if (codes_[i] >= 0) state_[i] = static_cast<float>(Loss::state(margin(i)));
        const auto first_of_v = static_cast<std::ptrdiff_t>(F_);
        if (free()) std::copy(from.begin() + first_of_v, from.end(), centre_.begin());
        std::fill(weights.begin(), free() ? weights.begin() + first_of_v : weights.end(), 0.0f);
        for (size_t i = 0; i < rows_.size(); ++i)
            if (codes_[i] >= 0) add(i, Loss::a(state_[i]));
        return ascent(most_looks, false);
    }

    // w = X' a
    void coefficients(float* a) const {
        for (size_t i = 0; i < rows_.size(); ++i)
            a[i] =
                codes_[i] < 0 ? 0.0f : static_cast<float>(sign(i) * Loss::a(state_[i]) / (2 * settings_.lambda * n_));
    }

private:
    LinearFit ascent(int most_looks, bool from_zero) {
        LinearFit out;
        for (;; ++out.iterations) {
            const double gap = look(out.objective, from_zero && out.iterations == 0);
            const double moved = recentre();
            out.enough = gap + moved <= settings_.enough(out.objective);
            if (out.enough || out.iterations == most_looks) break;
            for (int round = 0; round < kRounds; ++round) ascend();
        }
        if (free())
            std::copy(centre_.begin(), centre_.end(),
                      weights.begin() + static_cast<std::ptrdiff_t>(F_));  // the v that was looked at
        return out;
    }

    bool free() const { return settings_.block_penalty == 0; }
    double sign(size_t i) const { return codes_[i] == positive_ ? 1.0 : -1.0; }
    double margin(size_t i) const {
        float sum = rows_.dot(i, weights.data());
        for (size_t j = 0; j < h_; ++j) sum += dense_[i * h_ + j] * weights[F_ + j];
        return sign(i) * sum;
    }
    // Row i's a has grown by so much.
    void add(size_t i, double grown) {
        const double by = sign(i) * grown / (2 * n_);
        rows_.add(i, static_cast<float>(by / settings_.lambda), weights.data());
        for (size_t j = 0; j < h_; ++j) weights[F_ + j] += static_cast<float>(by / held_) * dense_[i * h_ + j];
    }
    // The objective, by how much it may be too high, and the rows by which it is. Without weights all margins are 0.
    double look(double& objective, bool no_weights) {
        double loss = 0, gap = 0;
        gaps_.assign(rows_.size(), 0.0f);
        for (size_t i = 0; i < rows_.size(); ++i) {
            if (codes_[i] < 0) continue;
            const double q = no_weights ? 0 : margin(i), own = Loss::gap(state_[i], q);
            loss += Loss::value(q), gap += own;
            gaps_[i] = static_cast<float>(own);
        }
        const double least = kWorthwhile * gap / n_;
        active_.clear();
        for (size_t i = 0; i < rows_.size(); ++i)
            if (gaps_[i] > least) active_.push_back(static_cast<uint32_t>(i));
        double squares = 0, of_v = 0;
        for (size_t k = 0; k < F_; ++k) squares += static_cast<double>(weights[k]) * weights[k];
        for (size_t k = F_; k < F_ + h_; ++k) of_v += static_cast<double>(weights[k]) * weights[k];
        objective = loss / n_ + settings_.lambda * squares + settings_.block_penalty * of_v;
        return gap / n_;
    }
    // Moves the centre of a free v to v, and v as far again; what f may fall if v moves on as far as it has come.
    double recentre() {
        if (!free()) return 0;
        double moved = 0, far = 0;
        for (size_t j = 0; j < h_; ++j) {
            const float by = weights[F_ + j] - centre_[j];
            moved += static_cast<double>(by) * by;
            centre_[j] = weights[F_ + j], weights[F_ + j] += by;
            far += static_cast<double>(centre_[j]) * centre_[j];
        }
        return held_ * (moved + 2 * std::sqrt(moved * far));
    }
    // Each active row in turn, in an order of chance, to where the dual is highest.
    void ascend() {
        for (size_t k = active_.size(); k > 1; --k) std::swap(active_[k - 1], active_[draw(k)]);
        for (size_t k = 0; k < active_.size(); ++k) {
            const uint32_t i = active_[k];
            if (k + 4 < active_.size()) rows_.expect_row(active_[k + 4]);
            if (k + 1 < active_.size()) rows_.expect_weights(active_[k + 1], weights.data());
            double square = 0;
            for (size_t j = 0; j < h_; ++j) square += static_cast<double>(dense_[i * h_ + j]) * dense_[i * h_ + j];
            const double own = (squares_[i] / settings_.lambda + square / held_) / (2 * n_);
            const auto next = static_cast<float>(Loss::better(state_[i], margin(i), own));
            if (next == state_[i]) continue;
            add(i, Loss::a(next) - Loss::a(state_[i]));
            state_[i] = next;
        }
    }
    size_t draw(size_t below) {  // xorshift*
        random_ ^= random_ >> 12, random_ ^= random_ << 25, random_ ^= random_ >> 27;
        return static_cast<size_t>((random_ * 0x2545F4914F6CDD1Dull >> 32) * below >> 32);
    }

    static constexpr int kRounds = 2;
    static constexpr double kWorthwhile = 0.1;  // of the mean gap
    const LinearRows& rows_;
    const float* dense_;
    size_t h_, F_;
    LinearSettings settings_;
    double n_ = 1, held_ = 1;
    const int32_t* codes_ = nullptr;
    int32_t positive_ = 0;
    uint64_t random_ = 0;
    std::vector<float> centre_;                  // [h]
    std::vector<float> squares_, state_, gaps_;  // [rows]
    std::vector<uint32_t> active_;
};

}  // namespace dovetail
