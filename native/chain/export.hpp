// The model that a training problem's weights make up.
#pragma once
#include "chain/model_arrays.hpp"
#include "chain/problem.hpp"

namespace dovetail {

inline ModelArrays export_model(const Problem& problem, const double* w) {
    const Dataset& data = *problem.data;
    const std::vector<uint64_t> frequency = data.occurrences();
    std::vector<Weight> weights;
    weights.reserve(problem.layout.size());
    for (size_t k = 0; k < problem.layout.size(); ++k) {
        const Parameter& p = problem.layout.parameter[k];
        const double scale = problem.scale.empty() || p.feature == kNone ? 1.0 : problem.scale[p.feature];
        weights.push_back({p, static_cast<float>(w[k] * scale)});
    }
    return arrays_from(data.features, problem.L(), weights, frequency);
}

}  // namespace dovetail
