// The same minimum as in linear_dual.hpp, for where coordinate ascent is slow: few features, or nearly no penalty.
// Newton's method with conjugate gradients (Lin, Weng and Keerthi 2008; here with a line search), from weights that are
// given. It takes seven vectors of F numbers in single precision; sums are in double.
#pragma once
#include <cmath>
#include <vector>

#include "linear/dual.hpp"

namespace dovetail {

template <class Loss> class LinearNewton {
public:
    LinearNewton(const LinearRows& rows, const float* dense, size_t h, const LinearSettings& settings)
        : rows_(rows), dense_(dense), h_(h), F_(rows.n_columns()), settings_(settings) {
        for (auto* each : {&weights, &gradient_, &step_, &residual_, &search_, &product_, &scale_})
            each->resize(F_ + h_);
        margin_.resize(rows.size()), change_.resize(rows.size()), curvature_.resize(rows.size());
    }
    std::vector<float> weights;  // w, then v

    // codes[i] == positive: y_i = 1; other codes -1, codes below 0: the row is left out.
    LinearFit fit(const int32_t* codes, int32_t positive, const std::vector<float>& start) {
        codes_ = codes, positive_ = positive;
        weights = start;
        n_ = 0;
        for (size_t i = 0; i < rows_.size(); ++i) {
            n_ += codes[i] >= 0;
            margin_[i] = codes[i] < 0 ? 0 : product_with(i, weights);
        }
        std::fill(change_.begin(), change_.end(), 0.0f);
        std::fill(step_.begin(), step_.end(), 0.0f);
        LinearFit out;
        out.objective = objective(0);
        double at_start = 0;
        for (; out.iterations < settings_.max_iterations; ++out.iterations) {
            derive();
            const double norm = std::sqrt(dot(gradient_, gradient_)), enough = settings_.enough(out.objective);
            if (!out.iterations) at_start = norm;
            if (!(norm > 0)) break;
            conjugate_gradients(std::min(0.1, std::sqrt(norm / at_start)));
            double slope = dot(gradient_, step_);  // twice of what is to be gained, if the step is the best there is
            if (!(-slope > enough)) {
                conjugate_gradients(kSure);
                slope = dot(gradient_, step_);
                if (!(-slope > enough)) break;
            }
            for (size_t i = 0; i < rows_.size(); ++i) change_[i] = codes_[i] < 0 ? 0 : product_with(i, step_);
            double length = 1, found = objective(length);
            while (found > out.objective + 1e-4 * length * slope && length > 1e-6) found = objective(length /= 2);
            if (!(found < out.objective)) break;
            for (size_t k = 0; k < weights.size(); ++k) weights[k] += static_cast<float>(length) * step_[k];
            for (size_t i = 0; i < rows_.size(); ++i) margin_[i] += static_cast<float>(length) * change_[i];
            const double gained = out.objective - found;
            out.objective = found;
            if (gained <= 1e-9 * found) break;
        }
        return out;
    }

private:
    double sign(size_t i) const { return codes_[i] == positive_ ? 1.0 : -1.0; }
    float product_with(size_t i, const std::vector<float>& w) const {
        float sum = rows_.dot(i, w.data());
        for (size_t j = 0; j < h_; ++j) sum += dense_[i * h_ + j] * w[F_ + j];
        return sum;
    }
    void add_row(size_t i, float factor, std::vector<float>& to) const {
        rows_.add(i, factor, to.data());
        for (size_t j = 0; j < h_; ++j) to[F_ + j] += factor * dense_[i * h_ + j];
    }
    // f at weights + length x step.
    double objective(double length) const {
        double sum = 0, squares = 0, of_v = 0;
        for (size_t i = 0; i < rows_.size(); ++i)
            if (codes_[i] >= 0) sum += Loss::value(sign(i) * (margin_[i] + length * change_[i]));
        for (size_t k = 0; k < F_; ++k) {
            const double w = weights[k] + length * step_[k];
            squares += w * w;
        }
        for (size_t k = F_; k < F_ + h_; ++k) {
            const double v = weights[k] + length * step_[k];
            of_v += v * v;
        }
        return sum / static_cast<double>(n_) + settings_.lambda * squares + settings_.block_penalty * of_v;
    }
    // The gradient, which rows have curvature, and the diagonal of the Hessian.
    void derive() {
        const auto twice = static_cast<float>(2 * settings_.lambda);
        for (size_t k = 0; k < F_; ++k) gradient_[k] = twice * weights[k], scale_[k] = twice;
        const auto twice_of_v = static_cast<float>(2 * settings_.block_penalty);
        for (size_t k = F_; k < F_ + h_; ++k)
            gradient_[k] = twice_of_v * weights[k], scale_[k] = kRidge * twice + twice_of_v;
        curved_.clear();
        const double share = 1 / static_cast<double>(n_);
        for (size_t i = 0; i < rows_.size(); ++i) {
            if (codes_[i] < 0) continue;
            const double y = sign(i), q = y * margin_[i], slope = Loss::slope(q);
            if (slope != 0) add_row(i, static_cast<float>(share * y * slope), gradient_);
            curvature_[i] = static_cast<float>(share * Loss::curvature(q));
            if (curvature_[i] <= kFlat * share) continue;
            curved_.push_back(static_cast<uint32_t>(i));
            rows_.add_squares(i, curvature_[i], scale_.data());
            for (size_t j = 0; j < h_; ++j) scale_[F_ + j] += curvature_[i] * dense_[i * h_ + j] * dense_[i * h_ + j];
        }
    }
    // step = -H^-1 gradient, until what is left is `tolerance` of the gradient, both scaled by the diagonal.
    void conjugate_gradients(double tolerance) {
        std::fill(step_.begin(), step_.end(), 0.0f);
        double rest = 0;
        for (size_t k = 0; k < F_ + h_; ++k) {
            residual_[k] = -gradient_[k];
            search_[k] = residual_[k] / scale_[k];
            rest += static_cast<double>(residual_[k]) * search_[k];
        }
        const double enough = tolerance * tolerance * rest;
        for (int turn = 0; turn < kMostTurns && rest > enough; ++turn) {
            multiply(search_, product_);
            const double curved = dot(search_, product_);
            if (!(curved > 0)) break;
            const auto length = static_cast<float>(rest / curved);
            double next = 0;
            for (size_t k = 0; k < F_ + h_; ++k) {
                step_[k] += length * search_[k];
                residual_[k] -= length * product_[k];
                next += static_cast<double>(residual_[k]) * residual_[k] / scale_[k];
            }
            const auto keep = static_cast<float>(next / rest);
            for (size_t k = 0; k < F_ + h_; ++k) search_[k] = residual_[k] / scale_[k] + keep * search_[k];
            rest = next;
        }
    }
    void multiply(const std::vector<float>& by, std::vector<float>& out) const {
        const auto twice = static_cast<float>(2 * settings_.lambda);
        for (size_t k = 0; k < F_; ++k) out[k] = twice * by[k];
        const float of_v = kRidge * twice + static_cast<float>(2 * settings_.block_penalty);
        for (size_t k = F_; k < F_ + h_; ++k) out[k] = of_v * by[k];
        for (uint32_t i : curved_) add_row(i, curvature_[i] * product_with(i, by), out);
    }
    static double dot(const std::vector<float>& a, const std::vector<float>& b) {
        double sum[8] = {};
        size_t k = 0;
        for (; k + 8 <= a.size(); k += 8)
            for (size_t i = 0; i < 8; ++i) sum[i] += static_cast<double>(a[k + i]) * b[k + i];
        for (; k < a.size(); ++k) sum[0] += static_cast<double>(a[k]) * b[k];
        return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
    }

    static constexpr int kMostTurns = 200;
    static constexpr double kSure =
        1e-3;  // of the gradient may be left of it before there is said to be nothing to gain
    static constexpr float kRidge = 1e-6f;  // of the curvature by which steps are found, so that there is always one
    static constexpr double kFlat = 1e-6;   // a row of less curvature is taken to have none
    const LinearRows& rows_;
    const float* dense_;
    size_t h_, F_, n_ = 0;
    LinearSettings settings_;
    const int32_t* codes_ = nullptr;
    int32_t positive_ = 0;
    std::vector<float> gradient_, step_, residual_, search_, product_, scale_;  // [F + h]
    std::vector<float> margin_, change_, curvature_;                            // [rows]
    std::vector<uint32_t> curved_;
};

}  // namespace dovetail
