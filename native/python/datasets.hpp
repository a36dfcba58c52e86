// Sequences of a data set, by numbers from Python.
#pragma once
#include "features/dataset.hpp"
#include "python/arrays.hpp"

namespace dovetail {

inline std::vector<size_t> check_sequences(const Dataset& data, const In<int64_t>& sequences) {
    std::vector<size_t> chosen;
    for (size_t k = 0; k < sequences.size(); ++k) {
        const int64_t s = sequences.data()[k];
        if (s < 0 || static_cast<size_t>(s) >= data.x.size())
            throw std::out_of_range("there is no sequence of index " + std::to_string(s) + " in the data");
        chosen.push_back(static_cast<size_t>(s));
    }
    return chosen;
}

}  // namespace dovetail
