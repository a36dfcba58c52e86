// From columns to the features that a model knows, and to the scores that they add up to.
#pragma once
#include "chain/lookup.hpp"
#include "chain/scores.hpp"
#include "features/extract.hpp"

namespace dovetail {

// What an extraction yields, looked up.
struct LookUp {
    Lookup& lookup;
    void operator()(uint32_t, uint64_t key, float value, const Extraction::Chosen&) const { lookup.add(key, value); }
};

// Looks up the features of sequence s, but for those of groups: on_group(t, g, level) is called for these.
template <class OnGroup> void look_up_sequence(Extraction& extraction, size_t s, Lookup& lookup, OnGroup on_group) {
    static const uint64_t start = key_of(kStartName, sizeof kStartName - 1),
                          end = key_of(kEndName, sizeof kEndName - 1);
    const size_t first = extraction.columns().bounds[s], last = extraction.columns().bounds[s + 1];
    for (size_t t = first; t < last; ++t) {
        if (t == first) lookup.add(start, 1.0f);
        extraction.visit(s, t, [&](size_t g, size_t level) { on_group(t, g, level); }, LookUp{lookup});
        if (t + 1 == last) lookup.add(end, 1.0f);
        lookup.end_token();
    }
    lookup.end_sequence();
}

// Features that a model knows, by number.
inline Batch encode_columns(const Model& model, Extraction& extraction) {
    Batch batch{&model, {}, {}};
    Lookup lookup(model, batch.x);
    for (size_t s = 0; s < extraction.columns().n_sequences(); ++s)
        look_up_sequence(extraction, s, lookup,
                         [&](size_t, size_t g, size_t level) { extraction.each_of_group(g, level, LookUp{lookup}); });
    return batch;
}

// The same of a data set, each of its features looked up once.
inline Batch encode_dataset(const Model& model, const Dataset& data) {
    Batch batch{&model, {}, {}};
    const std::vector<uint64_t> keys = data.features.keys();
    std::vector<uint32_t> known;
    for (uint64_t key : keys) known.push_back(model.table.find(key));
    const Features& x = data.x;
    for (size_t s = 0; s < x.size(); ++s) {
        for (uint64_t t = x.sequences[s]; t < x.sequences[s + 1]; ++t) {
            for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k) {
                const uint32_t id = known[x.ids[k]];
                if (id < model.n_features()) batch.x.add(id, x.values.empty() ? 1.0f : x.values[k]);
            }
            batch.x.end_token();
        }
        batch.x.end_sequence();
    }
    return batch;
}

// The same for decoding alone: what a group yields is added up once for each distinct value.
class ScoredBatch {
public:
    ScoredBatch(const Model& model, Extraction& extraction)
        : batch{&model, {}, {}},
          model_(model),
          extraction_(extraction),
          groups_(extraction),
          lookup_(model, batch.x),
          scorer_(model) {
        batch.base.assign(extraction.columns().n_tokens() * model.Lp, 0.0f);
    }
    Batch batch;

    void add(size_t s) {
        look_up_sequence(extraction_, s, lookup_, [&](size_t t, size_t g, size_t level) {
            const size_t row = groups_.get(g, level, [&] { return sum_of(g, level); });
            float* base = &batch.base[t * model_.Lp];
            for (int j = 0; j < model_.Lp; j += kLane) store(base + j, load(base + j) + load(&sums_[row + j]));
        });
    }

private:
    size_t sum_of(size_t g, size_t level) {
        Features one;
        Lookup lookup(model_, one);
        extraction_.each_of_group(g, level, LookUp{lookup});
        lookup.end_token();
        lookup.settle();
        const size_t at = sums_.size();
        sums_.resize(at + model_.Lp);
        scorer_.score(one, 0, &sums_[at]);
        return at;
    }
    const Model& model_;
    Extraction& extraction_;
    GroupCache<size_t> groups_;
    Lookup lookup_;
    TokenScorer<float> scorer_;
    Array<float> sums_;
};

// Known features of all sequences, those of groups added up already.
inline Batch score_columns(const Model& model, Extraction& extraction) {
    ScoredBatch made(model, extraction);
    for (size_t s = 0; s < extraction.columns().n_sequences(); ++s) made.add(s);
    return std::move(made.batch);
}

// Features for decoding alone; where they weigh on transitions, groups are not added up.
inline Batch encode_for_decoding(const Model& model, Extraction& extraction) {
    return model.has_edges() ? encode_columns(model, extraction) : score_columns(model, extraction);
}

// Label scores [n_tokens x L], and, where features weigh on transitions, scores of those into each token [n_tokens x L
// x L].
struct TemplateScores {
    std::vector<double> labels, transitions;
};
inline TemplateScores template_scores(const Model& model, Extraction& extraction) {
    const auto L = static_cast<size_t>(model.L), Lp = static_cast<size_t>(model.Lp);
    const size_t n = extraction.columns().n_tokens();
    const Batch batch = encode_for_decoding(model, extraction);
    TemplateScores out{std::vector<double>(n * L), std::vector<double>(model.has_edges() ? n * L * L : 0)};
    TokenScorer<double> scorer(model);
    Array<double> row(Lp);
    for (size_t t = 0; t < n; ++t) {
        scorer.score(batch.x, t, row.data());
        for (size_t j = 0; j < L; ++j)
            out.labels[t * L + j] = row[j] + (batch.base.empty() ? 0.0 : double(batch.base[t * Lp + j]));
        if (!model.has_edges()) continue;
        double* into = &out.transitions[t * L * L];
        std::copy_n(model.transitions.data(), L * L, into);
        scorer.each_cell(batch.x, t, [&](uint32_t place, double value) { into[place / Lp * L + place % Lp] += value; });
    }
    return out;
}

}  // namespace dovetail
