// Spans of labels as arrays.
#pragma once
#include "core/label_span.hpp"
#include "python/arrays.hpp"

namespace dovetail {

// Spans within a sequence of T tokens; their masks over L labels follow one another.
inline std::vector<LabelSpan> make_spans(const In<int64_t>& begins, const In<int64_t>& ends, const In<uint8_t>& masks,
                                         size_t T, size_t L) {
    check_size(ends.size(), begins.size(), "ends");
    std::vector<LabelSpan> spans;
    size_t rows = 0;
    for (size_t k = 0; k < begins.size(); ++k) {
        const int64_t begin = begins.data()[k], end = ends.data()[k];
        if (begin < 0 || end < begin || static_cast<uint64_t>(end) > T)
            throw std::invalid_argument("span " + std::to_string(k + 1) + " from " + std::to_string(begin) + " to " +
                                        std::to_string(end) + " does not lie within the " + std::to_string(T) +
                                        " tokens of its sequence");
        spans.push_back({static_cast<size_t>(begin), static_cast<size_t>(end), masks.data() + rows * L});
        rows += static_cast<size_t>(end - begin) + 2;
    }
    check_size(masks.size(), rows * L, "masks");
    return spans;
}

}  // namespace dovetail
