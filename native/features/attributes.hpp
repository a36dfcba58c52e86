// Attributes of a value: functions that are computed once for each distinct value of a column.
#pragma once
#include <stdexcept>
#include <vector>

#include "features/characters.hpp"

namespace dovetail {

struct Step {
    enum Kind { kLower, kShape, kShortShape, kDigits, kLength, kPrefix, kSuffix, kChars };
    Kind kind;
    int n = 0;

    static Step of(const std::string& name, int n) {
        static const std::vector<std::pair<const char*, Kind>> names = {
            {"lower", kLower},   {"shape", kShape},   {"short_shape", kShortShape}, {"digits", kDigits},
            {"length", kLength}, {"prefix", kPrefix}, {"suffix", kSuffix},          {"chars", kChars}};
        for (const auto& [known, kind] : names)
            if (name == known) return {kind, n};
        throw std::invalid_argument("there is no attribute '" + name + "'");
    }
};

// Calls emit(value) for what the steps make of a value: once, several times (chars), or not at all (too short for
// an affix).
template <class Emit> void apply_step(const Step* step, const Step* last, const std::u32string& value, Emit&& emit) {
    if (step == last) return emit(value);
    const auto go_on = [&](const std::u32string& next) { apply_step(step + 1, last, next, emit); };
    const auto n = static_cast<size_t>(step->n);
    std::u32string next;
    switch (step->kind) {
        case Step::kLower:
            for (char32_t point : value) next += character(point).lower;
            return go_on(next);
        case Step::kShape:
            for (char32_t point : value) next += character(point).kind;
            return go_on(next);
        case Step::kShortShape:
            for (char32_t point : value)
                if (const char32_t kind = character(point).kind; next.empty() || next.back() != kind) next += kind;
            return go_on(next);
        case Step::kDigits:
            for (char32_t point : value) next += character(point).kind == U'd' ? U'0' : point;
            return go_on(next);
        case Step::kLength:
            for (char digit : std::to_string(value.size())) next += static_cast<char32_t>(digit);
            return go_on(next);
        case Step::kPrefix:
            if (value.size() >= n) go_on(value.substr(0, n));
            return;
        case Step::kSuffix:
            if (value.size() >= n) go_on(value.substr(value.size() - n));
            return;
        case Step::kChars: {
            const std::u32string marked = U"^" + value + U"$";
            for (size_t at = 0; at + n <= marked.size(); ++at) go_on(marked.substr(at, n));
            return;
        }
    }
}

}  // namespace dovetail
