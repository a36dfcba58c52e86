// The state of optimisers as NumPy arrays by name, and back.
#pragma once
#include <nanobind/stl/string.h>

#include <type_traits>

#include "optimize/lbfgs.hpp"
#include "python/arrays.hpp"

namespace dovetail {

template <class T> In<T> state_array(const nb::dict& state, const char* name) {
    if (!state.contains(name)) throw std::invalid_argument(std::string("the state lacks '") + name + "'");
    return nb::cast<In<T>>(state[name]);
}

template <class Method> nb::dict state_of(Method& self) {
    nb::dict state;
    self.each_part([&](const char* name, auto& part) {
        using Part = std::remove_reference_t<decltype(part)>;
        if constexpr (std::is_arithmetic_v<Part>) state[name] = to_numpy(std::vector<Part>{part});
        else state[name] = to_numpy(std::vector<typename Part::value_type>(part.begin(), part.end()));
    });
    return state;
}

template <class Method> void restore(Method& self, const nb::dict& state) {
    self.each_part([&](const char* name, auto& part) {
        using Part = std::remove_reference_t<decltype(part)>;
        if constexpr (std::is_arithmetic_v<Part>) {
            const In<Part> given = state_array<Part>(state, name);
            check_size(given.size(), 1, name);
            part = given.data()[0];
        } else {
            const auto given = state_array<typename Part::value_type>(state, name);
            check_size(given.size(), part.size(), name);
            std::copy_n(given.data(), given.size(), part.begin());
        }
    });
}

inline nb::dict state_of_history(const LbfgsHistory& self) {
    std::vector<float> s, y;
    std::vector<double> rho;
    for (const LbfgsHistory::Pair& pair : self.pairs()) {
        s.insert(s.end(), pair.s.begin(), pair.s.end());
        y.insert(y.end(), pair.y.begin(), pair.y.end());
        rho.push_back(pair.rho);
    }
    nb::dict state;
    state["s"] = to_numpy(std::move(s)), state["y"] = to_numpy(std::move(y)), state["rho"] = to_numpy(std::move(rho));
    return state;
}

inline void restore_history(LbfgsHistory& self, const nb::dict& state) {
    const In<float> s = state_array<float>(state, "s"), y = state_array<float>(state, "y");
    const In<double> rho = state_array<double>(state, "rho");
    check_size(s.size(), rho.size() * self.size(), "s");
    check_size(y.size(), rho.size() * self.size(), "y");
    std::deque<LbfgsHistory::Pair> pairs;
    for (size_t k = 0; k < rho.size(); ++k) {
        const size_t begin = k * self.size(), end = begin + self.size();
        pairs.push_back({{s.data() + begin, s.data() + end}, {y.data() + begin, y.data() + end}, rho.data()[k]});
    }
    self.restore(std::move(pairs));
}

}  // namespace dovetail
