// Features that a template makes of columns, into a data set or by name.
#pragma once
#include "features/extract.hpp"

namespace dovetail {

class DatasetExtraction {
public:
    DatasetExtraction(Dataset& data, const Template& feature_template, const Columns& columns)
        : data_(data), extraction_(feature_template, columns), groups_(extraction_) {}

    // Adds the tokens of sequence s, which is left open.
    void add_tokens(size_t s) {
        const size_t first = extraction_.columns().bounds[s], last = extraction_.columns().bounds[s + 1];
        for (size_t t = first; t < last; ++t) {
            if (t == first) data_.mark_start();
            add_features(s, t);
            data_.x.end_token();
        }
        if (first < last) data_.mark_end();
    }

private:
    void add_features(size_t s, size_t t) {
        const auto add_group = [&](size_t g, size_t level) {
            const auto [first, last] = groups_.get(g, level, [&] { return group_features(g, level); });
            for (size_t k = first; k < last; ++k) data_.x.add(ids_[k], values_[k]);
        };
        extraction_.visit(s, t, add_group,
                          [&](uint32_t row, uint64_t key, float value, const Extraction::Chosen& items) {
                              data_.x.add(id_of(row, key, items), value);
                          });
    }
    // Where the features of a group at a level lie in ids_ and values_.
    std::pair<size_t, size_t> group_features(size_t g, size_t level) {
        const size_t begin = ids_.size();
        extraction_.each_of_group(g, level,
                                  [&](uint32_t row, uint64_t key, float value, const Extraction::Chosen& items) {
                                      ids_.push_back(id_of(row, key, items)), values_.push_back(value);
                                  });
        return {begin, ids_.size()};
    }
    uint32_t id_of(uint32_t row, uint64_t key, const Extraction::Chosen& items) {
        return data_.features.add(key, [&] { return extraction_.name(row, items); });
    }

    Dataset& data_;
    Extraction extraction_;
    GroupCache<std::pair<size_t, size_t>> groups_;
    std::vector<uint32_t> ids_;
    std::vector<float> values_;
};

// Names and values of the features of each token of each sequence, for people to look at.
using NamedFeatures = std::vector<std::pair<std::string, double>>;
inline std::vector<std::vector<NamedFeatures>> list_features(const Template& feature_template, const Columns& columns) {
    Extraction extraction(feature_template, columns);
    std::vector<std::vector<NamedFeatures>> out(columns.n_sequences());
    for (size_t s = 0; s < out.size(); ++s)
        for (size_t t = columns.bounds[s]; t < columns.bounds[s + 1]; ++t) {
            NamedFeatures& named = out[s].emplace_back();
            const auto put = [&](uint32_t row, uint64_t, float value, const Extraction::Chosen& items) {
                named.emplace_back(extraction.name(row, items), value);
            };
            extraction.visit(s, t, [&](size_t g, size_t level) { extraction.each_of_group(g, level, put); }, put);
        }
    return out;
}

}  // namespace dovetail
