// Losses M of linear classifiers, as functions of q = margin x label, label being 1 or -1, with what dual coordinate
// descent needs: M(q) = max over a of -a q - phi(a). A row's state s tells its a. `gap` is M(q) + phi(a) + a q >= 0,
// the row's share in how far the objective can fall at most. `better` is the state that is best if q grows by `own`
// with each unit of a, `state` that of the least gap. `slope` and `curvature` are those of M, for Newton's method.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "core/elementary.hpp"

namespace dovetail {

// (1 - q)^2 up to a slope of -kSteepest, a straight line beyond; 0 from q = 1 on. phi(a) = a^2 / 4 - a; s is a.
template <int kSteepest> struct Hinge {
    static constexpr double kStart = 0, kMost = kSteepest, kBend = 1 - kMost / 2;
    static double a(double s) { return s; }
    static double state(double q) { return -slope(q); }
    static double value(double q) {
        return q >= 1 ? 0 : q >= kBend ? (1 - q) * (1 - q) : kMost * (kBend - q) + kMost * kMost / 4;
    }
    static double slope(double q) { return -std::clamp(2 * (1 - q), 0.0, kMost); }
    // Where M is straight, that of the parabola which touches it there and at 1: no step is too long then.
    static double curvature(double q) { return q >= 1 ? 0 : q >= kBend ? 2 : kMost / (1 - q); }
    static double gap(double s, double q) {
        const double over = 1 - q, left = kMost - s;
        if (over < 0) return s * s / 4 - s * over;
        if (q < kBend) return left * (kBend - q) + left * left / 4;
        return (over - s / 2) * (over - s / 2);
    }
    static double better(double s, double q, double own) {
        return std::clamp((1 - q + own * s) / (0.5 + own), 0.0, kMost);
    }
};

struct ModifiedHuber : Hinge<4> {  // straight below -1 (Zhang 2004)
    static constexpr const char* kName = "modified_huber";
};

struct SquaredHinge : Hinge<2'000'000'000> {  // never straight
    static constexpr const char* kName = "squared_hinge";
};

// log(1 + exp(-q)); phi(a) = a log a + (1 - a) log(1 - a), and s is the logit of a.
struct Logistic {
    static constexpr const char* kName = "logistic";
    static constexpr double kStart = -20;  // nearly no weight
    static constexpr double kClose = 1e-2;
    static double a(double s) { return 1 / (1 + portable::exp(-s)); }
    static double state(double q) { return -q; }
    static double value(double q) {
        return q > 0 ? portable::log1p(portable::exp(-q)) : portable::log1p(portable::exp(q)) - q;
    }
    static double slope(double q) { return -1 / (1 + portable::exp(q)); }
    static double curvature(double q) {
        const double p = 1 / (1 + portable::exp(q));
        return p * (1 - p);
    }
    static double gap(double s, double q) { return std::max(0.0, value(q) - value(-s) + a(s) * (q + s)); }
    // Solves s' + q + own (a(s') - a(s)) = 0: it rises, and its root is bracketed by those of a = 0 and a = 1.
    static double better(double s, double q, double own) {
        const double now = a(s);
        double low = -q - own * (1 - now), high = -q + own * now, t = std::clamp(s > kStart ? s : -q, low, high),
               before = HUGE_VAL;
        for (int turn = 0; turn < 60; ++turn) {
            const double p = a(t), excess = t + q + own * (p - now);
            (excess > 0 ? high : low) = t;
            double next = t - excess / (1 + own * p * (1 - p));
            if (!(next >= low && next <= high) || std::abs(excess) > before / 2)
                next = (low + high) / 2;                                        // it may go round in circles
            if (std::abs(next - t) <= kClose * (1 + std::abs(t))) return next;  // a step of Newton's further
            before = std::abs(excess), t = next;
        }
        return t;
    }
};

using Losses = std::tuple<ModifiedHuber, Logistic, SquaredHinge>;

// Calls f with the loss of that name.
template <class F> auto with_loss(const std::string& name, F&& f) {
    using Result = decltype(f(ModifiedHuber{}));
    std::optional<Result> out;
    std::apply([&](auto... loss) { (void)((name == loss.kName && (out.emplace(f(loss)), true)) || ...); }, Losses{});
    if (!out) throw std::invalid_argument("there is no loss '" + name + "'");
    return *std::move(out);
}

}  // namespace dovetail
