// Python's view of trained models: encoding of features, decoding, posteriors.
#include "chain/annotation.hpp"
#include "chain/encoding.hpp"
#include "chain/kbest.hpp"
#include "chain/spans.hpp"
#include "python/bindings.hpp"
#include "python/spans.hpp"
#include "python/tagging.hpp"

namespace dovetail {

static Limits make_limits(const Model& model, const Batch& batch, const Constraints& constraints,
                          const In<uint8_t>& allowed) {
    if (batch.model != &model) throw std::invalid_argument("the batch was encoded by another model");
    check_constraints(model, constraints);
    if (allowed.size()) check_size(allowed.size(), batch.x.n_tokens() * model.L, "allowed");
    return {constraints, allowed.size() ? allowed.data() : nullptr};
}
static void check_sequence(const Batch& batch, size_t s) {
    if (s >= batch.x.size())
        throw std::out_of_range("there is no sequence of index " + std::to_string(s) + " in the batch");
}

static auto viterbi_batch(const Model& model, const Batch& batch, const Constraints& constraints, In<uint8_t> allowed,
                          int threads) {
    const Limits limits = make_limits(model, batch, constraints, allowed);
    std::vector<int32_t> labels(batch.x.n_tokens());
    std::vector<double> scores = without_gil([&] {
        decode(batch, limits, threads, labels.data());
        return score_paths(batch, limits, threads, labels.data());
    });
    return std::make_pair(to_numpy(std::move(labels)), to_numpy(std::move(scores)));
}

static auto path_scores(const Model& model, const Batch& batch, In<int32_t> labels, const Constraints& constraints) {
    const Limits limits = make_limits(model, batch, constraints, {});
    check_size(labels.size(), batch.x.n_tokens(), "labels");
    for (size_t t = 0; t < labels.size(); ++t)
        if (labels.data()[t] < 0 || labels.data()[t] >= model.L)
            throw std::invalid_argument("token " + std::to_string(t + 1) + " of the batch has the label " +
                                        std::to_string(labels.data()[t]) + ", which does not exist");
    return to_numpy(without_gil([&] { return score_paths(batch, limits, 1, labels.data()); }));
}

static auto posteriors(const Model& model, const Batch& batch, const Constraints& constraints, In<uint8_t> allowed,
                       int threads) {
    const Limits limits = make_limits(model, batch, constraints, allowed);
    const auto L = static_cast<size_t>(model.L);
    std::vector<double> marginals(batch.x.n_tokens() * L), log_z(batch.x.size()), entropy(batch.x.size());
    without_gil([&] {
        each_posterior(batch, limits, threads, [&](const Posterior& found, double z, size_t s) {
            for (size_t t = 0; t < found.T; ++t)
                std::copy_n(&found.work.p[t * model.Lp], L, &marginals[(batch.first(s) + t) * L]);
            log_z[s] = z;
            entropy[s] = found.entropy(z);
        });
    });
    return std::make_tuple(to_numpy(std::move(marginals), {batch.x.n_tokens(), L}), to_numpy(std::move(log_z)),
                           to_numpy(std::move(entropy)));
}

static auto max_marginal(const Model& model, const Batch& batch, const Constraints& constraints, In<uint8_t> allowed,
                         int threads) {
    const Limits limits = make_limits(model, batch, constraints, allowed);
    std::vector<int32_t> labels(batch.x.n_tokens());
    std::vector<double> p(batch.x.n_tokens());
    without_gil([&] {
        each_posterior(batch, limits, threads, [&](const Posterior& found, double, size_t s) {
            for (size_t t = 0; t < found.T; ++t) {
                const double* row = &found.work.p[t * model.Lp];
                const int best = labels[batch.first(s) + t] = argmax(row, model.L);
                p[batch.first(s) + t] = row[best];
            }
        });
    });
    return std::make_pair(to_numpy(std::move(labels)), to_numpy(std::move(p)));
}

template <class T, class Convert> nb::object list_of(size_t n, const T* values, Convert convert) {
    const nb::object out = nb::steal(PyList_New(static_cast<Py_ssize_t>(n)));
    if (!out.is_valid()) throw nb::python_error();
    for (size_t k = 0; k < n; ++k) PyList_SetItem(out.ptr(), static_cast<Py_ssize_t>(k), convert(values[k]));
    return out;
}

// For each sequence its labels, their probabilities, that of all of them, spans with theirs, and the entropy.
static nb::list annotate_batch(const Model& model, const Batch& batch, LabelNames names, In<uint8_t> letters,
                               In<int32_t> types, const Constraints& constraints, In<uint8_t> allowed,
                               bool whole_sequences, int threads) {
    const Limits limits = make_limits(model, batch, constraints, allowed);
    check_size(names.size(), static_cast<size_t>(model.L), "label_names");
    if (letters.size()) check_size(letters.size(), static_cast<size_t>(model.L), "letters");
    check_size(types.size(), letters.size(), "types");
    const Spelling spelling{letters.data(), types.data(), letters.size()};
    const AnnotatedBatch found =
        without_gil([&] { return annotate(batch, spelling, limits, whole_sequences, threads); });
    nb::list out;
    for (size_t s = 0; s < batch.x.size(); ++s) {
        const size_t first = batch.first(s), T = batch.length(s);
        const AnnotatedSequence& own = found.sequences[s];
        nb::object labels = list_of(T, found.labels.data() + first,
                                    [&](int32_t code) { return Py_NewRef(PyTuple_GetItem(names.ptr(), code)); });
        nb::object confidences = list_of(T, found.confidences.data() + first, PyFloat_FromDouble);
        nb::object spans = list_of(own.spans.size(), own.spans.data(), [](const FoundSpan& span) {
            return nb::make_tuple(span.begin, span.end, span.type, span.p).release().ptr();
        });
        out.append(nb::make_tuple(labels, confidences, own.p, spans, own.entropy));
    }
    return out;
}

// Calls visit(chain) with the posterior of one sequence, without the GIL; not at all if the sequence is empty.
template <class Visit>
void with_posterior(const Batch& batch, size_t s, const Limits& limits, bool each_step, Visit visit) {
    check_sequence(batch, s);
    without_gil([&] {
        const Transitions<double> transitions = sum_product_transitions(*batch.model, limits.constraints);
        Posterior posterior(*batch.model, transitions, limits);
        if (!batch.length(s)) return;
        posterior.run(batch, s, each_step);
        visit(posterior);
    });
}

static auto transition_marginals(const Model& model, const Batch& batch, size_t s, const Constraints& constraints,
                                 In<uint8_t> allowed) {
    const Limits limits = make_limits(model, batch, constraints, allowed);
    const auto L = static_cast<size_t>(model.L), Lp = static_cast<size_t>(model.Lp);
    std::vector<double> out;
    with_posterior(batch, s, limits, true, [&](const Posterior& found) {
        out.resize((found.T - 1) * L * L);
        if (found.T == 1) return;
        for (size_t k = 0; k < (found.T - 1) * L; ++k)
            std::copy_n(&found.work.edge_at[L * Lp + k * Lp], L, &out[k * L]);
    });
    const size_t steps = out.size() / (L * L);
    return to_numpy(std::move(out), {steps, L, L});
}

static auto kbest(const Model& model, const Batch& batch, size_t s, size_t k, const Constraints& constraints,
                  In<uint8_t> allowed) {
    const Limits limits = make_limits(model, batch, constraints, allowed);
    check_sequence(batch, s);
    KBest search(model, limits);
    without_gil([&] { search.run(batch, s, k); });
    const size_t found = search.scores.size();
    return std::make_pair(to_numpy(std::move(search.labels), {found, batch.length(s)}),
                          to_numpy(std::move(search.scores)));
}

static auto span_log_probabilities(const Model& model, const Batch& batch, size_t s, In<int64_t> begins,
                                   In<int64_t> ends, In<uint8_t> masks, const Constraints& constraints,
                                   In<uint8_t> allowed) {
    const Limits limits = make_limits(model, batch, constraints, allowed);
    check_sequence(batch, s);
    const std::vector<LabelSpan> spans = make_spans(begins, ends, masks, batch.length(s), static_cast<size_t>(model.L));
    std::vector<double> out(spans.size());
    with_posterior(batch, s, limits, false, [&](const Posterior& found) {
        const MarkovChain chain(found);
        for (size_t k = 0; k < out.size(); ++k) out[k] = span_log_probability(chain, spans[k]);
    });
    return to_numpy(std::move(out));
}

static auto sample(const Model& model, const Batch& batch, size_t s, size_t n, uint64_t seed,
                   const Constraints& constraints, In<uint8_t> allowed) {
    const Limits limits = make_limits(model, batch, constraints, allowed);
    std::vector<int32_t> out;
    with_posterior(batch, s, limits, false, [&](const Posterior& found) {
        out.resize(n * found.T);
        const MarkovChain chain(found);
        Sampler sampler(chain, seed);
        for (size_t k = 0; k < n; ++k) sampler.draw(&out[k * found.T]);
    });
    return to_numpy(std::move(out), {n, batch.length(s)});
}

static auto token_scores(const Model& model, const Batch& batch) {
    make_limits(model, batch, Constraints{}, {});
    const auto L = static_cast<size_t>(model.L);
    std::vector<double> out(batch.x.n_tokens() * L);
    without_gil([&] {
        TokenScorer<double> scorer(model);
        std::vector<double> row(model.Lp);
        for (size_t t = 0; t < batch.x.n_tokens(); ++t) {
            scorer.score(batch.x, t, row.data());
            std::copy_n(row.begin(), L, &out[t * L]);
        }
    });
    return to_numpy(std::move(out), {batch.x.n_tokens(), L});
}

void bind_inference(nb::module_& module) {
    using nb::arg;
    using Labels = std::vector<uint8_t>;
    nb::class_<Constraints>(module, "Constraints")
        .def(
            "__init__",
            [](Constraints* self, size_t n_labels, In<uint8_t> legal, In<uint8_t> start, In<uint8_t> end) {
                if (legal.size()) check_size(legal.size(), n_labels * n_labels, "legal");
                if (start.size()) check_size(start.size(), n_labels, "start");
                if (end.size()) check_size(end.size(), n_labels, "end");
                new (self) Constraints{to_vector(legal), to_vector(start), to_vector(end)};
            },
            arg("n_labels"), arg("legal"), arg("start"), arg("end"))
        .def("__getstate__", [](const Constraints& self) { return std::make_tuple(self.legal, self.start, self.end); })
        .def("__setstate__", [](Constraints& self, std::tuple<Labels, Labels, Labels> state) {
            auto& [legal, start, end] = state;
            const size_t L = std::max(start.size(), end.size());
            if (!start.empty()) check_size(start.size(), L, "start");
            if (!end.empty()) check_size(end.size(), L, "end");
            if (L && !legal.empty()) check_size(legal.size(), L * L, "legal");
            new (&self) Constraints{std::move(legal), std::move(start), std::move(end)};
        });

    nb::class_<Batch>(module, "Batch")
        .def_prop_ro("n_sequences", [](const Batch& self) { return self.x.size(); })
        .def_prop_ro("n_tokens", [](const Batch& self) { return self.x.n_tokens(); })
        .def(
            "occurrences",
            [](const Batch& self) {
                std::vector<float> values = self.x.values;
                if (values.empty()) values.assign(self.x.ids.size(), 1.0f);
                return std::make_tuple(to_numpy(self.x.tokens), to_numpy(self.x.ids), to_numpy(std::move(values)));
            },
            "First occurrence of each token [n_tokens + 1], and feature and value of each occurrence.")
        .def_prop_ro("bounds", [](const Batch& self) { return to_numpy(self.x.sequences); }, nb::rv_policy::move);

    using Buffer = In<uint8_t>;
    nb::class_<Model>(module, "Model")
        .def(
            "__init__",
            [](Model* self, int64_t n_labels, Buffer slots, Buffer row, Buffer dense, Buffer pair_label,
               Buffer pair_weight, Buffer transitions, Buffer edge_row, Buffer cell, Buffer cell_weight,
               bool check_contents) {
                const auto bytes = [](const Buffer& b) { return Bytes{b.data(), b.size()}; };
                const ModelColumns columns{bytes(slots),      bytes(row),         bytes(dense),
                                           bytes(pair_label), bytes(pair_weight), bytes(transitions),
                                           bytes(edge_row),   bytes(cell),        bytes(cell_weight)};
                auto owner = std::make_shared<std::vector<Buffer>>(std::vector<Buffer>{
                    slots, row, dense, pair_label, pair_weight, transitions, edge_row, cell, cell_weight});
                without_gil([&] { new (self) Model(n_labels, columns, owner, check_contents); });
            },
            arg("n_labels"), arg("slots").noconvert(), arg("row").noconvert(), arg("dense").noconvert(),
            arg("pair_label").noconvert(), arg("pair_weight").noconvert(), arg("transitions").noconvert(),
            arg("edge_row").noconvert(), arg("cell").noconvert(), arg("cell_weight").noconvert(),
            arg("check_contents") = true)
        .def_prop_ro("n_labels", [](const Model& self) { return self.L; })
        .def_prop_ro("n_features", [](const Model& self) { return self.n_features(); })
        .def(
            "encode",
            [](const Model& self, nb::handle sequences) {
                Batch batch{&self, {}, {}};
                read_sequences(batch, sequences.ptr(), [] {});
                return batch;
            },
            arg("sequences"), nb::keep_alive<0, 1>())
        .def(
            "encode_dataset",
            [](const Model& self, const Dataset& data) {
                nb::gil_scoped_release unlocked;
                return encode_dataset(self, data);
            },
            arg("data"), nb::keep_alive<0, 1>(), "The known features of indexed data.")
        .def("tag", &tag, arg("sequences"), arg("label_names"), arg("constraints"), arg("threads"))
        .def("viterbi", &viterbi_batch, arg("batch"), arg("constraints"), arg("allowed"), arg("threads"))
        .def("annotate", &annotate_batch, arg("batch"), arg("label_names"), arg("letters"), arg("types"),
             arg("constraints"), arg("allowed"), arg("whole_sequences"), arg("threads"))
        .def("max_marginal", &max_marginal, arg("batch"), arg("constraints"), arg("allowed"), arg("threads"))
        .def("posteriors", &posteriors, arg("batch"), arg("constraints"), arg("allowed"), arg("threads"))
        .def("transition_marginals", &transition_marginals, arg("batch"), arg("sequence"), arg("constraints"),
             arg("allowed"))
        .def("path_scores", &path_scores, arg("batch"), arg("labels"), arg("constraints"))
        .def("kbest", &kbest, arg("batch"), arg("sequence"), arg("k"), arg("constraints"), arg("allowed"))
        .def("span_log_probabilities", &span_log_probabilities, arg("batch"), arg("sequence"), arg("starts"),
             arg("ends"), arg("masks"), arg("constraints"), arg("allowed"))
        .def("sample", &sample, arg("batch"), arg("sequence"), arg("n"), arg("seed"), arg("constraints"),
             arg("allowed"))
        .def("token_scores", &token_scores, arg("batch"))
        .def("transitions", [](const Model& self) {
            const auto L = static_cast<size_t>(self.L);
            return to_numpy(std::vector<double>(self.transitions.data(), self.transitions.data() + L * L), {L, L});
        });
}

}  // namespace dovetail
