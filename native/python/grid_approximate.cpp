// Python's view of approximate inference in grids.
#include "core/elementary.hpp"
#include "grid/loopy/propagation.hpp"
#include "grid/sparse/search.hpp"
#include "python/bindings.hpp"
#include "python/grid_arrays.hpp"

namespace dovetail {

static nb::tuple to_python(const Grids&, GridLabels found) { return numpy_labels(std::move(found)); }
static nb::tuple to_python(const Grids& grids, GridExpectations found) {
    return numpy_expectations(grids, std::move(found));
}
static nb::tuple to_python(const SparseReport& report) {
    return nb::make_tuple(portable::exp(report.log_kept), report.least, report.states);
}
static nb::tuple to_python(const LoopyReport& report) {
    return nb::make_tuple(report.iterations, report.converged, report.change);
}

// run() gives results and a report.
template <class Run> nb::tuple infer(const Grids& grids, Run run) {
    auto found = without_gil(run);
    return nb::make_tuple(to_python(grids, std::move(found.first)), to_python(found.second));
}

void bind_grid_approximate(nb::module_& module) {
    using nb::arg;
    module.def(
        "grid_sparse_best",
        [](const NumpyGrids& grids, double epsilon, size_t beam, int threads) {
            return infer(grids, [&] { return sparse_best(grids, {epsilon, beam}, threads); });
        },
        arg("grids"), arg("epsilon"), arg("beam"), arg("threads"),
        "(labels of each layer, scores of sequences); (mass kept at all tokens, at the worst token, states kept in "
        "all).");
    module.def(
        "grid_sparse_marginals",
        [](const NumpyGrids& grids, double epsilon, size_t beam, int threads) {
            return infer(grids, [&] { return sparse_marginals(grids, {epsilon, beam}, threads); });
        },
        arg("grids"), arg("epsilon"), arg("beam"), arg("threads"),
        "(log Z, expectations of labels, transitions, cotemporal and lagged factors, conditioned transitions); (mass "
        "kept "
        "at all tokens, at the worst token, states kept in all).");
    module.def(
        "grid_loopy_best",
        [](const NumpyGrids& grids, double damping, size_t iterations, double tolerance, int threads) {
            return infer(grids, [&] { return loopy_best(grids, {damping, iterations, tolerance}, threads); });
        },
        arg("grids"), arg("damping"), arg("iterations"), arg("tolerance"), arg("threads"),
        "(labels of each layer, scores of sequences); (iterations, whether all sequences converged, the last change).");
    module.def(
        "grid_loopy_marginals",
        [](const NumpyGrids& grids, double damping, size_t iterations, double tolerance, int threads) {
            return infer(grids, [&] { return loopy_marginals(grids, {damping, iterations, tolerance}, threads); });
        },
        arg("grids"), arg("damping"), arg("iterations"), arg("tolerance"), arg("threads"),
        "(log Z, expectations of labels, transitions, cotemporal and lagged factors, conditioned transitions); "
        "(iterations, "
        "whether all sequences converged, the last change).");
}

}  // namespace dovetail
