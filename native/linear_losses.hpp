// Losses of linear classifiers, as functions of q = margin x label, label being 1 or -1.
#pragma once
#include <cmath>

namespace dovetail {

// (1 - q)^2, but a straight line below -1 (Zhang 2004). Where it is straight its curvature is that of the parabola
// which touches it there and at 1: Newton's method then takes no steps that are too long.
struct ModifiedHuber {
    static double value(double q) { return q >= 1 ? 0 : q >= -1 ? (1 - q) * (1 - q) : -4 * q; }
    static double slope(double q) { return q >= 1 ? 0 : q >= -1 ? 2 * (q - 1) : -4; }
    static double curvature(double q) { return q >= 1 ? 0 : q >= -1 ? 2 : 4 / (1 - q); }
};

struct SquaredHinge {
    static double value(double q) { return q >= 1 ? 0 : (1 - q) * (1 - q); }
    static double slope(double q) { return q >= 1 ? 0 : 2 * (q - 1); }
    static double curvature(double q) { return q >= 1 ? 0 : 2; }
};

struct Logistic {
    static double value(double q) { return q > 0 ? std::log1p(std::exp(-q)) : std::log1p(std::exp(q)) - q; }
    static double slope(double q) { return -1 / (1 + std::exp(q)); }
    static double curvature(double q) {
        const double p = 1 / (1 + std::exp(q));
        return p * (1 - p);
    }
};

}  // namespace dovetail
