// CRFsuite's text format, fed in pieces of any size: a line a token, "label<TAB>feature[:value]<TAB>...",
// a blank line between sequences. In names, "\:" is a colon and "\\" a backslash.
#pragma once
#include <charconv>
#include <cmath>
#include <string>

#include "dataset.hpp"

namespace dovetail {

struct TextError : std::runtime_error {
    uint64_t line;
    TextError(uint64_t at, const std::string& what) : std::runtime_error("line " + std::to_string(at) + ": " + what), line(at) {}
};

class CrfsuiteText {
public:
    explicit CrfsuiteText(Dataset& data) : data_(data) {}

    void feed(const char* text, size_t length) {
        const char *at = text, *end = text + length;
        while (const char* stop = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)))) {
            if (rest_.empty()) line(at, stop);
            else {
                rest_.append(at, stop);
                line(rest_.data(), rest_.data() + rest_.size());
                rest_.clear();
            }
            at = stop + 1;
            if (at == end) break;
        }
        rest_.append(at, end);
    }
    void finish() {
        if (!rest_.empty()) line(rest_.data(), rest_.data() + rest_.size());
        rest_.clear();
        end_sequence();
    }

private:
    void line(const char* at, const char* end) {
        ++number_;
        if (end > at && end[-1] == '\r') --end;
        if (at == end) return end_sequence();
        const char* tab = find(at, end, '\t');
        if (tab == at) throw TextError(number_, "the line has no label before its first tab");
        const uint32_t label = add(data_.labels, at, static_cast<size_t>(tab - at));
        if (label >= 0x7FFF) throw TextError(number_, "more than 32,766 different labels; is the label the first field?");
        data_.gold.push_back(static_cast<int32_t>(label));
        if (!open_) data_.mark_start();
        while (tab < end) {
            at = tab + 1;
            tab = find(at, end, '\t');
            if (tab > at) feature(at, tab);
        }
        data_.x.end_token();
        open_ = true;
    }
    static const char* find(const char* at, const char* end, char what) {
        const void* found = std::memchr(at, what, static_cast<size_t>(end - at));
        return found ? static_cast<const char*>(found) : end;
    }
    // The number of a name, which has to be UTF-8: looked at when it is new.
    uint32_t add(Interner& names, const char* text, size_t length) const {
        const size_t known = names.size();
        const uint32_t id = names.add(text, length);
        if (id == known && !is_utf8(text, length)) throw TextError(number_, "the line is not UTF-8; convert the file first, for instance with iconv");
        return id;
    }
    static bool is_utf8(const char* text, size_t length) {
        const auto *at = reinterpret_cast<const uint8_t*>(text), *end = at + length;
        while (at < end) {
            const uint8_t lead = *at++;
            if (lead < 0x80) continue;
            const int more = lead >= 0xC2 && lead < 0xE0 ? 1 : lead >= 0xE0 && lead < 0xF0 ? 2 : lead >= 0xF0 && lead < 0xF5 ? 3 : 0;
            if (!more || end - at < more) return false;
            // The second byte also tells overlong forms, surrogates and numbers beyond Unicode.
            const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
            if (at[0] < low || at[0] > high) return false;
            for (int k = 1; k < more; ++k)
                if ((at[k] & 0xC0) != 0x80) return false;
            at += more;
        }
        return true;
    }
    void feature(const char* at, const char* end) {
        const size_t length = static_cast<size_t>(end - at);
        const bool plain = !std::memchr(at, ':', length) && !std::memchr(at, '\\', length);
        if (plain) return data_.x.add(add(data_.features, at, length));
        name_.clear();
        const char* colon = end;
        for (const char* c = at; c < end; ++c) {
            if (*c == '\\' && c + 1 < end) name_.push_back(*++c);
            else if (*c == ':') {
                colon = c;
                break;
            } else name_.push_back(*c);
        }
        double value = 1;
        if (colon < end) {
            const char* digits = colon + 1 + (colon + 1 < end && colon[1] == '+');
            const auto parsed = std::from_chars(digits, end, value);
            if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(static_cast<float>(value)))
                throw TextError(number_, "'" + std::string(colon + 1, end) + "' is not a finite feature value; write a colon within a name as \\:");
        }
        data_.x.add(add(data_.features, name_.data(), name_.size()), static_cast<float>(value));
    }
    void end_sequence() {
        if (open_) data_.mark_end(), data_.x.end_sequence();
        open_ = false;
    }

    Dataset& data_;
    std::string rest_, name_;
    uint64_t number_ = 0;
    bool open_ = false;
};

}  // namespace dovetail
