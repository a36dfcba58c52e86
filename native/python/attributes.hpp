// Attributes as Python names them.
#pragma once
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "features/attributes.hpp"

namespace dovetail {

using NamedSteps = std::vector<std::pair<std::string, int>>;

inline std::vector<Step> parse_steps(const NamedSteps& named) {
    std::vector<Step> steps;
    for (const auto& [name, n] : named) steps.push_back(Step::of(name, n));
    return steps;
}

}  // namespace dovetail
