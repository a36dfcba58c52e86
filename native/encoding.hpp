// From columns to the features that a model knows, and to the scores that they add up to.
#pragma once
#include "extract.hpp"
#include "tagging.hpp"

namespace dovetail {

// Features that a model knows, by number.
inline Batch encoded(const Model& model, Extraction& extraction) {
    const Columns& columns = extraction.columns();
    Batch batch{&model, {}, {}};
    Lookup lookup(model, batch.x);
    const uint64_t start = key_of(kStartName, sizeof kStartName - 1), end = key_of(kEndName, sizeof kEndName - 1);
    for (size_t s = 0; s < columns.n_sequences(); ++s) {
        const size_t first = columns.bounds[s], last = columns.bounds[s + 1];
        for (size_t t = first; t < last; ++t) {
            const auto look_up = [&](uint32_t, uint64_t key, float value, const Extraction::Chosen&) { lookup.add(key, value); };
            if (t == first) lookup.add(start, 1.0f);
            extraction.visit(s, t, [&](size_t g, size_t level) { extraction.each_of_group(g, level, look_up); }, look_up);
            if (t + 1 == last) lookup.add(end, 1.0f);
            lookup.end_token();
        }
        lookup.settle();
        batch.x.end_sequence();
    }
    return batch;
}

// The same for decoding alone: what a group yields is added up once for each distinct value.
class ScoredBatch {
public:
    ScoredBatch(const Model& model, Extraction& extraction)
        : batch{&model, {}, {}}, model_(model), extraction_(extraction), groups_(extraction), lookup_(model, batch.x), scorer_(model) {
        batch.base.assign(extraction.columns().n_tokens() * model.Lp, 0.0f);
    }
    Batch batch;

    void add(size_t s) {
        const size_t first = extraction_.columns().bounds[s], last = extraction_.columns().bounds[s + 1];
        for (size_t t = first; t < last; ++t) {
            if (t == first) lookup_.add(start_, 1.0f);
            float* base = &batch.base[t * model_.Lp];
            extraction_.visit(s, t, [&](size_t g, size_t level) {
                const size_t row = groups_.get(g, level, [&] { return sum_of(g, level); });
                for (int j = 0; j < model_.Lp; j += kLane) store(base + j, load(base + j) + load(&sums_[row + j]));
            }, [&](uint32_t, uint64_t key, float value, const Extraction::Chosen&) { lookup_.add(key, value); });
            if (t + 1 == last) lookup_.add(end_, 1.0f);
            lookup_.end_token();
        }
        lookup_.settle();
        batch.x.end_sequence();
    }

private:
    size_t sum_of(size_t g, size_t level) {
        Features one;
        Lookup lookup(model_, one);
        extraction_.each_of_group(g, level, [&](uint32_t, uint64_t key, float value, const Extraction::Chosen&) { lookup.add(key, value); });
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
    const uint64_t start_ = key_of(kStartName, sizeof kStartName - 1), end_ = key_of(kEndName, sizeof kEndName - 1);
};

// Known features of all sequences, those of groups added up already.
inline Batch scored(const Model& model, Extraction& extraction) {
    ScoredBatch made(model, extraction);
    for (size_t s = 0; s < extraction.columns().n_sequences(); ++s) made.add(s);
    return std::move(made.batch);
}

}  // namespace dovetail
