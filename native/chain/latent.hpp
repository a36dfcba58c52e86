// Scores of a model whose template reads columns that are not known yet: other taggers' labels, to be found together
// with its own. Every row of the template has such a latent part; what it is worth is worked out for each label
// that the latent column may take,
//
//   score(t, z, y) = sum over rows of weight(row's feature with the latent parts at z, y)
//
// Rows whose other parts all lie in one column at one offset depend on one value beside z: their sums are kept for
// each distinct value.
#pragma once
#include "chain/lookup.hpp"
#include "chain/scores.hpp"
#include "features/extract.hpp"

namespace dovetail {

class LatentScorer {
public:
    // Of each latent column a table whose tokens are its labels; `latent` says which of them an attribute of the
    // template reads, or -1. Parts at another offset than `offset` are read from the columns.
    LatentScorer(const Model& model, const Template& feature_template, const Columns& columns,
                 const std::vector<const Columns*>& tables, const std::vector<int>& latent, int offset)
        : model_(model), columns_(columns), offset_(offset), scorer_(model), lookup_(model, found_) {
        for (const Columns* table : tables) Z_ *= table->n_tokens();
        size_t stride = Z_;  // the first table's label changes slowest
        for (const Columns* table : tables) {
            sizes_.push_back(table->n_tokens());
            stride_.push_back(stride /= table->n_tokens());
        }
        label_.resize(tables.size());
        for (const TemplateRow& row : feature_template.rows) add_row(feature_template, row, tables, latent);
    }

    // [n_tokens x Z x L]. With an offset of -1, what lies before a sequence is no label: rows of z = 0 hold what the
    // template makes of that.
    std::vector<double> run() {
        const size_t L = static_cast<size_t>(model_.L), Lp = static_cast<size_t>(model_.Lp);
        std::vector<double> out(columns_.n_tokens() * Z_ * L);
        Array<float> sums(Z_ * Lp);
        for (size_t s = 0; s < columns_.n_sequences(); ++s) {
            first_ = static_cast<int64_t>(columns_.bounds[s]), last_ = static_cast<int64_t>(columns_.bounds[s + 1]);
            for (t_ = first_; t_ < last_; ++t_) {
                std::fill(sums.begin(), sums.end(), 0.0f);
                for (Group& group : groups_) add_group(group, sums.data());
                for (size_t z = 0; z < (before_sequence() ? 1 : Z_); ++z)
                    std::copy_n(&sums[z * Lp], L, &out[(static_cast<size_t>(t_) * Z_ + z) * L]);
            }
        }
        return out;
    }

    // Whether no row reads a column that is known, so that all tokens are alike.
    bool same_everywhere() const {
        return std::all_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.places.empty(); });
    }
    // What features on transitions add to them: [n_tokens x Z x L x L], or [Z x L x L] where all tokens are alike.
    std::vector<double> run_transitions() {
        const size_t L = static_cast<size_t>(model_.L), Lp = static_cast<size_t>(model_.Lp);
        const Features all = same_everywhere() ? features_anywhere() : features();
        std::vector<double> out(all.n_tokens() * L * L);
        for (size_t k = 0; k < all.n_tokens(); ++k)
            scorer_.each_cell(all, k, [&](uint32_t place, float value) {
                out[k * L * L + place / Lp * L + place % Lp] += static_cast<double>(value);
            });
        return out;
    }

    // The features themselves, those of token t and label z as token t * Z + z; outside as above.
    Features features() {
        found_ = Features();
        for (size_t s = 0; s < columns_.n_sequences(); ++s) {
            first_ = static_cast<int64_t>(columns_.bounds[s]), last_ = static_cast<int64_t>(columns_.bounds[s + 1]);
            for (t_ = first_; t_ < last_; ++t_)
                for (size_t z = 0; z < Z_; ++z) {
                    if (z == 0 || !before_sequence())
                        for (const Group& group : groups_) extend_all(group, z);
                    lookup_.end_token();
                }
        }
        lookup_.settle();
        return std::move(found_);
    }

    // Those of one token, where all are alike: those of label z as token z.
    Features features_anywhere() {
        found_ = Features();
        first_ = t_ = 0, last_ = 1;
        for (size_t z = 0; z < Z_; ++z) {
            for (const Group& group : groups_) extend_all(group, z);
            lookup_.end_token();
        }
        lookup_.settle();
        return std::move(found_);
    }

private:
    struct Part {
        std::shared_ptr<const Codes> codes;
        std::shared_ptr<const Items> items;
        int64_t padding;
        int32_t offset;
        int latent;  // number of its table, or -1
    };
    struct Row {
        uint64_t salt;
        float value;
        std::vector<Part> parts;
    };
    struct Place {
        const Codes* codes;
        int32_t offset;
        int64_t padding;
        size_t levels;
        bool operator==(const Place& other) const {
            return codes == other.codes && offset == other.offset && padding == other.padding;
        }
    };
    struct Sum {
        size_t label, at;  // row of a z, and where its sum lies
    };
    struct Group {
        std::vector<Place> places;  // of the parts that are not latent; kept sums only if there is at most one
        std::vector<Row> rows;
        std::vector<std::pair<uint32_t, uint32_t>> kept;  // of each level: first and last of its sums
    };
    static constexpr std::pair<uint32_t, uint32_t> kUnknown{kNone, kNone};

    void add_row(const Template& feature_template, const TemplateRow& row, const std::vector<const Columns*>& tables,
                 const std::vector<int>& latent) {
        Row made{key_of(row.name.data(), row.name.size()), row.value, {}};
        std::vector<Place> places;
        for (const auto& [number, offset] : row.parts) {
            const TemplateAttribute& attribute = feature_template.attributes[number];
            const int table = offset == offset_ ? latent[number] : -1;
            const ItemColumn& column = (table < 0 ? columns_ : *tables[table]).at(attribute.column);
            const std::shared_ptr<const Items> items = attribute.items(column);
            made.parts.push_back({column.codes, items, column.padding, offset, table});
            const Place place{column.codes.get(), offset, column.padding, items->size()};
            if (table < 0 && std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
        }
        for (Group& group : groups_)
            if (group.places == places) return group.rows.push_back(std::move(made));
        groups_.push_back({std::move(places), {}, {}});
        groups_.back().rows.push_back(std::move(made));
    }

    bool before_sequence() const { return t_ + offset_ < first_; }
    void add_group(Group& group, float* sums) {
        const size_t Lp = static_cast<size_t>(model_.Lp);
        if (before_sequence() || group.places.size() > 1) {
            const auto [first, last] = summed(group, before_sequence() ? 1 : Z_);
            for (size_t k = first; k < last; ++k) add(&sums_[sums_of_[k].at], sums + sums_of_[k].label * Lp);
            sums_.resize(sums_of_.size() > first ? sums_of_[first].at : sums_.size());
            sums_of_.resize(first);
            return;
        }
        size_t level = 0;
        if (!group.places.empty()) {
            const Place& place = group.places[0];
            const int64_t at = t_ + place.offset;
            const int64_t distance = distance_outside(at, first_, last_);
            if (distance)
                level = place.padding < 0 ? place.levels + outside_number(distance)
                                          : padding_level(place.padding, distance);
            else if ((*place.codes)[at] < 0) return;
            else level = static_cast<size_t>((*place.codes)[at]);
        }
        if (group.kept.size() <= level) group.kept.resize(level + 1, kUnknown);
        if (group.kept[level] == kUnknown) group.kept[level] = summed(group, Z_);
        for (uint32_t k = group.kept[level].first; k < group.kept[level].second; ++k)
            add(&sums_[sums_of_[k].at], sums + sums_of_[k].label * Lp);
    }
    void add(const float* from, float* to) const {
        for (int j = 0; j < model_.Lp; j += kLane) store(to + j, load(to + j) + load(from + j));
    }
    // Sums of a group's rows at the current token, for each label for which the model knows a feature.
    std::pair<uint32_t, uint32_t> summed(const Group& group, size_t labels) {
        found_ = Features();
        for (size_t z = 0; z < labels; ++z) {
            extend_all(group, z);
            lookup_.end_token();
        }
        lookup_.settle();
        const auto begin = static_cast<uint32_t>(sums_of_.size());
        for (size_t z = 0; z < labels; ++z) {
            if (found_.tokens[z] == found_.tokens[z + 1]) continue;
            const size_t at = sums_.size();
            sums_.resize(at + model_.Lp);
            scorer_.score(found_, z, &sums_[at]);
            sums_of_.push_back({z, at});
        }
        return {begin, static_cast<uint32_t>(sums_of_.size())};
    }
    void extend_all(const Group& group, size_t z) {
        for (size_t k = 0; k < label_.size(); ++k) label_[k] = z / stride_[k] % sizes_[k];
        for (const Row& row : group.rows) extend(row, 0, row.salt, row.value);
    }
    void extend(const Row& row, size_t k, uint64_t key, float value) {
        if (k == row.parts.size()) return lookup_.add(finish_key(key), value);
        const Part& part = row.parts[k];
        const int64_t at = t_ + part.offset, distance = distance_outside(at, first_, last_);
        if (distance && part.padding < 0) {
            const std::string text = boundary_text(static_cast<int>(distance));
            return extend(row, k + 1, mix_key(key, key_of(text.data(), text.size())), value);
        }
        const int64_t level = distance
                                  ? static_cast<int64_t>(padding_level(part.padding, distance))
                                  : (*part.codes)[part.latent < 0 ? at : static_cast<int64_t>(label_[part.latent])];
        if (level < 0) return;
        for (uint32_t item = part.items->begin[level]; item < part.items->begin[level + 1]; ++item)
            extend(row, k + 1, mix_key(key, part.items->hash[item]), value * part.items->value_of(item));
    }

    const Model& model_;
    const Columns& columns_;
    const int offset_;
    size_t Z_ = 1;
    std::vector<size_t> sizes_, stride_, label_;
    std::vector<Group> groups_;
    int64_t first_ = 0, last_ = 0, t_ = 0;
    Features found_;
    TokenScorer<float> scorer_;
    Lookup lookup_;
    Array<float> sums_;
    std::vector<Sum> sums_of_;
};

}  // namespace dovetail
