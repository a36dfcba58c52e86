// From columns to features, by templates.
//
// A row of a template is a conjunction of parts, each an attribute of a column at an offset. A feature is a row with
// one item for each part; its key mixes the row's key with the items' hashes, its value is the product of theirs.
// The only string built is the name of a feature, when it is first seen.
//
// Rows of a single part depend on one token alone. All those of one column and one offset make up a group: what they
// yield is found once for each distinct value.
#pragma once
#include "features/columns.hpp"

namespace dovetail {

struct TemplateRow {
    std::string name;
    float value;
    std::vector<std::pair<uint32_t, int32_t>> parts;  // attribute, offset
};
struct TemplateAttribute {
    std::string column;
    std::vector<Step> steps;

    std::shared_ptr<const Items> items(const ItemColumn& of) const {
        return steps.empty() ? of.items : std::make_shared<const Items>(apply_steps(*of.items, steps));
    }
};

class Template {
public:
    std::vector<TemplateAttribute> attributes;
    std::vector<TemplateRow> rows;

    Template(std::vector<TemplateAttribute> given, std::vector<TemplateRow> given_rows)
        : attributes(std::move(given)), rows(std::move(given_rows)) {
        for (const TemplateRow& row : rows)
            for (const auto& [attribute, offset] : row.parts)
                if (attribute >= attributes.size() || std::abs(offset) > kFarthest)
                    throw std::invalid_argument("a row of the template has a part that does not exist");
    }
    static constexpr int kFarthest = 1 << 20;
};

// Mixes a part's hash into a key. Stored in model files like key_of, so it must never change.
inline uint64_t mix_key(uint64_t key, uint64_t hash) {
    return fold(key ^ hash, 0x9FB21C651E98DF25ull) + 0xD6E8FEB86659FD93ull;
}
inline uint64_t finish_key(uint64_t key) {
    const uint64_t last = fold(key ^ 0x9E3779B97F4A7C15ull, 0xA0761D6478BD642Full);
    return last ? last : 1;
}

// Value of a part that lies `distance` tokens outside the sequence: before it if negative.
inline std::string boundary_text(int distance) {
    return "\u27E8" + std::string(distance > 0 ? "+" : "") + std::to_string(distance) + "\u27E9";
}

// Adds value k of n to the name of a feature. Bars within values of several parts are escaped, so that features of one
// row have names that differ.
inline void append_value(std::string& name, size_t k, size_t n, std::string_view value) {
    name += k ? '|' : '=';
    for (char c : value) {
        if (n > 1 && (c == '|' || c == '\\')) name += '\\';
        name += c;
    }
}

// A template bound to columns.
class Extraction {
public:
    Extraction(const Template& feature_template, const Columns& columns)
        : template_(feature_template), columns_(columns) {
        for (const TemplateAttribute& attribute : template_.attributes) bind(attribute);
        for (const TemplateRow& row : template_.rows) {
            salt_.push_back(key_of(row.name.data(), row.name.size()));
            if (row.parts.size() == 1) group_of(row.parts[0]).push_back(static_cast<uint32_t>(salt_.size() - 1));
            else products_.push_back(static_cast<uint32_t>(salt_.size() - 1));
        }
    }

    struct Group {
        const Codes* codes;
        int32_t offset;
        size_t levels;    // of the column; further ones stand for what lies outside the sequence
        int64_t padding;  // unless it has levels of its own for that
        std::vector<uint32_t> rows;
    };
    const std::vector<Group>& groups() const { return groups_; }
    const Columns& columns() const { return columns_; }

    // Calls group(g, level) for each group that has something at token t, and feature(row, key, value, items) for each
    // feature of a row of several parts; items: one a part, kOutside + distance where it lies outside.
    template <class OnGroup, class OnFeature> void visit(size_t s, size_t t, OnGroup group, OnFeature feature) {
        const auto first = static_cast<int64_t>(columns_.bounds[s]),
                   last = static_cast<int64_t>(columns_.bounds[s + 1]);
        for (size_t g = 0; g < groups_.size(); ++g) {
            const Group& own = groups_[g];
            const int64_t at = static_cast<int64_t>(t) + own.offset;
            const int64_t outside = distance_outside(at, first, last);
            if (outside)
                group(g, own.padding < 0 ? own.levels + outside_number(outside) : padding_level(own.padding, outside));
            else if (const int32_t code = (*own.codes)[at]; code >= 0) group(g, static_cast<size_t>(code));
        }
        for (uint32_t row : products_) conjoin(row, t, first, last, feature);
    }
    // Calls feature(row, key, value, items) for each feature that a group yields at a level.
    template <class OnFeature> void each_of_group(size_t g, size_t level, OnFeature feature) {
        const Group& own = groups_[g];
        chosen_.resize(1);
        for (uint32_t row : own.rows) {
            const float scale = template_.rows[row].value;
            const Bound& bound = bound_[template_.rows[row].parts[0].first];
            if (level >= own.levels) {
                const int64_t distance = outside_distance(level - own.levels);
                chosen_[0] = kOutside + distance;
                feature(row, finish_key(mix_key(salt_[row], outside_hash(distance))), scale, chosen_);
                continue;
            }
            for (uint32_t item = bound.items->begin[level]; item < bound.items->begin[level + 1]; ++item) {
                chosen_[0] = item;
                feature(row, finish_key(mix_key(salt_[row], bound.items->hash[item])),
                        scale * bound.items->value_of(item), chosen_);
            }
        }
    }
    using Chosen = std::vector<int64_t>;
    // The row's name and the values.
    std::string name(uint32_t row, const Chosen& items) const {
        const TemplateRow& of = template_.rows[row];
        std::string out = of.name;
        for (size_t k = 0; k < items.size(); ++k) {
            if (items[k] < 0) append_value(out, k, items.size(), boundary_text(static_cast<int>(items[k] - kOutside)));
            else
                append_value(out, k, items.size(),
                             bound_[of.parts[k].first].items->text(static_cast<size_t>(items[k])));
        }
        return out;
    }

private:
    static constexpr int64_t kOutside = -(int64_t{1} << 40);
    struct Bound {
        std::shared_ptr<const Codes> codes;
        std::shared_ptr<const Items> items;
        int64_t padding;
        bool plain;
    };

    void bind(const TemplateAttribute& attribute) {
        const ItemColumn& column = columns_.at(attribute.column);
        const std::shared_ptr<const Items> items = attribute.items(column);
        bound_.push_back({column.codes, items, column.padding, items->plain()});
    }
    std::vector<uint32_t>& group_of(std::pair<uint32_t, int32_t> part) {
        const Bound& bound = bound_[part.first];
        for (Group& group : groups_)
            if (group.codes == bound.codes.get() && group.offset == part.second && group.padding == bound.padding)
                return group.rows;
        groups_.push_back({bound.codes.get(), part.second, bound.items->size(), bound.padding, {}});
        return groups_.back().rows;
    }

    template <class OnFeature> void conjoin(uint32_t row, size_t t, int64_t first, int64_t last, OnFeature& feature) {
        const TemplateRow& of = template_.rows[row];
        chosen_.resize(of.parts.size());
        extend(row, of, 0, salt_[row], of.value, t, first, last, feature);
    }
    template <class OnFeature>
    void extend(uint32_t row, const TemplateRow& of, size_t k, uint64_t key, float value, size_t t, int64_t first,
                int64_t last, OnFeature& feature) {
        if (k == of.parts.size()) return feature(row, finish_key(key), value, chosen_);
        const Bound& bound = bound_[of.parts[k].first];
        const int64_t at = static_cast<int64_t>(t) + of.parts[k].second;
        const int64_t distance = distance_outside(at, first, last);
        if (distance && bound.padding < 0) {
            chosen_[k] = kOutside + distance;
            return extend(row, of, k + 1, mix_key(key, outside_hash(distance)), value, t, first, last, feature);
        }
        const int64_t level =
            distance ? static_cast<int64_t>(padding_level(bound.padding, distance)) : (*bound.codes)[at];
        if (level < 0) return;
        if (bound.plain) {
            chosen_[k] = level;
            return extend(row, of, k + 1, mix_key(key, bound.items->hash[level]), value, t, first, last, feature);
        }
        for (uint32_t item = bound.items->begin[level]; item < bound.items->begin[level + 1]; ++item) {
            chosen_[k] = item;
            extend(row, of, k + 1, mix_key(key, bound.items->hash[item]), value * bound.items->value_of(item), t, first,
                   last, feature);
        }
    }

    uint64_t outside_hash(int64_t distance) {
        const size_t number = outside_number(distance);
        while (outside_.size() <= number) {
            const std::string text = boundary_text(static_cast<int>(outside_distance(outside_.size())));
            outside_.push_back(key_of(text.data(), text.size()));
        }
        return outside_[number];
    }

    const Template& template_;
    const Columns& columns_;
    std::vector<Bound> bound_;
    std::vector<uint64_t> salt_, outside_;
    std::vector<Group> groups_;
    std::vector<uint32_t> products_;
    Chosen chosen_;
};

// The results for the levels of each group, computed when first needed.
template <class Found> class GroupCache {
public:
    explicit GroupCache(const Extraction& extraction) : of_(extraction.groups().size()) {}
    template <class Make> const Found& get(size_t g, size_t level, Make make) {
        std::vector<uint32_t>& places = of_[g];
        if (places.size() <= level) places.resize(level + 1, kNone);
        if (places[level] == kNone) {
            Found made = make();
            places[level] = static_cast<uint32_t>(found_.size());
            found_.push_back(std::move(made));
        }
        return found_[places[level]];
    }

private:
    std::vector<std::vector<uint32_t>> of_;
    std::vector<Found> found_;
};

}  // namespace dovetail
