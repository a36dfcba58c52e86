// Columns of a table of tokens as features see them: at each token some items, a text with a value each.
#pragma once
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>

#include "features/attributes.hpp"
#include "features/dataset.hpp"

namespace dovetail {

// Items of each level of a column, in compressed rows. A text that comes twice at a level counts once; in a soft column
// its values add up.
struct Items {
    bool soft = false;
    std::vector<uint32_t> begin{0};
    std::vector<uint64_t> hash;  // of the text
    std::vector<float> value;    // empty while all are 1
    StringPool texts;

    size_t size() const { return begin.size() - 1; }
    void add(std::string_view text, float given = 1.0f) {
        const uint64_t key = key_of(text.data(), text.size());
        for (size_t item = begin.back(); item < hash.size(); ++item) {
            if (hash[item] != key) continue;
            if (soft) value.resize(hash.size(), 1.0f), value[item] += given;
            return;
        }
        if (given != 1.0f || !value.empty()) value.resize(hash.size(), 1.0f), value.push_back(given);
        hash.push_back(key);
        texts.add(text.data(), text.size());
    }
    void end() { begin.push_back(static_cast<uint32_t>(hash.size())); }
    float value_of(size_t item) const { return value.empty() ? 1.0f : value[item]; }
    std::string_view text(size_t item) const { return texts[item]; }
    // Exactly one item of value 1 at every level: most columns.
    bool plain() const {
        if (!value.empty() || hash.size() != size()) return false;
        for (size_t level = 0; level < size(); ++level)
            if (begin[level] != level) return false;
        return true;
    }
};

// The items at each level with the steps applied.
inline Items apply_steps(const Items& from, const std::vector<Step>& steps) {
    Items out;
    out.soft = from.soft;
    for (size_t level = 0; level < from.size(); ++level) {
        for (uint32_t item = from.begin[level]; item < from.begin[level + 1]; ++item)
            apply_step(steps.data(), steps.data() + steps.size(), decode_utf8(from.text(item)),
                       [&](const std::u32string& value) { out.add(encode_utf8(value), from.value_of(item)); });
        out.end();
    }
    return out;
}

using Codes = std::vector<int32_t>;  // level of each token, -1 where it is missing

struct ItemColumn {
    std::string name;
    std::shared_ptr<const Codes> codes;
    std::shared_ptr<const Items> items;
    int64_t padding = -1;  // the first of kPadding levels for what lies outside the sequence, if there are such
};

// The distinct texts of a column.
inline std::vector<std::string> distinct_texts(const Items& items) {
    std::vector<std::string> out;
    KeyTable seen;
    for (size_t item = 0; item < items.hash.size(); ++item) {
        const auto fresh = static_cast<uint32_t>(out.size());
        if (seen.find_or_add(items.hash[item], fresh) == fresh) out.emplace_back(items.text(item));
    }
    return out;
}

// Of each token, the number of its first text among the distinct ones, or -1.
inline std::vector<int32_t> first_text_codes(const ItemColumn& column) {
    std::vector<int32_t> first(column.codes->size(), -1);
    std::unordered_map<uint64_t, int32_t> numbers;
    for (uint64_t hash : column.items->hash) numbers.emplace(hash, static_cast<int32_t>(numbers.size()));
    for (size_t t = 0; t < first.size(); ++t) {
        const int32_t level = (*column.codes)[t];
        if (level >= 0 && column.items->begin[level] < column.items->begin[level + 1])
            first[t] = numbers.at(column.items->hash[column.items->begin[level]]);
    }
    return first;
}

// Distances -1, 1, -2, 2, ... outside a sequence as numbers 0, 1, 2, 3, ...
inline size_t outside_number(int64_t distance) {
    return static_cast<size_t>(2 * (std::abs(distance) - 1) + (distance > 0));
}
inline int64_t outside_distance(size_t number) {
    return (static_cast<int64_t>(number) / 2 + 1) * (number % 2 ? 1 : -1);
}
constexpr int64_t kFarOutside = 5;  // padding is the same for all distances from here on
constexpr size_t kPadding = 2 * kFarOutside;
// How far a token lies outside the sequence [first, last): before it if negative, 0 inside.
inline int64_t distance_outside(int64_t at, int64_t first, int64_t last) {
    return at < first ? at - first : at >= last ? at - last + 1 : 0;
}
// The level that a column with padding has there.
inline size_t padding_level(int64_t padding, int64_t distance) {
    return static_cast<size_t>(padding) + outside_number(std::clamp(distance, -kFarOutside, kFarOutside));
}

// All columns of some sequences.
class Columns {
public:
    std::vector<uint64_t> bounds;  // [sequences + 1], empty until the first column comes
    std::vector<ItemColumn> columns;

    size_t n_sequences() const { return bounds.empty() ? 0 : bounds.size() - 1; }
    size_t n_tokens() const { return bounds.empty() ? 0 : bounds.back(); }
    const ItemColumn* find(std::string_view name) const {
        for (const ItemColumn& column : columns)
            if (column.name == name) return &column;
        return nullptr;
    }
    const ItemColumn& at(std::string_view name) const {
        if (const ItemColumn* found = find(name)) return *found;
        throw std::invalid_argument("there is no column '" + std::string(name) + "'");
    }
    void add(std::string name, Codes codes, Items items) {
        if (codes.size() != n_tokens())
            throw std::invalid_argument("column '" + name + "' has " + std::to_string(codes.size()) + " values for " +
                                        std::to_string(n_tokens()) + " tokens");
        for (int32_t code : codes)
            if (code < -1 || code >= static_cast<int64_t>(items.size()))
                throw std::invalid_argument("column '" + name + "' has a code that stands for nothing");
        columns.push_back({std::move(name), std::make_shared<const Codes>(std::move(codes)),
                           std::make_shared<const Items>(std::move(items)), -1});
    }
    // A column with a level for each token.
    void add(std::string name, Items items) {
        Codes codes(n_tokens());
        std::iota(codes.begin(), codes.end(), 0);
        add(std::move(name), std::move(codes), std::move(items));
    }
    // A soft column: at each token a weight for each level, [n_tokens x levels]; those below `least` are left out.
    void add_soft(std::string name, const std::vector<std::string>& levels, const float* weights, float least) {
        Items items;
        items.soft = true;
        for (size_t t = 0; t < n_tokens(); ++t) {
            for (size_t k = 0; k < levels.size(); ++k) {
                const float value = weights[t * levels.size() + k];
                if (!std::isfinite(value))
                    throw std::invalid_argument("column '" + name + "' has a value at token " + std::to_string(t + 1) +
                                                " that is no finite number");
                if (std::abs(value) >= least && value != 0.0f) items.add(levels[k], value);
            }
            items.end();
        }
        add(std::move(name), std::move(items));
    }
    // A column whose values outside the sequence are words too, as Wapiti has them, so that attributes can be taken of
    // them.
    void pad(std::string name, std::string_view source) {
        const ItemColumn& from = at(source);
        Items items = *from.items;
        const auto padding = static_cast<int64_t>(items.size());
        for (size_t number = 0; number < kPadding; ++number) {
            const int64_t distance = outside_distance(number);
            const std::string shown = std::abs(distance) < kFarOutside ? std::to_string(std::abs(distance)) : "#";
            items.add((distance < 0 ? "_x-" : "_x+") + shown);
            items.end();
        }
        columns.push_back({std::move(name), from.codes, std::make_shared<const Items>(std::move(items)), padding});
    }
    // A column with the levels of another, but items of its own.
    void derive(std::string name, std::string_view source, Items items) {
        const ItemColumn& from = at(source);
        if (items.size() != from.items->size())
            throw std::invalid_argument("column '" + name + "' does not fit its source");
        columns.push_back({std::move(name), from.codes, std::make_shared<const Items>(std::move(items)), from.padding});
    }
};

}  // namespace dovetail
