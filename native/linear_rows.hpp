// Tokens as rows of a sparse matrix X, for linear classifiers. Features that the same rows have, with the same values,
// would get the same weight: they share one column, whose values are sqrt(m) times theirs, m being their number, so that
// its weight is sqrt(m) times theirs and the penalty is the same. With templates that leaves about a third of the
// features. Columns of frequent features come first: their weights share cache lines.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "dataset.hpp"
#include "parallel.hpp"

namespace dovetail {

class LinearRows {
public:
    // Some tokens of a data set; features that fewer than `min_count` of them have are left out.
    LinearRows(const Dataset& data, const uint64_t* tokens, size_t n, uint32_t min_count) : n_known_(data.features.size()) {
        const Features& x = data.x;
        const bool valued = !x.values.empty();
        std::vector<uint32_t> count(n_known_, 0);
        std::vector<uint64_t> hash(n_known_, 0);  // of the rows that have a feature
        each(x, tokens, n, [&](size_t row, uint64_t k) {
            uint32_t bits = 0;
            if (valued) std::memcpy(&bits, &x.values[k], sizeof bits);
            ++count[x.ids[k]];
            hash[x.ids[k]] += fold(row + 0x9E3779B97F4A7C15ull, (uint64_t{bits} << 1 | 1) * 0xD6E8FEB86659FD93ull);
        });
        for (size_t f = 0; f < n_known_; ++f)
            if (count[f] >= std::max(1u, min_count)) features_.push_back(static_cast<uint32_t>(f));
        std::stable_sort(features_.begin(), features_.end(), [&](uint32_t a, uint32_t b) { return count[a] > count[b] || (count[a] == count[b] && hash[a] < hash[b]); });
        std::vector<uint32_t> column(n_known_, kNone), members;
        for (size_t k = 0; k < features_.size(); ++k) {
            const bool same = k && count[features_[k]] == count[features_[k - 1]] && hash[features_[k]] == hash[features_[k - 1]];
            if (!same) {
                column[features_[k]] = static_cast<uint32_t>(members.size());  // the first stands for all
                members.push_back(0);
            }
            ++members.back();
            column_.push_back(static_cast<uint32_t>(members.size() - 1));
        }
        for (uint32_t m : members) scale_.push_back(std::sqrt(static_cast<float>(m)));
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
    size_t n_known() const { return n_known_; }  // features of the data set
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
    void share_out(const float* columns, float* features) const {
        for (size_t k = 0; k < features_.size(); ++k) features[k] = columns[column_[k]] / scale_[column_[k]];
    }

    // X W' for weights [k x known features]: out [k x rows].
    void products(const float* weights, size_t k, int threads, float* out) const {
        std::vector<float> own;
        for (size_t j = 0; j < k; ++j) {
            gather(weights + j * n_known_, 1, own);
            each_block(threads, [&](size_t row) { out[j * size() + row] = dot(row, own.data()); });
        }
    }
    // A X for coefficients [k x rows]: out [k x features].
    void combinations(const float* coefficients, size_t k, int threads, float* out) const {
        parallel(k, threads, [&](size_t j, size_t) {
            std::vector<float> sums(n_columns(), 0.0f);
            for (size_t row = 0; row < size(); ++row)
                if (const float a = coefficients[j * size() + row]) add(row, a, sums.data());
            share_out(sums.data(), out + j * features_.size());
        });
    }
    // X Theta for vectors of features [known features x h]: out [rows x h].
    void project(const float* theta, size_t h, int threads, float* out) const {
        std::vector<float> own;
        gather(theta, h, own);
        each_block(threads, [&](size_t row) {
            float* to = out + row * h;
            std::fill(to, to + h, 0.0f);
            for (uint64_t k = begin_[row]; k < begin_[row + 1]; ++k)
                for (size_t j = 0; j < h; ++j) to[j] += values_[k] * own[ids_[k] * h + j];
        });
    }

private:
    template <class Visit> static void each(const Features& x, const uint64_t* tokens, size_t n, Visit visit) {
        for (size_t row = 0; row < n; ++row) {
            if (tokens[row] >= x.n_tokens()) throw std::out_of_range("there is no token " + std::to_string(tokens[row]) + " in the data set");
            for (uint64_t k = x.tokens[tokens[row]]; k < x.tokens[tokens[row] + 1]; ++k) visit(row, k);
        }
    }
    // h weights of each feature of the data set as weights of columns.
    void gather(const float* weights, size_t h, std::vector<float>& own) const {
        own.assign(n_columns() * h, 0.0f);
        for (size_t k = 0; k < features_.size(); ++k)
            for (size_t j = 0; j < h; ++j) own[column_[k] * h + j] += weights[features_[k] * h + j] / scale_[column_[k]];
    }
    template <class Visit> void each_block(int threads, Visit visit) const {
        constexpr size_t kRows = 4096;
        parallel((size() + kRows - 1) / kRows, threads, [&](size_t block, size_t) {
            for (size_t row = block * kRows, end = std::min(size(), row + kRows); row < end; ++row) visit(row);
        });
    }

    size_t n_known_;
    std::vector<uint32_t> features_, column_;  // [features]
    std::vector<float> scale_;                 // [columns]
    std::vector<uint64_t> begin_;              // [rows + 1]
    std::vector<uint32_t> ids_;                // of columns
    std::vector<float> values_;
};

}  // namespace dovetail
