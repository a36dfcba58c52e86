// A trained model as flat arrays: what a model file holds, and what tagging reads. Features and pairs whose weight is
// zero are left out.
#pragma once
#include <string>

#include "chain/layout.hpp"

namespace dovetail {

struct ModelArrays {
    std::vector<uint8_t> names;             // UTF-8 bytes of all feature names
    std::vector<uint64_t> name_offsets{0};  // [F + 1]
    std::vector<uint32_t> slots;            // key table, three words a slot
    std::vector<uint32_t> row;              // [F]
    std::vector<float> dense;               // [D x Lp]
    std::vector<uint16_t> pair_label;       // [P]
    std::vector<float> pair_weight;         // [P]
    std::vector<float> transitions;         // [L x L]
    std::vector<uint32_t> edge_row, cell;   // [F] or empty, [E]
    std::vector<float> cell_weight;         // [E]

    void add_name(std::string_view name) {
        names.insert(names.end(), name.begin(), name.end());
        name_offsets.push_back(names.size());
    }
};

// One weight of a model: on a label (previous -1), on a transition (feature kNone), or on a transition given a feature.
struct Weight {
    Parameter at;
    float value;
};

inline ModelArrays arrays_from(const Interner& features, int L, const std::vector<Weight>& weights,
                               const std::vector<uint64_t>& frequency) {
    ModelArrays out;
    const StringPool& names = features.names();
    const std::vector<uint64_t> keys = features.keys();
    std::vector<uint32_t> number(names.size(), kNone);
    std::vector<uint64_t> kept_frequency;
    for (const Weight& w : weights)
        if (w.at.feature != kNone && w.value != 0) number[w.at.feature] = 0;
    KeyTable table(static_cast<size_t>(std::count(number.begin(), number.end(), 0u)));
    bool edges = false;
    for (size_t f = 0; f < number.size(); ++f) {
        if (number[f] == kNone) continue;
        number[f] = static_cast<uint32_t>(kept_frequency.size());
        kept_frequency.push_back(std::max<uint64_t>(1, frequency[f]));
        table.find_or_add(keys[f], number[f]);
        out.add_name(names[f]);
    }
    out.slots = table.slots();

    const size_t F = kept_frequency.size();
    PairSet pairs(F, L);
    for (const Weight& w : weights) {
        if (w.value == 0 || w.at.feature == kNone) continue;
        if (w.at.previous < 0) pairs.add(number[w.at.feature], w.at.label);
        else edges = true;
    }
    Layout layout;
    layout.L = L;
    layout.Lp = padded(L);
    place_rows(layout, pairs, kept_frequency);
    out.row = std::move(layout.row);
    out.dense.assign(layout.D * layout.Lp, 0.0f);
    out.pair_weight.assign(layout.pair_label.size(), 0.0f);
    out.transitions.assign(static_cast<size_t>(L) * L, 0.0f);
    if (edges) out.edge_row.assign(F, kNone);
    for (const Weight& w : weights) {
        if (w.value == 0) continue;
        if (w.at.feature == kNone) out.transitions[static_cast<size_t>(w.at.previous) * L + w.at.label] = w.value;
        else if (w.at.previous < 0) {
            const uint32_t row = out.row[number[w.at.feature]];
            if (row & kDenseRow) out.dense[static_cast<size_t>(row & ~kDenseRow) * layout.Lp + w.at.label] = w.value;
            else {
                uint32_t at = row;
                while ((layout.pair_label[at] & ~kLastPair) != w.at.label) ++at;
                out.pair_weight[at] = w.value;
            }
        } else {  // cells of one feature follow each other in `weights`
            uint32_t& row = out.edge_row[number[w.at.feature]];
            if (row == kNone) row = static_cast<uint32_t>(out.cell.size());
            else out.cell.back() &= ~kLastCell;
            out.cell.push_back(static_cast<uint32_t>(w.at.previous * layout.Lp + w.at.label) | kLastCell);
            out.cell_weight.push_back(w.value);
        }
    }
    out.pair_label = std::move(layout.pair_label);
    return out;
}

// A model without transitions: a dense row of weights [L] for each of some features.
inline ModelArrays arrays_without_transitions(const Interner& known, const uint32_t* features, size_t F,
                                              const float* weights, size_t L) {
    const size_t Lp = static_cast<size_t>(padded(static_cast<int>(L)));
    ModelArrays out;
    const std::vector<uint64_t> keys = known.keys();
    KeyTable table(F);
    out.dense.assign(F * Lp, 0.0f);
    out.row.resize(F);
    for (size_t k = 0; k < F; ++k) {
        const uint32_t f = features[k];
        if (f >= known.size()) throw std::out_of_range("there is no feature " + std::to_string(f) + " in the data set");
        table.find_or_add(keys[f], static_cast<uint32_t>(k));
        out.add_name(known.names()[f]);
        out.row[k] = kDenseRow | static_cast<uint32_t>(k);
        std::copy_n(weights + k * L, L, &out.dense[k * Lp]);
    }
    out.slots = table.slots();
    out.transitions.assign(L * L, 0.0f);
    return out;
}

}  // namespace dovetail
