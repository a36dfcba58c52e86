// Characters of UTF-8 text and their kinds.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

namespace dovetail {

// The characters of valid UTF-8.
inline std::u32string decode_utf8(std::string_view text) {
    std::u32string out;
    for (size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
        char32_t point = more == 0 ? lead : lead & (0x3F >> more);
        for (int k = 1; k <= more && i + k < text.size(); ++k)
            point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3F);
        out.push_back(point);
        i += 1 + more;
    }
    return out;
}

inline void encode(char32_t point, std::string& out) {
    const auto put = [&](unsigned byte) { out.push_back(static_cast<char>(byte)); };
    if (point < 0x80) put(point);
    else if (point < 0x800) put(0xC0 | point >> 6), put(0x80 | (point & 0x3F));
    else if (point < 0x10000) put(0xE0 | point >> 12), put(0x80 | (point >> 6 & 0x3F)), put(0x80 | (point & 0x3F));
    else
        put(0xF0 | point >> 18), put(0x80 | (point >> 12 & 0x3F)), put(0x80 | (point >> 6 & 0x3F)),
            put(0x80 | (point & 0x3F));
}
inline std::string encode_utf8(std::u32string_view text) {
    std::string out;
    for (char32_t point : text) encode(point, out);
    return out;
}

struct Character {
    char32_t kind;  // X upper case, x another letter, d digit, else the character itself
    std::u32string lower;
};

// Of a character beyond ASCII, as Python's str has it. Defined by whoever has Python at hand (python/characters.cpp),
// which may need its lock.
Character unicode_character(char32_t point);

// ASCII by rule; other characters are looked up once each.
inline const Character& character(char32_t point) {
    static std::unordered_map<char32_t, Character> known;
    const auto found = known.find(point);
    if (found != known.end()) return found->second;
    const bool upper = point >= 'A' && point <= 'Z', letter = upper || (point >= 'a' && point <= 'z');
    Character made{point, std::u32string(1, upper ? point + 32 : point)};
    if (letter) made.kind = upper ? U'X' : U'x';
    else if (point >= '0' && point <= '9') made.kind = U'd';
    else if (point >= 0x80) made = unicode_character(point);
    return known.emplace(point, std::move(made)).first->second;
}

}  // namespace dovetail
