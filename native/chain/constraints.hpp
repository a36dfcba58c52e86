// What label sequences may look like, and the error where none may.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace dovetail {

struct Constraints {
    std::vector<uint8_t> legal;       // [L x L] or empty
    std::vector<uint8_t> start, end;  // [L] or empty: labels a sequence may begin and end with
};

struct ImpossibleSequence : std::runtime_error {
    size_t sequence;
    explicit ImpossibleSequence(size_t s)
        : std::runtime_error("sequence " + std::to_string(s + 1) +
                             " has labels, or a lack of allowed ones, that the constraints forbid"),
          sequence(s) {}
};

}  // namespace dovetail
