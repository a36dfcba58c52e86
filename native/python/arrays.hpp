// NumPy arrays in and out, and work without the GIL.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "chain/constraints.hpp"

namespace dovetail {

namespace nb = nanobind;

template <class T> using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// NumPy arrays that own `values`.
template <class T> nb::capsule owner_of(std::vector<T>* values) {
    return {values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); }};
}
template <class T> nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T> values) {
    auto* held = new std::vector<T>(std::move(values));
    return {held->data(), {held->size()}, owner_of(held)};
}
template <class T> nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, const std::vector<size_t>& shape) {
    auto* held = new std::vector<T>(std::move(values));
    return {held->data(), shape.size(), shape.data(), owner_of(held)};
}

inline void check_size(size_t given, size_t expected, const char* what) {
    if (given != expected)
        throw std::invalid_argument(std::string(what) + " has " + std::to_string(given) + " elements where " +
                                    std::to_string(expected) + " were expected");
}

template <class T> std::vector<T> to_vector(const In<T>& array) { return {array.data(), array.data() + array.size()}; }

// Runs work without the GIL; impossible sequences become errors that name them, counted on from `before`.
template <class Work> auto without_gil(Work work, size_t before = 0) {
    try {
        nb::gil_scoped_release unlocked;
        return work();
    } catch (const ImpossibleSequence& error) {
        throw std::invalid_argument("sequence " + std::to_string(before + error.sequence + 1) +
                                    " has no label sequence that the constraints allow");
    }
}

}  // namespace dovetail
