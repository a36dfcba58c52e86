// Products of matrices in a fixed order: every element is a sum along the inner dimension, in blocks whose sums are
// added one after another. How elements are divided among registers and threads does not change them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/parallel.hpp"

namespace dovetail {

// A matrix in memory that belongs to others, with steps from row to row and from column to column.
template <class R> struct MatrixView {
    const R* data;
    size_t rows, columns;
    std::ptrdiff_t down, across;
    const R& operator()(size_t i, size_t j) const {
        return data[static_cast<std::ptrdiff_t>(i) * down + static_cast<std::ptrdiff_t>(j) * across];
    }
};

template <class R> class MatrixProduct {
public:
    MatrixProduct(MatrixView<R> a, MatrixView<R> b, R* out) : a_(a), b_(b), out_(out) {}

    // out [rows of a x columns of b]
    void run(int threads) const {
        const size_t share = static_cast<size_t>(std::max(1, threads));
        const bool wide = b_.columns > a_.rows;
        const size_t down = step(a_.rows, wide ? 1 : share, kRows, kMostRows),
                     across = step(b_.columns, wide ? share : 1, kTile, kMostColumns);
        const size_t bands = (a_.rows + down - 1) / down, strips = (b_.columns + across - 1) / across;
        parallel(bands * strips, threads, [&](size_t task, size_t) {
            const size_t top = task % bands * down, left = task / bands * across;
            fill(top, std::min(a_.rows, top + down), left, std::min(b_.columns, left + across));
        });
    }

private:
#ifdef __AVX__
    static constexpr size_t kRegister = 32;
#else
    static constexpr size_t kRegister = 16;
#endif
    typedef R Lanes __attribute__((vector_size(kRegister)));
    static constexpr size_t kLanes = kRegister / sizeof(R), kTile = 2 * kLanes,
                            kRows = 6;  // a tile is kept in registers
    static constexpr size_t kInner = 256, kMostRows = 40 * kRows, kMostColumns = 64 * kTile;

    static size_t step(size_t size, size_t shares, size_t tile, size_t most) {
        const size_t share = (size + shares - 1) / shares;
        return std::clamp((share + tile - 1) / tile * tile, tile, most);
    }

    void fill(size_t top, size_t bottom, size_t left, size_t right) const {
        std::vector<R> panel(kInner * kTile), fronts((bottom - top + kRows) * kInner);
        for (size_t i = top; i < bottom; ++i)
            std::fill(out_ + i * b_.columns + left, out_ + i * b_.columns + right, R{0});
        for (size_t k = 0; k < a_.columns; k += kInner) {
            const size_t depth = std::min(kInner, a_.columns - k);
            for (size_t i = top; i < bottom; i += kRows)
                copy_front(i, std::min(kRows, bottom - i), k, depth, &fronts[(i - top) * kInner]);
            for (size_t j = left; j < right; j += kTile) {
                const size_t width = std::min(kTile, right - j);
                copy_panel(k, depth, j, width, panel.data());
                for (size_t i = top; i < bottom; i += kRows)
                    add_tile(&fronts[(i - top) * kInner], panel.data(), depth, i, std::min(kRows, bottom - i), j,
                             width);
            }
        }
    }

    void copy_panel(size_t k, size_t depth, size_t j, size_t width, R* panel) const {
        for (size_t d = 0; d < depth; ++d) {
            const R* from = &b_(k + d, j);
            for (size_t c = 0; c < width; ++c) panel[d * kTile + c] = from[static_cast<std::ptrdiff_t>(c) * b_.across];
            std::fill(panel + d * kTile + width, panel + (d + 1) * kTile, R{0});
        }
    }
    void copy_front(size_t i, size_t height, size_t k, size_t depth, R* front) const {
        for (size_t r = 0; r < kRows; ++r)
            for (size_t d = 0; d < depth; ++d) front[d * kRows + r] = r < height ? a_(i + r, k + d) : R{0};
    }

    void add_tile(const R* front, const R* panel, size_t depth, size_t i, size_t height, size_t j, size_t width) const {
        Lanes sums[kRows][2] = {};
        for (size_t d = 0; d < depth; ++d, front += kRows, panel += kTile) {
            Lanes left, right;
            std::memcpy(&left, panel, sizeof left);
            std::memcpy(&right, panel + kLanes, sizeof right);
            for (size_t r = 0; r < kRows; ++r) sums[r][0] += front[r] * left, sums[r][1] += front[r] * right;
        }
        for (size_t r = 0; r < height; ++r)
            for (size_t c = 0; c < width; ++c) out_[(i + r) * b_.columns + j + c] += sums[r][c / kLanes][c % kLanes];
    }

    MatrixView<R> a_, b_;
    R* out_;
};

// Rows of few values: places of row i are those from bounds[i] to bounds[i + 1].
struct SparseMatrix {
    const int64_t *bounds, *columns;
    const double* values;
    size_t size;
};

// out [rows x width] += rows table, where the table has a row for each column.
inline void add_product(const SparseMatrix& rows, const double* table, size_t width, double* out) {
    for (size_t i = 0; i < rows.size; ++i)
        for (int64_t place = rows.bounds[i]; place < rows.bounds[i + 1]; ++place) {
            const double value = rows.values[place], *from = table + static_cast<size_t>(rows.columns[place]) * width;
            for (size_t j = 0; j < width; ++j) out[i * width + j] += value * from[j];
        }
}

// out [columns x width] += rows' given, where `given` has a row for each row.
inline void add_transposed_product(const SparseMatrix& rows, const double* given, size_t width, double* out) {
    for (size_t i = 0; i < rows.size; ++i)
        for (int64_t place = rows.bounds[i]; place < rows.bounds[i + 1]; ++place) {
            double* to = out + static_cast<size_t>(rows.columns[place]) * width;
            for (size_t j = 0; j < width; ++j) to[j] += rows.values[place] * given[i * width + j];
        }
}

}  // namespace dovetail
