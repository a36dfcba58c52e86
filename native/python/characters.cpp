// What Python's str knows of characters.
#include <nanobind/nanobind.h>

#include "features/characters.hpp"

namespace dovetail {

namespace nb = nanobind;

Character unicode_character(char32_t point) {
    const std::string text = encode_utf8(std::u32string_view(&point, 1));
    const nb::str self(text.data(), text.size());
    const auto is = [&](const char* test) { return nb::cast<bool>(self.attr(test)()); };
    Character out{point, decode_utf8(nb::cast<nb::str>(self.attr("lower")()).c_str())};
    if (is("isalpha")) out.kind = is("isupper") ? U'X' : U'x';
    else if (is("isdigit")) out.kind = U'd';
    return out;
}

}  // namespace dovetail
