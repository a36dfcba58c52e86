// From Python's feature lists to labels: reading into batches, and tagging in one go.
#pragma once
#include "chain/decode.hpp"
#include "chain/lookup.hpp"
#include "python/arrays.hpp"
#include "python/token_reader.hpp"

namespace dovetail {

struct AddToLookup {
    static constexpr bool kSkipsZero = true;  // they add nothing to a score, and without them all values may be 1
    Lookup& lookup;
    void prefetch(const std::vector<TokenReader::Keyed>&) const {}
    void operator()(uint64_t key, const char*, size_t, float value) { lookup.add(key, value); }
};

// Reads sequences into a batch, calling after() behind each.
template <class After> void read_sequences(Batch& batch, PyObject* sequences, After after) {
    Lookup lookup(*batch.model, batch.x);
    TokenReader reader;
    const uint64_t start = key_of(kStartName, sizeof kStartName - 1), end = key_of(kEndName, sizeof kEndName - 1);
    size_t number = 0, token = 0;
    const auto where = [&] {
        return "sequence " + std::to_string(number) + (token ? " token " + std::to_string(token) : "") + " ";
    };
    each_item(sequences, [&](PyObject* sequence) {
        ++number, token = 0;
        try {
            if (PyUnicode_Check(sequence))
                throw ItemError("is a single string; give a list of tokens, each a list of feature strings");
            each_item(sequence, [&](PyObject* item) {
                if (token++) lookup.end_token();
                else lookup.add(start, 1.0f);
                reader.read(item, AddToLookup{lookup});
            });
        } catch (const ItemError& error) {
            throw ItemError(where() + error.what());
        }
        if (token) lookup.add(end, 1.0f), lookup.end_token();
        lookup.end_sequence();
        after();
    });
}

inline void check_constraints(const Model& model, const Constraints& constraints) {
    const auto L = static_cast<size_t>(model.L);
    if (!constraints.legal.empty()) check_size(constraints.legal.size(), L * L, "legal");
    if (!constraints.start.empty()) check_size(constraints.start.size(), L, "start");
    if (!constraints.end.empty()) check_size(constraints.end.size(), L, "end");
}

using Tags = nb::typed<nb::list, nb::typed<nb::list, nb::str>>;

using LabelNames = nb::typed<nb::tuple, nb::str, nb::ellipsis>;

inline void append_tags(nb::list& out, const Batch& batch, const std::vector<int32_t>& labels,
                        const LabelNames& names) {
    for (size_t s = 0; s < batch.x.size(); ++s) {
        const nb::object tags = nb::steal(PyList_New(static_cast<Py_ssize_t>(batch.length(s))));
        if (!tags.is_valid()) throw nb::python_error();
        for (size_t t = 0; t < batch.length(s); ++t) {
            PyObject* name = PyTuple_GetItem(names.ptr(), labels[batch.first(s) + t]);
            PyList_SetItem(tags.ptr(), static_cast<Py_ssize_t>(t), Py_NewRef(name));
        }
        out.append(tags);
    }
}

inline Tags tag(const Model& model, nb::handle sequences, LabelNames names, const Constraints& constraints,
                int threads) {
    constexpr size_t kTokens = 8192;  // a thread and round: what has been read is then still in the cache
    check_constraints(model, constraints);
    check_size(names.size(), static_cast<size_t>(model.L), "label_names");
    const Limits limits{constraints, nullptr};
    Batch batch{&model, {}, {}};
    std::vector<int32_t> labels;
    nb::list out;
    const auto flush = [&] {
        labels.resize(batch.x.n_tokens());
        without_gil([&] { decode(batch, limits, threads, labels.data()); }, out.size());
        append_tags(out, batch, labels, names);
        batch.x.sequences.resize(1), batch.x.tokens.resize(1), batch.x.ids.clear(), batch.x.values.clear();
    };
    read_sequences(batch, sequences.ptr(), [&] {
        if (batch.x.n_tokens() >= kTokens * static_cast<size_t>(std::max(1, threads))) flush();
    });
    flush();
    return Tags(out);
}

}  // namespace dovetail
