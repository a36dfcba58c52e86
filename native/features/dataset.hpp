// Sequences of tokens as numbers: which features each token has, and what is known of its label.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash.hpp"

namespace dovetail {

// Features of tokens in compressed rows. sequences[i] is the first token of sequence i, tokens[t] the first
// occurrence of token t. `values` stays empty while every value is 1.
struct Features {
    std::vector<uint64_t> sequences{0}, tokens{0};
    std::vector<uint32_t> ids;
    std::vector<float> values;

    size_t size() const { return sequences.size() - 1; }
    size_t n_tokens() const { return tokens.size() - 1; }
    const float* value_at(uint64_t occurrence) const { return values.empty() ? nullptr : &values[occurrence]; }

    void add(uint32_t id, float value = 1.0f) {
        if (value != 1.0f && values.empty()) values.assign(ids.size(), 1.0f);
        ids.push_back(id);
        if (value != 1.0f || !values.empty()) values.resize(ids.size() - 1, 1.0f), values.push_back(value);
    }
    void end_token() { tokens.push_back(ids.size()); }
    void add_to_last_token(uint32_t id) {
        add(id);
        tokens.back() = ids.size();
    }
    void end_sequence() { sequences.push_back(tokens.size() - 1); }
    void roll_back() {
        tokens.resize(sequences.back() + 1);
        ids.resize(tokens.back());
        if (!values.empty()) values.resize(ids.size());
        if (std::all_of(values.begin(), values.end(), [](float value) { return value == 1.0f; })) values.clear();
    }
};

// Features that every first and every last token of a sequence has: weights for starting and ending with a label.
constexpr char kStartName[] = "\u27E8start\u27E9", kEndName[] = "\u27E8end\u27E9";

constexpr int kMostLabels = 0x7FFF;

// What is known of a token's label: a code >= 0 is the label, kUnknown says nothing, and a code <= -2 is set
// number -2 - code of `LabelSets`.
constexpr int32_t kUnknown = -1;

class LabelSets {
public:
    int32_t code_of(std::vector<uint16_t> labels) {
        const auto found = index_.emplace(std::move(labels), static_cast<int32_t>(sets_.size()));
        if (found.second) sets_.push_back(found.first->first);
        return -2 - found.first->second;
    }
    const std::vector<uint16_t>& operator[](int32_t code) const { return sets_[static_cast<size_t>(-2 - code)]; }
    size_t size() const { return sets_.size(); }

private:
    std::map<std::vector<uint16_t>, int32_t> index_;
    std::vector<std::vector<uint16_t>> sets_;
};

// Pairs of neighbouring labels [L x L], first labels [L] and last labels [L] that occur.
struct ObservedTransitions {
    std::vector<uint8_t> transitions, start, end;
};

// What all the text has of which a data set is a part; or of which it has the names alone, its tokens being elsewhere.
struct Whole {
    uint64_t n_sequences = 0, n_tokens = 0;
    std::vector<uint64_t> counts;      // [features]: occurrences
    std::vector<uint64_t> pair_begin;  // [features + 1]
    std::vector<uint16_t> pair_label;  // labels that feature f was seen with: pair_label[pair_begin[f] ...]
    std::vector<uint8_t> neighbours;   // [L x L]: pairs of labels that may have been neighbours, as far as is known
    ObservedTransitions observed;
    bool fully_labelled = true, weighted = false;
};

struct Dataset {
    Interner features, labels;
    Features x;
    std::vector<int32_t> gold;     // one code a token
    std::vector<int32_t> allowed;  // one code a token, or empty: labels that inference may use at all
    LabelSets sets;
    std::vector<float> weights;  // one a sequence, or empty
    std::shared_ptr<const Whole> whole;

    void mark_start() { x.add(features.add(kStartName, sizeof kStartName - 1)); }  // before the first token's features
    void mark_end() { x.add_to_last_token(features.add(kEndName, sizeof kEndName - 1)); }
    // Call before the sequence that has this weight ends. Nothing is stored while every weight is 1.
    void set_weight(float weight) {
        if (weight != 1 && weights.empty()) weights.assign(x.size(), 1.0f);
        if (weight != 1 || !weights.empty()) weights.push_back(weight);
    }
    bool fully_labelled(size_t sequence) const {
        for (uint64_t t = x.sequences[sequence]; t < x.sequences[sequence + 1]; ++t)
            if (gold[t] < 0) return false;
        return true;
    }
    bool fully_labelled() const {
        if (whole) return whole->fully_labelled;
        for (size_t s = 0; s < x.size(); ++s)
            if (!fully_labelled(s)) return false;
        return true;
    }
    bool weighted() const { return whole ? whole->weighted : !weights.empty(); }
    size_t n_sequences() const { return whole ? whole->n_sequences : x.size(); }
    size_t n_tokens() const { return whole ? whole->n_tokens : x.n_tokens(); }
    size_t n_occurrences() const {
        return whole ? std::accumulate(whole->counts.begin(), whole->counts.end(), uint64_t{0}) : x.ids.size();
    }
    ObservedTransitions observed_transitions() const {
        if (whole) return whole->observed;
        const size_t L = labels.size();
        ObservedTransitions out{std::vector<uint8_t>(L * L, 0), std::vector<uint8_t>(L, 0), std::vector<uint8_t>(L, 0)};
        for (size_t s = 0; s < x.size(); ++s)
            for (uint64_t t = x.sequences[s]; t < x.sequences[s + 1]; ++t) {
                const int32_t y = gold[t];
                if (y < 0) continue;
                if (t == x.sequences[s]) out.start[y] = 1;
                else if (gold[t - 1] >= 0) out.transitions[static_cast<size_t>(gold[t - 1]) * L + y] = 1;
                if (t + 1 == x.sequences[s + 1]) out.end[y] = 1;
            }
        return out;
    }
    // How often each feature occurs.
    std::vector<uint64_t> occurrences() const {
        if (whole) return whole->counts;
        std::vector<uint64_t> out(features.size(), 0);
        for (uint32_t f : x.ids) ++out[f];
        return out;
    }
    // How many tokens have each feature.
    std::vector<uint64_t> counts() const {
        if (whole) return whole->counts;
        std::vector<uint64_t> out(features.size(), 0),
            next(features.size(), 0);  // next: the first token not yet counted
        for (uint64_t t = 0; t < x.n_tokens(); ++t)
            for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k)
                if (next[x.ids[k]] <= t) ++out[x.ids[k]], next[x.ids[k]] = t + 1;
        return out;
    }
    // The same features, numbered alike, and nothing else.
    Dataset features_alone() const {
        Dataset out;
        out.features = features;
        return out;
    }
    // Some of the features, numbered in the order given, and nothing else.
    Dataset features_alone(const uint32_t* kept, size_t n) const {
        Dataset out;
        const std::vector<uint64_t> keys = features.keys();
        for (size_t k = 0; k < n; ++k) {
            if (kept[k] >= features.size())
                throw std::out_of_range("there is no feature " + std::to_string(kept[k]) + " in the data set");
            const std::string_view name = features.names()[kept[k]];
            out.features.add(keys[kept[k]], name.data(), name.size());
        }
        return out;
    }
    // Some of the sequences, with features and labels numbered as if only these had been read
    // (but for the order of labels that are first met together, as one of several possible ones).
    Dataset select(const std::vector<size_t>& chosen) const {
        Dataset out;
        const std::vector<uint64_t> keys = features.keys();
        std::vector<uint32_t> feature(features.size(), kNone);
        for (size_t s : chosen) {
            for (uint64_t t = x.sequences[s]; t < x.sequences[s + 1]; ++t) {
                for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k) {
                    const uint32_t f = x.ids[k];
                    if (feature[f] == kNone) {
                        const std::string_view name = features.names()[f];
                        feature[f] = out.features.add(keys[f], name.data(), name.size());
                    }
                    out.x.add(feature[f], x.values.empty() ? 1.0f : x.values[k]);
                }
                out.x.end_token();
            }
            for (uint64_t t = x.sequences[s]; t < x.sequences[s + 1]; ++t)
                out.gold.push_back(out.code_from(*this, gold[t]));
            for (uint64_t t = x.sequences[s]; t < x.sequences[s + 1] && !allowed.empty(); ++t)
                out.allowed.push_back(out.code_from(*this, allowed[t]));
            out.set_weight(weights.empty() ? 1.0f : weights[s]);
            out.x.end_sequence();
        }
        if (std::all_of(out.allowed.begin(), out.allowed.end(), [](int32_t code) { return code == kUnknown; }))
            out.allowed.clear();
        return out;
    }
    // Forgets a sequence that is only half read, and names that it brought.
    void roll_back(size_t n_features, size_t n_labels) {
        x.roll_back();
        gold.resize(x.n_tokens());
        if (!allowed.empty()) allowed.resize(x.n_tokens());
        if (std::all_of(allowed.begin(), allowed.end(), [](int32_t code) { return code == kUnknown; })) allowed.clear();
        features.keep(n_features);
        labels.keep(n_labels);
    }

private:
    // What another data set says of a label, in this one's numbers.
    int32_t code_from(const Dataset& other, int32_t code) {
        const auto label = [&](size_t y) {
            const std::string_view name = other.labels.names()[y];
            return labels.add(name.data(), name.size());
        };
        if (code == kUnknown) return kUnknown;
        if (code >= 0) return static_cast<int32_t>(label(static_cast<size_t>(code)));
        std::vector<uint16_t> set;
        for (uint16_t y : other.sets[code]) set.push_back(static_cast<uint16_t>(label(y)));
        std::sort(set.begin(), set.end());
        return sets.code_of(std::move(set));
    }
};

}  // namespace dovetail
