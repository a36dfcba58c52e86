// Eigenvalues and eigenvectors of a symmetric matrix: reflections make it tridiagonal (Householder), rotations make
// that diagonal (implicit QL). Every sum has one order, so that a matrix has the same ones on every CPU.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/parallel.hpp"

namespace dovetail {

class SymmetricEigen {
public:
    std::vector<double> values;  // in no order

    // `matrix` [n x n] is taken for symmetric. Eigenvectors take its place, one a row.
    SymmetricEigen(size_t n, double* matrix, int threads)
        : values(n), n_(n), matrix_(matrix), beside_(n), halves_(n), threads_(threads) {
        double largest = 0;
        for (size_t k = 0; k < n * n; ++k) largest = std::max(largest, std::abs(matrix[k]));
        int exponent = 0;
        std::frexp(largest, &exponent);  // squares must neither overflow nor vanish
        for (size_t k = 0; k < n * n; ++k) matrix[k] = std::ldexp(matrix[k], -exponent);
        reduce();
        gather_reflections();
        diagonalise();
        for (double& value : values) value = std::ldexp(value, exponent);
    }

private:
    struct Rotation {
        size_t row;  // and the next one
        double cosine, sine;
    };
    static constexpr int kMostSteps = 100;       // for one eigenvalue, where two are usual
    static constexpr double kNothing = 1e-30;    // beside elements of which the largest is about 1
    static constexpr size_t kStrip = 64;         // columns that are rotated together,
    static constexpr size_t kRotations = 30000;  // by so many rotations

    double* row(size_t i) { return matrix_ + i * n_; }

    // Makes all elements of a row left of the one beside the diagonal 0, row by row from the last one up. What a
    // reflection I - u u'/half does to the rest of the matrix, less w u' + u w', is done in the pass of the next one.
    // The first i elements of row i are left to be u.
    void reduce() {
        std::vector<double> before(n_), w(n_);
        const double* u_before = nullptr;
        const auto update = [&](size_t j, size_t width) {
            if (!u_before) return;
            double* to = row(j);
            const double a = u_before[j], b = before[j];
            for (size_t k = 0; k < width; ++k) to[k] -= a * before[k] + b * u_before[k];
        };
        for (size_t i = n_; i-- > 0;) {
            double* u = row(i);
            update(i, i + 1);
            values[i] = u[i];
            if (i > 0) beside_[i - 1] = u[i - 1];
            const double half = i > 1 ? reflect(u, i) : 0;
            std::fill_n(w.begin(), i, 0.0);
            for (size_t j = 0; j < i; ++j) {
                update(j, i);
                if (half == 0) continue;
                const double factor = u[j] / half, *from = row(j);
                for (size_t k = 0; k < i; ++k) w[k] += factor * from[k];
            }
            halves_[i] = half;
            u_before = half == 0 ? nullptr : u;
            if (half == 0) continue;
            double along = 0;
            for (size_t k = 0; k < i; ++k) along += u[k] * w[k];
            along /= 2 * half;
            for (size_t k = 0; k < i; ++k) w[k] -= along * u[k];
            std::swap(w, before);
        }
    }

    // Turns the first i elements of a row into the vector of the reflection that leaves only the last of them, and
    // returns half its square; 0 where nothing is to be done.
    double reflect(double* u, size_t i) {
        double rest = 0;
        for (size_t k = 0; k + 1 < i; ++k) rest += u[k] * u[k];
        if (rest == 0) return 0;
        const double last = u[i - 1], length = std::sqrt(rest + last * last);
        const double to = last > 0 ? -length : length;
        beside_[i - 1] = to;
        u[i - 1] = last - to;
        return (rest + u[i - 1] * u[i - 1]) / 2;
    }

    // The product of all reflections, transposed, in place of their vectors.
    void gather_reflections() {
        std::vector<double> sums(n_);
        for (size_t i = 0; i < n_; ++i) {
            double* u = row(i);
            if (halves_[i] != 0) {
                std::fill_n(sums.begin(), i, 0.0);
                for (size_t j = 0; j < i; ++j)
                    for (size_t k = 0; k < i; ++k) sums[k] += u[j] * row(j)[k];
                for (size_t j = 0; j < i; ++j) {
                    const double factor = u[j] / halves_[i];
                    for (size_t k = 0; k < i; ++k) row(j)[k] -= factor * sums[k];
                }
            }
            std::fill_n(u, i, 0.0);
            u[i] = 1;
            for (size_t j = 0; j < i; ++j) row(j)[i] = 0;
        }
        for (size_t i = 0; i < n_; ++i)
            for (size_t j = 0; j < i; ++j) std::swap(row(i)[j], row(j)[i]);
    }

    bool is_negligible(size_t i) const {
        const double size = std::abs(values[i]) + std::abs(values[i + 1]);
        return !(std::abs(beside_[i]) > std::numeric_limits<double>::epsilon() * size + kNothing);
    }

    void diagonalise() {
        for (size_t first = 0; first < n_; ++first)
            for (int steps = 0;; ++steps) {
                size_t last = first;
                while (last + 1 < n_ && !is_negligible(last)) ++last;
                if (last == first) break;
                if (steps == kMostSteps) throw std::runtime_error("eigenvalues of a matrix were not found");
                step(first, last);
                if (rotations_.size() > kRotations) rotate();
            }
        rotate();
    }

    // An implicit QL step of the part from row `first` to row `last`, with Wilkinson's shift: a rotation of the last
    // two rows, and others upwards that chase the element away that it brings in.
    void step(size_t first, size_t last) {
        const double half_gap = (values[first + 1] - values[first]) / 2, off = beside_[first];
        const double root = std::sqrt(half_gap * half_gap + off * off);
        const double shift = values[first] - off * (off / (half_gap + (half_gap < 0 ? -root : root)));
        double cosine = 1, sine = 1, taken = 0, ahead = values[last] - shift;
        for (size_t i = last; i-- > first;) {
            const double bulge = sine * beside_[i], along = cosine * beside_[i];
            const double length = std::sqrt(bulge * bulge + ahead * ahead);
            beside_[i + 1] = length;
            if (length == 0) {  // the part falls in two by itself
                values[i + 1] -= taken;
                beside_[last] = 0;
                return;
            }
            sine = bulge / length, cosine = ahead / length;
            const double left = values[i + 1] - taken, turned = (values[i] - left) * sine + 2 * cosine * along;
            taken = sine * turned;
            values[i + 1] = left + taken;
            ahead = cosine * turned - along;
            rotations_.push_back({i, cosine, sine});
        }
        values[first] -= taken;
        beside_[first] = ahead;
        beside_[last] = 0;
    }

    // Turns the eigenvectors as the rows of the tridiagonal matrix were.
    void rotate() {
        parallel((n_ + kStrip - 1) / kStrip, threads_, [&](size_t strip, size_t) {
            const size_t begin = strip * kStrip, width = std::min(kStrip, n_ - begin);
            for (const Rotation& turn : rotations_) {
                double *upper = row(turn.row) + begin, *lower = row(turn.row + 1) + begin;
                for (size_t k = 0; k < width; ++k) {
                    const double a = upper[k], b = lower[k];
                    lower[k] = turn.sine * a + turn.cosine * b;
                    upper[k] = turn.cosine * a - turn.sine * b;
                }
            }
        });
        rotations_.clear();
    }

    size_t n_;
    double* matrix_;
    std::vector<double> beside_, halves_;  // elements beside the diagonal; half squares of reflections' vectors
    int threads_;
    std::vector<Rotation> rotations_;
};

}  // namespace dovetail
