// Python's view of grids: scores of a batch of sequences in, best labels and expectations out.
#include "grid/kbest.hpp"
#include "grid/posterior.hpp"
#include "grid/spans.hpp"
#include "python/bindings.hpp"
#include "python/grid_arrays.hpp"
#include "python/spans.hpp"

namespace dovetail {

static void check_sequence(const Grids& grids, size_t s) {
    if (s >= grids.n_sequences())
        throw std::out_of_range("there is no sequence of index " + std::to_string(s) + " among " +
                                std::to_string(grids.n_sequences()));
}

static nb::tuple grid_marginals(const NumpyGrids& grids, bool joint, int threads) {
    std::vector<double> states;
    GridExpectations found = without_gil([&] {
        if (joint) states.resize(grids.n_tokens() * static_cast<size_t>(grids.states()));
        return grid_expectations(grids, threads, joint ? states.data() : nullptr);
    });
    nb::object all = nb::none();
    if (joint) all = nb::cast(to_numpy(std::move(states), {grids.n_tokens(), static_cast<size_t>(grids.states())}));
    return nb::make_tuple(numpy_expectations(grids, std::move(found)), all);
}

static auto grid_best_k(const NumpyGrids& grids, size_t s, size_t k) {
    check_sequence(grids, s);
    GridKBest search(grids);
    without_gil([&] { search.run(s, k); });
    const size_t found = search.scores.size();
    return nb::make_tuple(to_numpy(std::move(search.labels), {found, grids.layers(), GridView(grids, s).T}),
                          to_numpy(std::move(search.scores)));
}

static auto grid_spans(const NumpyGrids& grids, size_t s, size_t layer, In<int64_t> begins, In<int64_t> ends,
                       In<uint8_t> masks) {
    check_sequence(grids, s);
    if (layer >= grids.layers())
        throw std::out_of_range("there is no layer of index " + std::to_string(layer) + " among " +
                                std::to_string(grids.layers()));
    const std::vector<LabelSpan> spans = make_spans(begins, ends, masks, GridView(grids, s).T, grids.labels[layer]);
    return to_numpy(without_gil([&] { return grid_span_log_probabilities(grids, s, layer, spans); }));
}

void bind_grid(nb::module_& module) {
    using nb::arg;
    nb::class_<NumpyGrids>(module, "Grids")
        .def(nb::init<const std::vector<Scores>&, const std::vector<Scores>&,
                      const std::vector<NumpyGrids::Cotemporal>&, const std::vector<NumpyGrids::Lagged>&,
                      const std::vector<NumpyGrids::Conditioned>&, In<uint64_t>>(),
             arg("nodes"), arg("transitions"), arg("cotemporal"), arg("lagged"), arg("conditioned"), arg("bounds"))
        .def_prop_ro("n_states", &NumpyGrids::states)
        .def_prop_ro("n_sequences", &NumpyGrids::n_sequences)
        .def_prop_ro("n_tokens", &NumpyGrids::n_tokens)
        .def_prop_ro("factors_form_cycle",
                     [](const NumpyGrids& self) { return elimination_order(self).size() < self.layers(); })
        .def(
            "best",
            [](const NumpyGrids& self, int threads) {
                return numpy_labels(without_gil([&] { return grid_best(self, threads); }));
            },
            arg("threads"), "Best labels of each layer, and the score of each sequence.")
        .def(
            "marginals", &grid_marginals, arg("joint"), arg("threads"),
            "(log Z, expectations of labels, transitions, cotemporal and lagged factors, conditioned transitions), and "
            "the probabilities of joint states [n_tokens x n_states] if asked for.")
        .def("best_k", &grid_best_k, arg("sequence"), arg("k"),
             "Labels [found x layers x tokens] and scores, best first.")
        .def("span_log_probabilities", &grid_spans, arg("sequence"), arg("layer"), arg("starts"), arg("ends"),
             arg("masks"));
}

}  // namespace dovetail
