// Scores of grids, and results of inference in them, as NumPy arrays.
#pragma once
#include "grid/results.hpp"
#include "python/arrays.hpp"

namespace dovetail {

using Scores = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

// Grids whose scores are NumPy arrays, used where they lie and kept alive.
class NumpyGrids : public Grids {
public:
    using Cotemporal = std::tuple<std::vector<size_t>, Scores>;
    using Lagged = std::tuple<size_t, size_t, Scores>;
    using Conditioned = std::tuple<std::vector<size_t>, Scores>;  // layers given, and last its own

    NumpyGrids(const std::vector<Scores>& nodes, const std::vector<Scores>& transitions,
               const std::vector<Cotemporal>& cotemporal_scores, const std::vector<Lagged>& lagged_scores,
               const std::vector<Conditioned>& conditioned_scores, In<uint64_t> ends) {
        if (nodes.empty() || nodes.size() != transitions.size())
            throw std::invalid_argument("a grid has one layer or more, each with scores of labels and of transitions");
        for (const Scores& scores : nodes) {
            if (scores.ndim() != 2 || !scores.shape(1))
                throw std::invalid_argument("scores of labels are a matrix of tokens and labels");
            labels.push_back(scores.shape(1));
        }
        const size_t tokens = nodes[0].shape(0);
        set_bounds(ends, tokens);
        for (size_t i = 0; i < nodes.size(); ++i) {
            node.push_back(
                check_scores(nodes[i], {tokens, labels[i]}, "scores of labels of layer " + std::to_string(i)));
            const bool each_token = transitions[i].ndim() == 3;
            const std::string what = "scores of transitions of layer " + std::to_string(i);
            transition.push_back({each_token ? check_scores(transitions[i], {tokens, labels[i], labels[i]}, what)
                                             : check_scores(transitions[i], {labels[i], labels[i]}, what),
                                  each_token});
        }
        for (const auto& [layers, scores] : cotemporal_scores) {
            check_layers(layers, "a cotemporal factor");
            std::vector<size_t> shape{tokens};
            for (size_t layer : layers) shape.push_back(labels[layer]);
            cotemporal.push_back(
                {layers, check_scores(scores, shape, "scores of the cotemporal factor of layers " + join(layers))});
        }
        for (const auto& [before, after, scores] : lagged_scores) {
            check_layers({before, after}, "a lagged factor");
            lagged.push_back({before, after,
                              check_scores(scores, {tokens, labels[before], labels[after]},
                                           "scores of the lagged factor of layers " + join({before, after}))});
        }
        for (const auto& [layers, scores] : conditioned_scores) {
            check_layers(layers, "a conditioned transition");
            std::vector<size_t> shape;
            for (size_t layer : layers) shape.push_back(labels[layer]);
            shape.push_back(labels[layers.back()]);
            const bool each_token = scores.ndim() > shape.size();
            if (each_token) shape.insert(shape.begin(), tokens);
            conditioned.push_back(
                {layers.back(),
                 {layers.begin(), layers.end() - 1},
                 check_scores(scores, shape, "scores of the conditioned transition of layers " + join(layers)),
                 each_token});
        }
    }

private:
    void set_bounds(const In<uint64_t>& ends, size_t tokens) {
        bounds.assign(ends.data(), ends.data() + ends.size());
        if (bounds.empty() || bounds.front() != 0 || bounds.back() != tokens ||
            !std::is_sorted(bounds.begin(), bounds.end()))
            throw std::invalid_argument("bounds of sequences must rise from 0 to the number of tokens, " +
                                        std::to_string(tokens));
    }
    void check_layers(std::vector<size_t> layers, const char* what) const {
        std::sort(layers.begin(), layers.end());
        const bool distinct = std::adjacent_find(layers.begin(), layers.end()) == layers.end();
        if (layers.size() < 2 || !distinct || layers.back() >= labels.size())
            throw std::invalid_argument(std::string(what) + " joins two or more different layers of the grid's " +
                                        std::to_string(labels.size()) + ", not " + join(layers));
    }
    const double* check_scores(const Scores& scores, const std::vector<size_t>& shape, const std::string& what) {
        bool fits = scores.ndim() == shape.size();
        for (size_t k = 0; fits && k < shape.size(); ++k) fits = scores.shape(k) == shape[k];
        if (!fits) {
            std::vector<size_t> given;
            for (size_t k = 0; k < scores.ndim(); ++k) given.push_back(scores.shape(k));
            throw std::invalid_argument(what + " have the shape " + join(given, " x ") + " where " +
                                        join(shape, " x ") + " was expected");
        }
        if (!all_below_infinity(scores.data(), scores.size()))
            throw std::invalid_argument(what + " have a value that is no number below infinity");
        kept_.push_back(scores);
        return scores.data();
    }
    static bool all_below_infinity(const double* values, size_t n) {
        const double limit = std::numeric_limits<double>::infinity();
        bool all = true;
        for (size_t k = 0; k < n; ++k) all &= values[k] < limit;
        return all;
    }
    static std::string join(const std::vector<size_t>& numbers, const char* between = ", ") {
        std::string out;
        for (size_t number : numbers) out += (out.empty() ? "" : between) + std::to_string(number);
        return out;
    }
    std::vector<Scores> kept_;
};

// Labels of each layer [n_tokens], and scores [sequences].
inline nb::tuple numpy_labels(GridLabels found) {
    nb::list labels;
    for (auto& layer : found.labels) labels.append(to_numpy(std::move(layer)));
    return nb::make_tuple(labels, to_numpy(std::move(found.scores)));
}
// log Z [sequences]; labels, transitions, cotemporal and lagged factors, conditioned transitions: arrays like the
// scores they belong to.
inline nb::tuple numpy_expectations(const Grids& grids, GridExpectations found) {
    const size_t tokens = grids.n_tokens();
    nb::list labels, transitions, cotemporal, lagged, conditioned;
    for (size_t i = 0; i < grids.layers(); ++i) {
        const size_t L = grids.labels[i];
        labels.append(to_numpy(std::move(found.labels[i]), {tokens, L}));
        transitions.append(grids.transition[i].each_token ? to_numpy(std::move(found.transitions[i]), {tokens, L, L})
                                                          : to_numpy(std::move(found.transitions[i]), {L, L}));
    }
    for (size_t k = 0; k < grids.cotemporal.size(); ++k) {
        std::vector<size_t> shape{tokens};
        for (size_t layer : grids.cotemporal[k].layers) shape.push_back(grids.labels[layer]);
        cotemporal.append(to_numpy(std::move(found.cotemporal[k]), shape));
    }
    for (size_t k = 0; k < grids.lagged.size(); ++k)
        lagged.append(to_numpy(std::move(found.lagged[k]),
                               {tokens, grids.labels[grids.lagged[k].before], grids.labels[grids.lagged[k].after]}));
    for (size_t k = 0; k < grids.conditioned.size(); ++k) {
        const ConditionedTransition& of = grids.conditioned[k];
        std::vector<size_t> shape;
        if (of.each_token) shape.push_back(tokens);
        for (size_t layer : of.given) shape.push_back(grids.labels[layer]);
        shape.insert(shape.end(), 2, grids.labels[of.layer]);
        conditioned.append(to_numpy(std::move(found.conditioned[k]), shape));
    }
    return nb::make_tuple(to_numpy(std::move(found.log_z)), labels, transitions, cotemporal, lagged, conditioned);
}

}  // namespace dovetail
