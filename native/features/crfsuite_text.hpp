// CRFsuite's text format, fed in pieces of any size: a line a token, "label<TAB>feature[:value]<TAB>...",
// a blank line between sequences. In names, "\:" is a colon and "\\" a backslash. "@weight:2.5" in place of a label
// gives the weight of the sequence that it stands in; it may be a line of its own.
#pragma once
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "features/dataset.hpp"

namespace dovetail {

struct TextError : std::runtime_error {
    uint64_t line;
    TextError(uint64_t at, const std::string& what)
        : std::runtime_error("line " + std::to_string(at) + ": " + what), line(at) {}
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
        if (is_weight(at, tab)) {
            weight_ = weight(at + kWeight.size(), tab);
            if (tab == end) return;
            at = tab + 1;
            tab = find(at, end, '\t');
        }
        if (tab == at) throw TextError(number_, "the line has no label before its first tab");
        const uint32_t label = add(data_.labels, at, static_cast<size_t>(tab - at));
        if (label >= 0x7FFF)
            throw TextError(number_, "more than 32,766 different labels; is the label the first field?");
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
        if (id == known && !is_utf8(text, length))
            throw TextError(number_, "the line is not UTF-8; convert the file first, for instance with iconv");
        return id;
    }
    static bool is_utf8(const char* text, size_t length) {
        const auto *at = reinterpret_cast<const uint8_t*>(text), *end = at + length;
        while (at < end) {
            const uint8_t lead = *at++;
            if (lead < 0x80) continue;
            const int more = lead >= 0xC2 && lead < 0xE0   ? 1
                             : lead >= 0xE0 && lead < 0xF0 ? 2
                             : lead >= 0xF0 && lead < 0xF5 ? 3
                                                           : 0;
            if (!more || end - at < more) return false;
            // The second byte also tells overlong forms, surrogates and numbers beyond Unicode.
            const uint8_t low = lead == 0xE0   ? 0xA0
                                : lead == 0xF0 ? 0x90
                                               : 0x80,
                          high = lead == 0xED   ? 0x9F
                                 : lead == 0xF4 ? 0x8F
                                                : 0xBF;
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
        float value = 1;
        if (colon < end && !number(colon + 1, end, value))
            throw TextError(
                number_,
                "'" + std::string(colon + 1, end) +
                    "' is not a finite feature value between -3.4e38 and 3.4e38; write a colon within a name as \\:");
        data_.x.add(add(data_.features, name_.data(), name_.size()), value);
    }
    static bool number(const char* at, const char* end, float& out) {
        double value = 0;
        const auto parsed = std::from_chars(at + (at < end && *at == '+'), end, value);
        out = static_cast<float>(value);
        return parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(out);
    }
    static bool is_weight(const char* at, const char* end) {
        const std::string_view field(at, static_cast<size_t>(end - at));
        return field.starts_with(kWeight) && (field.size() == kWeight.size() || field[kWeight.size()] == ':');
    }
    float weight(const char* colon, const char* end) const {
        float out = 0;
        if (colon == end || !number(colon + 1, end, out) || out < 0)
            throw TextError(number_,
                            "'" + std::string(colon, end) +
                                "' after @weight is not a colon and a number from 0 to 3.4e38, as in @weight:2.5");
        return out;
    }
    void end_sequence() {
        if (open_) {
            data_.mark_end();
            data_.set_weight(weight_);
            data_.x.end_sequence();
        }
        open_ = false;
        weight_ = 1;
    }

    static constexpr std::string_view kWeight = "@weight";
    Dataset& data_;
    std::string rest_, name_;
    float weight_ = 1;  // of the sequence being read
    uint64_t number_ = 0;
    bool open_ = false;
};

}  // namespace dovetail
