// Whether what was read from a shard's file can be worked on: every number of it stays within its bounds.
#pragma once
#include "chain/problem.hpp"

namespace dovetail {

struct DamagedShard : std::invalid_argument {
    explicit DamagedShard(const char* what) : std::invalid_argument(std::string("its ") + what + " do not fit") {}
};

inline void require(bool fits, const char* what) {
    if (!fits) throw DamagedShard(what);
}

template <class Bounds> bool are_bounds(const Bounds& bounds, size_t total) {
    if (bounds.empty() || bounds[0] != 0 || bounds[bounds.size() - 1] != total) return false;
    for (size_t k = 1; k < bounds.size(); ++k)
        if (bounds[k] < bounds[k - 1]) return false;
    return true;
}

inline void check_codes(const Dataset& data, const std::vector<int32_t>& codes) {
    const auto labels = static_cast<int64_t>(data.labels.size()), sets = static_cast<int64_t>(data.sets.size());
    for (int32_t code : codes) require(code < labels && -2 - int64_t{code} < sets, "labels");
}

inline void check_layout(const Layout& layout, size_t features) {
    require(layout.row.size() == features, "features");
    require(layout.row_mask.size() == layout.D * static_cast<size_t>(layout.Lp / kLane), "rows");
    require(layout.parameter.size() == layout.slot.size(), "parameters");
    const size_t pairs = layout.pair_label.size(), size = layout.buffer_size();
    for (uint16_t label : layout.pair_label) require((label & ~kLastPair) < layout.L, "pairs");
    require(!pairs || layout.pair_label.back() & kLastPair, "pairs");
    for (uint32_t row : layout.row)
        require(row == kNone || (row & kDenseRow ? (row & ~kDenseRow) < layout.D : row < pairs), "rows");
    for (uint32_t slot : layout.slot) require(slot < size, "parameters");
    for (const Parameter& p : layout.parameter)
        require((p.feature == kNone || p.feature < features) && p.previous < layout.L && p.label < layout.L &&
                    p.label >= 0 && (p.feature != kNone || p.previous >= 0),
                "parameters");
}

inline void check_program(const Program& program, const Layout& layout, size_t tokens, size_t rows_end) {
    require(program.begin.size() == tokens + 1 && are_bounds(program.begin, program.code.size()), "occurrences");
    require(program.dense.size() == tokens && program.singles.size() == tokens, "occurrences");
    require(program.single_label.size() == tokens, "occurrences");
    require(program.value.empty() || program.value.size() == program.code.size(), "values");
    const size_t pairs = layout.pair_label.size(), row = static_cast<size_t>(layout.Lp);
    for (size_t t = 0; t < tokens; ++t) {
        const uint64_t first = program.begin[t], size = program.begin[t + 1] - first, dense = program.dense[t];
        require(dense <= size && program.singles[t] <= size - dense, "occurrences");
        require(program.single_label[t] < layout.L, "labels");
        for (uint64_t k = first; k < first + size; ++k) {
            const size_t code = program.code[k];
            require(k < first + dense ? code % kLane == 0 && code + row <= rows_end : code < pairs, "occurrences");
        }
    }
}

inline void check_bundles(const Bundles& bundles, const Layout& layout) {
    require(bundles.begin.size() && are_bounds(bundles.begin, bundles.member.size()), "bundles");
    for (uint32_t f : bundles.member) require(f < layout.row.size() && layout.row[f] != kNone, "bundles");
}

}  // namespace dovetail
