// Python's view of arithmetic that has the same bits on every CPU.
#include <algorithm>

#include "core/eigen.hpp"
#include "core/elementary.hpp"
#include "core/matrix_product.hpp"
#include "core/multinomial.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace dovetail {

using AnyShape = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
template <class R> using AnyMatrix = nb::ndarray<const R, nb::ndim<2>, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T> struct Owned {
    explicit Owned(size_t size)
        : data(new T[size]), owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); }) {}
    T* data;
    nb::capsule owner;
};

template <double (*Function)(double)> nb::ndarray<nb::numpy, double> each_element(AnyShape given) {
    std::vector<size_t> shape(given.ndim());
    for (size_t k = 0; k < shape.size(); ++k) shape[k] = given.shape(k);
    Owned<double> out(given.size());
    without_gil([&] {
        for (size_t k = 0; k < given.size(); ++k) out.data[k] = Function(given.data()[k]);
    });
    return {out.data, shape.size(), shape.data(), out.owner};
}

template <class R> MatrixView<R> to_view(const AnyMatrix<R>& given) {
    return {given.data(), given.shape(0), given.shape(1), static_cast<std::ptrdiff_t>(given.stride(0)),
            static_cast<std::ptrdiff_t>(given.stride(1))};
}

template <class R> nb::ndarray<nb::numpy, R> matrix_product(AnyMatrix<R> a, AnyMatrix<R> b, int threads) {
    check_size(b.shape(0), a.shape(1), "the second matrix, by rows,");
    Owned<R> out(a.shape(0) * b.shape(1));
    without_gil([&] { MatrixProduct<R>(to_view(a), to_view(b), out.data).run(threads); });
    return {out.data, {a.shape(0), b.shape(1)}, out.owner};
}

static SparseMatrix checked_rows(const In<int64_t>& bounds, const In<int64_t>& columns, const In<double>& values,
                                 size_t n_columns) {
    check_size(columns.size(), values.size(), "columns");
    if (!bounds.size() || bounds.data()[0] != 0 ||
        bounds.data()[bounds.size() - 1] != static_cast<int64_t>(values.size()) ||
        !std::is_sorted(bounds.data(), bounds.data() + bounds.size()))
        throw std::invalid_argument("bounds of rows must run from 0 to the number of values");
    for (size_t k = 0; k < columns.size(); ++k)
        if (columns.data()[k] < 0 || static_cast<size_t>(columns.data()[k]) >= n_columns)
            throw std::out_of_range("a value lies in a column that does not exist");
    return {bounds.data(), columns.data(), values.data(), bounds.size() - 1};
}

static auto sparse_product(In<int64_t> bounds, In<int64_t> columns, In<double> values, Table table) {
    const SparseMatrix rows = checked_rows(bounds, columns, values, table.shape(0));
    std::vector<double> out(rows.size * table.shape(1));
    without_gil([&] { add_product(rows, table.data(), table.shape(1), out.data()); });
    return to_numpy(std::move(out), {rows.size, table.shape(1)});
}

static auto sparse_transposed_product(In<int64_t> bounds, In<int64_t> columns, In<double> values, Table given,
                                      size_t n_columns) {
    const SparseMatrix rows = checked_rows(bounds, columns, values, n_columns);
    check_size(given.shape(0), rows.size, "the table, by rows,");
    std::vector<double> out(n_columns * given.shape(1));
    without_gil([&] { add_transposed_product(rows, given.data(), given.shape(1), out.data()); });
    return to_numpy(std::move(out), {n_columns, given.shape(1)});
}

static auto symmetric_eigen(Table matrix, int threads) {
    const size_t n = matrix.shape(0);
    check_size(matrix.shape(1), n, "a row of the matrix");
    std::vector<double> vectors(matrix.data(), matrix.data() + n * n);
    std::vector<double> values = without_gil([&] { return SymmetricEigen(n, vectors.data(), threads).values; });
    return std::make_pair(to_numpy(std::move(values)), to_numpy(std::move(vectors), {n, n}));
}

static auto multinomial(int64_t n, In<int64_t> frequencies, size_t times, uint64_t seed) {
    const size_t things = frequencies.size();
    int64_t whole = 0;
    for (size_t k = 0; k < things; ++k) {
        if (frequencies.data()[k] < 0 || frequencies.data()[k] > (int64_t{1} << 62) - whole)
            throw std::invalid_argument("frequencies must be at least 0, and not too large");
        whole += frequencies.data()[k];
    }
    if (n < 0 || !whole) throw std::invalid_argument("something must be there to draw from");
    std::vector<int64_t> out(times * things);
    without_gil([&] {
        Multinomial drawn(frequencies.data(), things, seed);
        for (size_t k = 0; k < times; ++k) drawn.draw(n, &out[k * things]);
    });
    return to_numpy(std::move(out), {times, things});
}

void bind_numeric(nb::module_& module) {
    using nb::arg;
    module.def("exp", &each_element<portable::exp>, arg("x"));
    module.def("log", &each_element<portable::log>, arg("x"), "-inf of 0, nan below.");
    module.def("log1p", &each_element<portable::log1p>, arg("x"), "log(1 + x).");
    module.def("digamma", &each_element<portable::digamma>, arg("x"), "For x > 0; -inf of 0, nan below.");
    module.def("single_matrix_product", &matrix_product<float>, arg("a").noconvert(), arg("b").noconvert(),
               arg("threads"), "a b, each sum in one order.");
    module.def("double_matrix_product", &matrix_product<double>, arg("a").noconvert(), arg("b").noconvert(),
               arg("threads"), "a b, each sum in one order.");
    module.def(
        "sparse_product", &sparse_product, arg("bounds"), arg("columns"), arg("values"), arg("table"),
        "Of sparse rows, whose values are those from one bound to the next, and a table with a row for each column.");
    module.def("sparse_transposed_product", &sparse_transposed_product, arg("bounds"), arg("columns"), arg("values"),
               arg("given"), arg("n_columns"),
               "Of the same rows, transposed, and a table with a row for each of them.");
    module.def("symmetric_eigen", &symmetric_eigen, arg("matrix"), arg("threads"),
               "Eigenvalues, in no order, and eigenvectors, one a row.");
    module.def("multinomial", &multinomial, arg("n"), arg("frequencies"), arg("times"), arg("seed"),
               "How often things come up in n draws, so many times over, [times x things].");
}

}  // namespace dovetail
