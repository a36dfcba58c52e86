// Tokens whose labels are asked about.
#pragma once
#include <cstddef>
#include <cstdint>

namespace dovetail {

struct LabelSpan {
    size_t begin, end;
    const uint8_t* masks;  // [end - begin + 2 x L]: labels of the token before, those within, the token after
};

}  // namespace dovetail
