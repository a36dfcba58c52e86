// Python's view of grids: scores of one sequence in, best labels and expectations out.
#pragma once
#include "bind_inference.hpp"
#include "grid.hpp"

namespace dovetail {

using Scores = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

inline std::vector<double> checked_scores(const Scores& given, std::initializer_list<size_t> shape, const char* what) {
    bool fits = given.ndim() == shape.size();
    size_t k = 0;
    for (size_t extent : shape) fits = fits && given.shape(k++) == extent;
    if (!fits) throw std::invalid_argument(std::string(what) + " have another shape than their labels and tokens ask for");
    std::vector<double> out(given.data(), given.data() + given.size());
    for (double value : out)
        if (!(value < std::numeric_limits<double>::infinity())) throw std::invalid_argument(std::string(what) + " have a score that is no number below infinity");
    return out;
}

inline GridScores grid_scores(const std::vector<Scores>& nodes, const std::vector<Scores>& moves, const std::vector<std::tuple<size_t, size_t, Scores>>& couplings) {
    GridScores out;
    if (nodes.empty() || nodes.size() != moves.size()) throw std::invalid_argument("a grid has one layer or more, each with scores of labels and of moves");
    for (const Scores& node : nodes) {
        if (node.ndim() != 2 || !node.shape(1)) throw std::invalid_argument("scores of labels are a matrix of tokens and labels");
        out.labels.push_back(node.shape(1));
    }
    out.T = nodes[0].shape(0);
    constexpr double most = 1u << 24;
    double states = 1;
    for (size_t labels : out.labels) states *= static_cast<double>(labels);
    if (states > most) throw std::invalid_argument("the layers have " + shown(states) + " joint states, above " + shown(most));
    for (size_t i = 0; i < nodes.size(); ++i) {
        out.node.push_back(checked_scores(nodes[i], {out.T, out.labels[i]}, "scores of labels"));
        out.move.push_back(checked_scores(moves[i], {out.labels[i], out.labels[i]}, "scores of moves"));
    }
    for (const auto& [lower, upper, score] : couplings) {
        if (lower >= nodes.size() || upper >= nodes.size() || lower == upper) throw std::invalid_argument("a coupling is between two different layers");
        out.couplings.push_back({lower, upper, checked_scores(score, {out.T, out.labels[lower], out.labels[upper]}, "scores of couplings")});
    }
    return out;
}

inline void bind_grid(nb::module_& module) {
    using nb::arg;
    nb::class_<GridScores>(module, "GridScores")
        .def("__init__", [](GridScores* self, const std::vector<Scores>& nodes, const std::vector<Scores>& moves, const std::vector<std::tuple<size_t, size_t, Scores>>& couplings) {
                new (self) GridScores(grid_scores(nodes, moves, couplings));
            }, arg("nodes"), arg("moves"), arg("couplings"))
        .def_prop_ro("n_states", &GridScores::states)
        .def("viterbi", [](const GridScores& self) {
                std::vector<int32_t> labels;
                const double score = without_gil([&] { return grid_viterbi(self, labels); });
                return std::make_pair(to_numpy(std::move(labels), {self.layers(), self.T}), score);
            }, "Best labels [layers x T] and their score; -infinity where nothing is allowed.")
        .def("posterior", [](const GridScores& self, bool joint) {
                GridPosterior found = without_gil([&] { return grid_posterior(self, joint); });
                nb::list node, move, couple;
                for (size_t i = 0; i < self.layers(); ++i) {
                    const size_t L = self.labels[i];
                    node.append(to_numpy(std::move(found.node[i]), {self.T, L}));
                    move.append(to_numpy(std::move(found.move[i]), {L, L}));
                }
                for (size_t c = 0; c < self.couplings.size(); ++c)
                    couple.append(to_numpy(std::move(found.couple[c]), {self.T, self.labels[self.couplings[c].lower], self.labels[self.couplings[c].upper]}));
                nb::object all = nb::none();
                if (joint) all = nb::cast(to_numpy(std::move(found.joint), {self.T, self.states()}));
                return std::make_tuple(found.log_z, node, move, couple, all);
            }, arg("joint"), "log Z; probabilities of labels, expected moves, probabilities of coupled labels, and of joint states if asked for.");
}

}  // namespace dovetail
