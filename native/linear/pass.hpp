// A pass of all classifiers over rows as a file has them: the sum of their losses, and its gradient, for methods that
// see a text part by part. Weights and gradient are [features x labels], so that a row's features are read once for all
// labels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "linear/losses.hpp"

namespace dovetail {

struct StoredRows {
    const uint64_t* begin;  // [n + 1]
    const uint32_t* ids;    // of features
    const float* values;    // or null: 1 each
    size_t n;

    double value(uint64_t k) const { return values ? values[k] : 1.0; }
    // What each of L classifiers says of a row.
    void score(size_t row, const double* w, size_t L, double* out) const {
        std::fill(out, out + L, 0.0);
        for (uint64_t k = begin[row]; k < begin[row + 1]; ++k) {
            const double* from = w + ids[k] * L;
            const double by = value(k);
            for (size_t j = 0; j < L; ++j) out[j] += by * from[j];
        }
    }
};

// Rows whose code is below 0 are left out; the gradient is added to what is there.
template <class Loss>
double pass_over_rows(const StoredRows& rows, const int32_t* codes, const double* w, size_t L, double* gradient) {
    std::vector<double> score(L), slope(L);
    double sum = 0;
    for (size_t row = 0; row < rows.n; ++row) {
        if (codes[row] < 0) continue;
        rows.score(row, w, L, score.data());
        bool flat = true;
        for (size_t j = 0; j < L; ++j) {
            const double y = static_cast<size_t>(codes[row]) == j ? 1.0 : -1.0, q = y * score[j];
            sum += Loss::value(q);
            slope[j] = y * Loss::slope(q);
            flat = flat && slope[j] == 0;
        }
        if (flat) continue;
        for (uint64_t k = rows.begin[row]; k < rows.begin[row + 1]; ++k) {
            double* to = gradient + rows.ids[k] * L;
            const double by = rows.value(k);
            for (size_t j = 0; j < L; ++j) to[j] += by * slope[j];
        }
    }
    return sum;
}

}  // namespace dovetail
