// Labelled sequences from Python's lists into a data set.
#pragma once
#include "features/dataset.hpp"
#include "python/arrays.hpp"
#include "python/token_reader.hpp"

namespace dovetail {

// Adds features to a data set under construction.
struct AddToDataset {
    static constexpr bool kSkipsZero = false;  // a feature is there whatever its value: it has weights
    Dataset& data;
    void prefetch(const std::vector<TokenReader::Keyed>& keyed) const {
        const KeyTableView table = data.features.table().view();
        for (const auto& each : keyed) __builtin_prefetch(table.home(each.key));
    }
    void operator()(uint64_t key, const char* text, size_t size, float value) {
        data.x.add(data.features.add(key, text, size), value);
    }
};

inline uint16_t label_code(Dataset& data, PyObject* label) {
    if (!PyUnicode_Check(label))
        throw ItemError("has a label of type " + type_name(label) + "; give a string, None, or a set of strings");
    const Text text = utf8(label);
    const uint32_t code = data.labels.add(text.data, text.size);
    if (code + 1 >= static_cast<uint32_t>(kMostLabels))
        throw ItemError("brings the number of different labels above 32,766");
    return static_cast<uint16_t>(code);
}

// None: unknown; a string: that label; a set (list, tuple) of strings: one of these.
inline int32_t known_code(Dataset& data, PyObject* known) {
    if (known == Py_None) return kUnknown;
    if (PyUnicode_Check(known) || !is_iterable(known)) return label_code(data, known);
    std::vector<uint16_t> labels;
    const nb::object members = in_fixed_order(known);
    each_item(members.ptr(), [&](PyObject* label) { labels.push_back(label_code(data, label)); });
    if (labels.empty()) throw ItemError("has an empty set of labels; give None where nothing is known");
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels.size() == 1 ? int32_t{labels[0]} : data.sets.code_of(std::move(labels));
}

inline void read_codes(Dataset& data, PyObject* items, std::vector<int32_t>& codes, const char* what) {
    const size_t tokens = data.x.n_tokens();
    size_t token = 0;
    if (!is_iterable(items))
        throw ItemError("has " + type_name(items) + " for its " + what + "; give a list, with one for each token");
    each_item(items, [&](PyObject* item) {
        ++token;
        try {
            codes.push_back(known_code(data, item));
        } catch (const ItemError& error) {
            throw ItemError("token " + std::to_string(token) + " " + error.what());
        }
    });
    if (codes.size() != tokens)
        throw ItemError("has " + std::to_string(tokens - data.x.sequences.back()) + " tokens but " +
                        std::to_string(token) + " " + what);
}

// What is known of the labels of the sequence whose tokens have just been added; ends it.
inline void close_sequence(Dataset& data, const nb::object& labels, const nb::object& allowed, double weight) {
    if (labels.is_none()) data.gold.resize(data.x.n_tokens(), kUnknown);
    else read_codes(data, labels.ptr(), data.gold, "labels");
    if (!allowed.is_none() || !data.allowed.empty()) {
        data.allowed.resize(data.x.sequences.back(), kUnknown);
        if (allowed.is_none()) data.allowed.resize(data.x.n_tokens(), kUnknown);
        else read_codes(data, allowed.ptr(), data.allowed, "sets of allowed labels");
    }
    if (!(weight >= 0 && std::isfinite(static_cast<float>(weight))))
        throw ItemError("has the weight " + format_number(weight) + "; give a number from 0 to 3.4e38");
    data.set_weight(static_cast<float>(weight));
    data.x.end_sequence();
}

}  // namespace dovetail
