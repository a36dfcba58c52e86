// Values for all combinations of some labels of each layer, in plain arrays.
#pragma once
#include "grid/sparse/states.hpp"

namespace dovetail {

// The labels of one layer, the inner one, lie next to each other, padded to whole blocks.
class LabelCells {
public:
    struct Values {
        std::vector<double> mass, best, origin;  // as for states, but probabilities; an origin is a whole number
        void assign(size_t n) { mass.assign(n, 0.0), best.assign(n, 0.0), origin.assign(n, 0.0); }
        void resize(size_t n) { mass.resize(n), best.resize(n), origin.resize(n); }
    };

    explicit LabelCells(const Grids& grids) : extent_(grids.layers()), stride_(grids.layers()) {
        inner = static_cast<size_t>(std::max_element(grids.labels.begin(), grids.labels.end()) - grids.labels.begin());
    }
    // Cells for so many labels of each layer, all zero.
    void clear(const std::vector<std::vector<uint32_t>>& labels) {
        for (size_t i = 0; i < extent_.size(); ++i) extent_[i] = labels[i].size();
        set_strides();
        now.assign(size_);
    }
    size_t size() const { return size_; }
    size_t width() const { return padded(extent_[inner]); }
    size_t extent(size_t layer) const { return extent_[layer]; }
    size_t stride(size_t layer) const { return stride_[layer]; }
    size_t room(size_t layer) const { return layer == inner ? width() : extent_[layer]; }
    size_t label_at(size_t cell, size_t layer) const { return cell / stride_[layer] % room(layer); }

    // From `now` to `next`: a layer's labels give way to n others by a matrix of weights [labels x n, padded].
    void replace(size_t layer, const double* weights, size_t n) {
        layer == inner ? replace_inner(weights, n) : replace_outer(layer, weights, n);
    }
    void accept(size_t layer, size_t n) {
        extent_[layer] = n;
        set_strides();
        std::swap(now, next);
    }

    size_t inner = 0;
    Values now, next;

private:
    // What leads to a block of cells, added up.
    struct Sum {
        Vec<double> mass{}, best{}, origin{};
        void add(Vec<double> more, Vec<double> path, Vec<double> from) {
            const auto better = path > best;
            mass += more;
            best = select(better, path, best);
            origin = select(better, from, origin);
        }
        void store_at(Values& to, size_t at) const {
            store(&to.mass[at], mass), store(&to.best[at], best), store(&to.origin[at], origin);
        }
    };
    void set_strides() {
        size_t stride = width();
        stride_[inner] = 1;
        for (size_t i = extent_.size(); i-- > 0;)
            if (i != inner) stride_[i] = stride, stride *= extent_[i];
        size_ = stride;
    }
    void replace_inner(const double* weights, size_t n) {
        const size_t P = extent_[inner], before = width(), after = padded(n), rows = size_ / before;
        next.resize(rows * after);
        for (size_t o = 0; o < rows; ++o)
            for (size_t y = 0; y < after; y += kLane) {
                Sum sum;
                for (size_t x = 0; x < P; ++x) {
                    const size_t from = o * before + x;
                    const Vec<double> weight = load(weights + x * after + y);
                    sum.add(weight * now.mass[from], weight * now.best[from], splat(now.origin[from]));
                }
                sum.store_at(next, o * after + y);
            }
    }
    void replace_outer(size_t layer, const double* weights, size_t n) {
        const size_t P = extent_[layer], inside = stride_[layer], rows = size_ / (P * inside);
        next.resize(rows * n * inside);
        for (size_t o = 0; o < rows; ++o)
            for (size_t y = 0; y < n; ++y)
                for (size_t k = 0; k < inside; k += kLane) {
                    Sum sum;
                    for (size_t x = 0; x < P; ++x) {
                        const size_t from = (o * P + x) * inside + k;
                        const double weight = weights[x * padded(n) + y];
                        sum.add(load(&now.mass[from]) * weight, load(&now.best[from]) * weight,
                                load(&now.origin[from]));
                    }
                    sum.store_at(next, (o * n + y) * inside + k);
                }
    }

    std::vector<size_t> extent_, stride_;  // of each layer
    size_t size_ = 0;
};

}  // namespace dovetail
