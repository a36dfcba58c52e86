// Tokens as rows of a sparse matrix X, for linear classifiers. Features that the same rows have, with the same values,
// would get the same weight: they share one column, whose values are sqrt(m) times theirs, m being their number, so
// that its weight is sqrt(m) times theirs and the penalty is the same. With templates that leaves about a third of the
// features. Columns of frequent features come first: their weights share cache lines.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "core/parallel.hpp"
#include "features/dataset.hpp"

namespace dovetail {

class LinearRows {
public:
    // Some tokens of a data set; features that fewer than `min_count` of them have are left out.
    LinearRows(const Dataset& data, const uint64_t* tokens, size_t n, uint32_t min_count)
        : n_dataset_features_(data.features.size()) {
        const Features& x = data.x;
        const bool valued = !x.values.empty();
        std::vector<uint32_t> count(n_dataset_features_, 0);
        std::vector<uint64_t> hash(n_dataset_features_, 0);  // of the rows that have a feature
        each(x, tokens, n, [&](size_t row, uint64_t k) {
            uint32_t bits = 0;
            if (valued) std::memcpy(&bits, &x.values[k], sizeof bits);
            ++count[x.ids[k]];
            hash[x.ids[k]] += fold(row + 0x9E3779B97F4A7C15ull, (uint64_t{bits} << 1 | 1) * 0xD6E8FEB86659FD93ull);
        });
        for (size_t f = 0; f < n_dataset_features_; ++f)
            if (count[f] >= std::max(1u, min_count)) features_.push_back(static_cast<uint32_t>(f));
        std::stable_sort(features_.begin(), features_.end(), [&](uint32_t a, uint32_t b) {
            return count[a] > count[b] || (count[a] == count[b] && hash[a] < hash[b]);
        });
        features_.shrink_to_fit();
        std::vector<uint32_t> column(n_dataset_features_, kNone);
        for (size_t k = 0; k < features_.size(); ++k) {
            if (k && count[features_[k]] == count[features_[k - 1]] && hash[features_[k]] == hash[features_[k - 1]])
                continue;
            column[features_[k]] = static_cast<uint32_t>(members_.size());  // the first stands for all
            members_.push_back(static_cast<uint32_t>(k));
        }
        members_.push_back(static_cast<uint32_t>(features_.size()));
        for (size_t c = 0; c + 1 < members_.size(); ++c)
            scale_.push_back(std::sqrt(static_cast<float>(members_[c + 1] - members_[c])));
        begin_.reserve(n + 1);
        std::vector<uint64_t> last(n_columns(), 0);  // one after a column's last place in ids_
        each(x, tokens, n, [&](size_t row, uint64_t k) {
            while (begin_.size() <= row) begin_.push_back(ids_.size());
            const uint32_t to = column[x.ids[k]];
            if (to == kNone) return;
            const float value = scale_[to] * (valued ? x.values[k] : 1.0f);
            if (last[to] > begin_[row]) {  // a feature that the token has twice
                values_[last[to] - 1] += value;
                return;
            }
            ids_.push_back(to), values_.push_back(value);
            last[to] = ids_.size();
        });
        while (begin_.size() <= n) begin_.push_back(ids_.size());
        ids_.shrink_to_fit(), values_.shrink_to_fit();
    }

    size_t size() const { return begin_.size() - 1; }
    size_t n_columns() const { return scale_.size(); }
    size_t n_dataset_features() const { return n_dataset_features_; }    // features of the data set
    const std::vector<uint32_t>& features() const { return features_; }  // their numbers in the data set
    const std::vector<uint64_t>& begins() const { return begin_; }
    const std::vector<uint32_t>& ids() const { return ids_; }
    const std::vector<float>& values() const { return values_; }

    // x_row . w
    float dot(size_t row, const float* w) const {
        float even = 0, odd = 0;
        uint64_t k = begin_[row];
        const uint64_t last = begin_[row + 1];
        for (; k + 2 <= last; k += 2) even += values_[k] * w[ids_[k]], odd += values_[k + 1] * w[ids_[k + 1]];
        if (k < last) even += values_[k] * w[ids_[k]];
        return even + odd;
    }
    // Where rows are visited in an order of chance, what a later one needs can be asked for in time: its features, then
    // their weights.
    void expect_row(size_t row) const {
        for (uint64_t k = begin_[row]; k < begin_[row + 1]; k += 16)
            __builtin_prefetch(&ids_[k]), __builtin_prefetch(&values_[k]);
    }
    void expect_weights(size_t row, const float* w) const {
        for (uint64_t k = begin_[row]; k < begin_[row + 1]; ++k) __builtin_prefetch(&w[ids_[k]], 1);
    }
    // to += factor x_row
    void add(size_t row, float factor, float* to) const {
        for (uint64_t k = begin_[row]; k < begin_[row + 1]; ++k) to[ids_[k]] += factor * values_[k];
    }
    // to += factor x_row^2
    void add_squares(size_t row, float factor, float* to) const {
        for (uint64_t k = begin_[row]; k < begin_[row + 1]; ++k) to[ids_[k]] += factor * values_[k] * values_[k];
    }
    // |x_row|^2
    float square(size_t row) const {
        float sum = 0;
        for (uint64_t k = begin_[row]; k < begin_[row + 1]; ++k) sum += values_[k] * values_[k];
        return sum;
    }
    // Weights of columns as weights of features.
    void expand_weights(const float* columns, float* features) const {
        for (size_t c = 0; c < n_columns(); ++c)
            std::fill(features + members_[c], features + members_[c + 1], columns[c] / scale_[c]);
    }
    float scale(size_t c) const { return scale_[c]; }
    // Calls visit(feature, scale) for the features that share a column.
    template <class Visit> void each_member(size_t c, Visit visit) const {
        for (uint32_t k = members_[c]; k < members_[c + 1]; ++k) visit(size_t{features_[k]}, scale_[c]);
    }

    // X Theta for vectors of features [known features x h]: out [rows x h].
    void project(const float* theta, size_t h, int threads, float* out) const {
        std::vector<float> own(n_columns() * h, 0.0f);  // as weights of columns
        each_block(n_columns(), threads, [&](size_t c) {
            each_member(c, [&](size_t f, float scale) {
                for (size_t j = 0; j < h; ++j) own[c * h + j] += theta[f * h + j] / scale;
            });
        });
        each_block(size(), threads, [&](size_t row) {
            float* to = out + row * h;
            std::fill(to, to + h, 0.0f);
            for (uint64_t k = begin_[row]; k < begin_[row + 1]; ++k)
                for (size_t j = 0; j < h; ++j) to[j] += values_[k] * own[ids_[k] * h + j];
        });
    }
    // to += X'A' for coefficients [h x rows]: to [known features x h].
    void add_combinations(const float* coefficients, size_t h, int threads, float* to) const {
        const size_t blocks = std::min(h, static_cast<size_t>(std::max(1, threads)));
        const auto first = [&](size_t block) { return block * h / blocks; };  // of its vectors
        std::vector<float> sums(n_columns() * h);                             // of each block [columns x vectors]
        parallel(blocks, threads, [&](size_t b, size_t) {
            combine(coefficients + first(b) * size(), first(b + 1) - first(b), &sums[n_columns() * first(b)]);
        });
        each_block(n_columns(), threads, [&](size_t c) {
            each_member(c, [&](size_t f, float scale) {
                for (size_t b = 0; b < blocks; ++b) {
                    const size_t n = first(b + 1) - first(b);
                    const float* own = &sums[n_columns() * first(b) + c * n];
                    for (size_t j = 0; j < n; ++j) to[f * h + first(b) + j] += own[j] / scale;
                }
            });
        });
    }
    // X'A' for coefficients [n x rows], as weights of columns [columns x n].
    void combine(const float* coefficients, size_t n, float* sums) const {
        std::fill(sums, sums + n_columns() * n, 0.0f);
        std::vector<float> each(n);
        for (size_t row = 0; row < size(); ++row) {
            for (size_t j = 0; j < n; ++j) each[j] = coefficients[j * size() + row];
            if (std::ranges::all_of(each, [](float a) { return a == 0; })) continue;
            for (uint64_t k = begin_[row]; k < begin_[row + 1]; ++k)
                for (size_t j = 0; j < n; ++j) sums[ids_[k] * n + j] += values_[k] * each[j];
        }
    }

private:
    template <class Visit> static void each(const Features& x, const uint64_t* tokens, size_t n, Visit visit) {
        for (size_t row = 0; row < n; ++row) {
            if (tokens[row] >= x.n_tokens())
                throw std::out_of_range("there is no token " + std::to_string(tokens[row]) + " in the data set");
            for (uint64_t k = x.tokens[tokens[row]]; k < x.tokens[tokens[row] + 1]; ++k) visit(row, k);
        }
    }
    template <class Visit> static void each_block(size_t n, int threads, Visit visit) {
        constexpr size_t kBlock = 2048;
        parallel((n + kBlock - 1) / kBlock, threads, [&](size_t block, size_t) {
            for (size_t k = block * kBlock, end = std::min(n, k + kBlock); k < end; ++k) visit(k);
        });
    }

    size_t n_dataset_features_;
    std::vector<uint32_t> features_;  // those that share a column one after another
    std::vector<uint32_t> members_;   // [columns + 1]: the first of each column in features_
    std::vector<float> scale_;        // [columns]
    std::vector<uint64_t> begin_;     // [rows + 1]
    std::vector<uint32_t> ids_;       // of columns
    std::vector<float> values_;
};

}  // namespace dovetail
