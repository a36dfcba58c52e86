// W'W of classifiers whose weights are sums of rows, w = X'a. The weights of two batches of classifiers at a time are
// made; all of W is never there.
#pragma once
#include <utility>
#include <vector>

#include "linear/rows.hpp"

namespace dovetail {

struct LinearPart {
    const LinearRows* rows;
    const float* coefficients;  // [problems x rows]
    size_t problems;
};

class LinearGram {
public:
    // Each feature is of one of the groups, of the only one where none are given: there is a matrix for each.
    LinearGram(const std::vector<LinearPart>& parts, const int64_t* groups, size_t n_groups)
        : groups_(groups), n_groups_(n_groups) {
        for (const LinearPart& part : parts) {
            const size_t batches = (part.problems + kMost - 1) / kMost;
            for (size_t b = 0; b < batches; ++b) {
                const size_t first = b * part.problems / batches, n = (b + 1) * part.problems / batches - first;
                batches_.push_back({part.rows, part.coefficients + first * part.rows->size(), n, m_ + first});
            }
            m_ += part.problems;
        }
    }

    // out [groups x problems x problems]
    void run(int threads, double* out) const {
        std::vector<std::pair<size_t, size_t>> pairs;
        for (size_t i = 0; i < batches_.size(); ++i)
            for (size_t j = i; j < batches_.size(); ++j) pairs.emplace_back(i, j);
        size_t largest = 0;
        for (const Batch& batch : batches_) largest = std::max(largest, batch.rows->n_columns() * batch.n);
        // Memory that a thread asks for is not given back when it ends: it is asked for here.
        std::vector<Worker> workers;
        while (workers.size() < std::min(pairs.size(), static_cast<size_t>(std::max(1, threads))))
            workers.emplace_back(batches_[0].rows->n_dataset_features(), largest);
        parallel(pairs.size(), threads, [&](size_t k, size_t worker) {
            const auto [i, j] = pairs[k];
            Worker& own = workers[worker];
            if (own.left != i) own.take(i, batches_[i]);
            batches_[j].rows->combine(batches_[j].coefficients, batches_[j].n, own.others.data());
            for (size_t g = 0; g < n_groups_; ++g) multiply(own, batches_[i], batches_[j], g, out + g * m_ * m_);
        });
    }

private:
    static constexpr size_t kMost = 32;  // problems of a batch
    struct Batch {
        const LinearRows* rows;
        const float* coefficients;
        size_t n, first;
    };
    struct Worker {
        Worker(size_t n_dataset_features, size_t largest)
            : column(n_dataset_features), weights(largest), others(largest) {}
        size_t left = SIZE_MAX;
        std::vector<uint32_t> column;        // [known features] of the left batch
        std::vector<float> weights, others;  // [columns x n] of both
        void take(size_t number, const Batch& batch) {
            left = number;
            batch.rows->combine(batch.coefficients, batch.n, weights.data());
            std::fill(column.begin(), column.end(), kNone);
            for (size_t c = 0; c < batch.rows->n_columns(); ++c)
                batch.rows->each_member(c, [&](size_t f, float) { column[f] = static_cast<uint32_t>(c); });
        }
    };

    // Products over the features that both have.
    void multiply(const Worker& own, const Batch& left, const Batch& right, size_t g, double* out) const {
        std::vector<float> sums(left.n * right.n);
        const auto flush = [&] {
            for (size_t a = 0; a < left.n; ++a)
                for (size_t b = 0; b < right.n; ++b)
                    out[(left.first + a) * m_ + right.first + b] += sums[a * right.n + b];
            std::fill(sums.begin(), sums.end(), 0.0f);
        };
        for (size_t c = 0; c < right.rows->n_columns(); ++c) {
            right.rows->each_member(c, [&](size_t f, float scale) {
                const uint32_t column = own.column[f];
                if (column == kNone || (groups_ && groups_[f] != static_cast<int64_t>(g))) return;
                const float factor = 1 / (scale * left.rows->scale(column));
                const float *a = &own.weights[column * left.n], *b = &own.others[c * right.n];
                for (size_t j = 0; j < left.n; ++j)
                    for (size_t k = 0; k < right.n; ++k) sums[j * right.n + k] += factor * a[j] * b[k];
            });
            if (c % kColumns == kColumns - 1) flush();
        }
        flush();
        if (left.first == right.first) return;
        for (size_t a = left.first; a < left.first + left.n; ++a)
            for (size_t b = right.first; b < right.first + right.n; ++b) out[b * m_ + a] = out[a * m_ + b];
    }

    static constexpr size_t kColumns = 1024;  // whose products are summed in single precision
    std::vector<Batch> batches_;
    const int64_t* groups_;
    size_t n_groups_, m_ = 0;
};

}  // namespace dovetail
