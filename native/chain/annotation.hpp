// Best labels of a whole batch with what they are worth: of each token, of each span, of each sequence.
//
//   P(y)       exp(score of the labels - log Z)
//   P(span)    the sum over all label sequences that have exactly this span
//
// How labels spell spans: a span begins with B or S, or with I or E where no B or I of its type stands before; it ends
// with E or S, or with B or I where no I or E of its type follows.
#pragma once
#include "chain/spans.hpp"

namespace dovetail {

enum Letter : uint8_t { kOutside, kBegins, kInside, kEnds, kSingle };

// The letter and the number of the type of each label; no letters where labels spell no spans.
struct Spelling {
    const uint8_t* letters;
    const int32_t* types;
    size_t n;

    template <class... Letters> bool is(int label, int32_t type, Letters... any) const {
        return types[label] == type && ((letters[label] == any) || ...);
    }
};

struct FoundSpan {
    size_t begin, end;
    int32_t type;
    double p;
};

struct AnnotatedSequence {
    double p = 1, entropy = 0;
    std::vector<FoundSpan> spans;
};

struct AnnotatedBatch {
    std::vector<int32_t> labels;
    std::vector<double> confidences;
    std::vector<AnnotatedSequence> sequences;
};

// The spans of T labels: I and E go on with a span that B or I of their type has begun, or begin one.
inline std::vector<FoundSpan> spans_of(const int32_t* labels, size_t T, const Spelling& spelling) {
    std::vector<FoundSpan> out;
    if (!spelling.n) return out;
    size_t start = 0;
    bool open = false;
    for (size_t t = 0; t <= T; ++t) {
        const Letter letter = t < T ? static_cast<Letter>(spelling.letters[labels[t]]) : kOutside;
        if (t && (letter == kInside || letter == kEnds) &&
            spelling.is(labels[t - 1], spelling.types[labels[t]], kBegins, kInside))
            continue;
        if (open) out.push_back({start, t, spelling.types[labels[t - 1]], 0.0});
        start = t, open = letter != kOutside;
    }
    return out;
}

// Probabilities of exactly these spans, with masks that are made again for each.
class SpanReader {
public:
    SpanReader(const Spelling& spelling, int L) : spelling_(spelling), L_(L) {}

    double probability(const MarkovChain& chain, const FoundSpan& span) {
        double p = 0;
        for (const bool fresh : {true, false})
            for (const bool followed : {true, false})
                if (spell(span, fresh, followed))
                    p += portable::exp(span_log_probability(chain, {span.begin, span.end, masks_.data()}));
        return std::min(1.0, p);
    }

private:
    // Masks of a span that begins with a letter of its own, or not, and that ends with one which others may follow, or
    // not. False: no label can stand at some token of it.
    bool spell(const FoundSpan& span, bool fresh, bool followed) {
        const size_t length = span.end - span.begin;
        masks_.assign((length + 2) * L_, 0);
        for (size_t row = 0; row < length + 2; ++row) {
            bool any = false;
            for (int j = 0; j < L_; ++j) any |= masks_[row * L_ + j] = fits(j, span.type, row, length, fresh, followed);
            if (!any && row > 0 && row <= length) return false;
        }
        return true;
    }
    bool fits(int j, int32_t type, size_t row, size_t length, bool fresh, bool followed) const {
        const auto is = [&](auto... letters) { return spelling_.is(j, type, letters...); };
        if (row == 0) return fresh || !is(kBegins, kInside);
        if (row == length + 1) return !followed || !is(kInside, kEnds);
        const bool begins = fresh ? is(kBegins, kSingle) : is(kInside, kEnds);
        const bool ends = followed ? is(kBegins, kInside) : is(kEnds, kSingle);
        if (length == 1) return begins && ends;
        if (row == 1) return begins && is(kBegins, kInside);
        return row == length ? ends && is(kInside, kEnds) : is(kInside);
    }
    const Spelling& spelling_;
    const size_t L_;
    std::vector<uint8_t> masks_;
};

// The best label sequence, or the best label of each token, of every sequence.
inline AnnotatedBatch annotate(const Batch& batch, const Spelling& spelling, const Limits& limits, bool whole_sequences,
                               int threads) {
    const Model& model = *batch.model;
    AnnotatedBatch out;
    out.labels.resize(batch.x.n_tokens()), out.confidences.resize(batch.x.n_tokens());
    out.sequences.resize(batch.x.size());
    if (whole_sequences) decode(batch, limits, threads, out.labels.data());
    const TokenScorer<double> scorer(model);
    each_posterior(batch, limits, threads, [&](const Posterior& found, double log_z, size_t s) {
        int32_t* labels = &out.labels[batch.first(s)];
        for (size_t t = 0; t < found.T; ++t) {
            const double* row = &found.work.p[t * model.Lp];
            if (!whole_sequences) labels[t] = argmax(row, model.L);
            out.confidences[batch.first(s) + t] = row[labels[t]];
        }
        AnnotatedSequence& sequence = out.sequences[s];
        sequence.p = portable::exp(path_score(scorer, batch, s, labels, limits) - log_z);
        sequence.entropy = found.entropy(log_z);
        sequence.spans = spans_of(labels, found.T, spelling);
        if (sequence.spans.empty()) return;
        const MarkovChain chain(found);
        SpanReader reader(spelling, model.L);
        for (FoundSpan& span : sequence.spans) span.p = reader.probability(chain, span);
    });
    return out;
}

}  // namespace dovetail
