// Python's view of data sets, training problems and optimiser kernels.
#include <nanobind/stl/shared_ptr.h>

#include "bindings.hpp"
#include "crfsuite_text.hpp"
#include "dual.hpp"
#include "labelled_items.hpp"
#include "lbfgs.hpp"
#include "model_arrays.hpp"
#include "objective.hpp"
#include "perceptron.hpp"
#include "stochastic.hpp"

namespace dovetail {

static void append(Dataset& data, nb::handle items, nb::object labels, nb::object allowed, double weight) {
    AddToDataset add{data};
    TokenReader reader;
    const size_t n_features = data.features.size(), n_labels = data.labels.size();
    try {
        size_t token = 0;
        each_item(items.ptr(), [&](PyObject* item) {
            if (++token == 1) data.mark_start();
            try {
                reader.read(item, add);
            } catch (const ItemError& error) {
                throw ItemError("token " + std::to_string(token) + " " + error.what());
            }
            data.x.end_token();
        });
        if (token) data.mark_end();
        close_sequence(data, labels, allowed, weight);
    } catch (...) {
        data.roll_back(n_features, n_labels);
        throw;
    }
}

static std::vector<std::string> strings(const StringPool& pool) {
    std::vector<std::string> out;
    for (size_t k = 0; k < pool.size(); ++k) out.emplace_back(pool.bytes().data() + pool.offsets()[k], pool.offsets()[k + 1] - pool.offsets()[k]);
    return out;
}

// A method of training that knows how many parameters it has, so that arrays can be checked.
template <class Method> struct Sized : Method {
    size_t size;
    template <class... Given>
    explicit Sized(const std::shared_ptr<const Problem>& problem, Given... given) : Method(problem, given...), size(problem->layout.size()) {}
};

template <class R> void bind_objective(nb::module_& module, const char* name) {
    nb::class_<Objective<R>>(module, name)
        .def(nb::init<std::shared_ptr<const Problem>>(), nb::arg("problem"))
        .def("evaluate", [](Objective<R>& self, In<double> w, InOut<double> g, double c2, int threads) {
                check_size(w.size(), self.size(), "w");
                check_size(g.size(), self.size(), "g");
                nb::gil_scoped_release unlocked;
                return self.evaluate(w.data(), g.data(), c2, threads);
            }, nb::arg("w").noconvert(), nb::arg("g").noconvert(), nb::arg("c2"), nb::arg("threads"))
        .def("curvature", [](Objective<R>& self, In<double> w, InOut<double> h, int threads) {
                check_size(w.size(), self.size(), "w");
                check_size(h.size(), self.size(), "h");
                nb::gil_scoped_release unlocked;
                self.curvature(w.data(), h.data(), threads);
            }, nb::arg("w").noconvert(), nb::arg("h").noconvert(), nb::arg("threads"));
}

void bind_training(nb::module_& module) {
    nb::exception<ImpossibleSequence>(module, "ImpossibleSequence", PyExc_ValueError);
    nb::exception<TextError>(module, "TextError", PyExc_ValueError);
    nb::exception<ItemError>(module, "ItemError", PyExc_ValueError);
    module.attr("START") = nb::str(kStartName);
    module.attr("END") = nb::str(kEndName);
    module.def("checksum", [](In<uint8_t> bytes) {
        nb::gil_scoped_release unlocked;
        return key_of(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }, "A 64-bit checksum.");

    nb::class_<Dataset>(module, "Dataset")
        .def(nb::init<>())
        .def("append", &append, nb::arg("items").none(), nb::arg("labels").none() = nb::none(), nb::arg("allowed").none() = nb::none(), nb::arg("weight") = 1.0)
        .def("add_label", [](Dataset& self, nb::str label) { return label_code(self, label.ptr()); })
        .def_prop_ro("n_sequences", [](const Dataset& self) { return self.x.size(); })
        .def_prop_ro("n_tokens", [](const Dataset& self) { return self.x.n_tokens(); })
        .def_prop_ro("n_occurrences", [](const Dataset& self) { return self.x.ids.size(); })
        .def_prop_ro("n_features", [](const Dataset& self) { return self.features.size(); })
        .def_prop_ro("labels", [](const Dataset& self) { return strings(self.labels.names()); })
        .def_prop_ro("fully_labelled", [](const Dataset& self) {
            for (size_t s = 0; s < self.x.size(); ++s)
                if (!self.fully_labelled(s)) return false;
            return true;
        })
        .def("observed_moves", [](const Dataset& self) {
            const size_t L = self.labels.size();
            std::vector<uint8_t> moves(L * L, 0), start(L, 0), end(L, 0);
            for (size_t s = 0; s < self.x.size(); ++s)
                for (uint64_t t = self.x.sequences[s]; t < self.x.sequences[s + 1]; ++t) {
                    const int32_t y = self.gold[t];
                    if (y < 0) continue;
                    if (t == self.x.sequences[s]) start[y] = 1;
                    else if (self.gold[t - 1] >= 0) moves[static_cast<size_t>(self.gold[t - 1]) * L + y] = 1;
                    if (t + 1 == self.x.sequences[s + 1]) end[y] = 1;
                }
            return std::make_tuple(to_numpy(std::move(moves)), to_numpy(std::move(start)), to_numpy(std::move(end)));
        }, "Moves [L x L], first labels [L] and last labels [L] that occur.")
        .def("counts", [](const Dataset& self) { return to_numpy(self.counts()); }, "How many tokens have each feature.")
        .def("families", [](const Dataset& self) {
            const std::vector<uint64_t> counts = self.counts();
            int n = 0;
            return to_numpy(families_of(self.features.names(), {counts.begin(), counts.end()}, self.x.n_tokens(), n));
        }, "The family of each feature, by what stands before the first '=' (or ':') of its name; -1 for none.")
        .def_prop_ro("weighted", [](const Dataset& self) { return !self.weights.empty(); })
        .def("feature_names", [](const Dataset& self) { return strings(self.features.names()); })
        .def("find_features", [](const Dataset& self, std::vector<std::string> names) {
            std::vector<int64_t> ids;
            for (const std::string& name : names) {
                const uint32_t id = self.features.find(name.data(), name.size());
                ids.push_back(id == kNone ? -1 : int64_t{id});
            }
            return to_numpy(std::move(ids));
        }, "Numbers of features by name, -1 for unknown ones.");

    nb::class_<CrfsuiteText>(module, "CrfsuiteText")
        .def(nb::init<Dataset&>(), nb::keep_alive<1, 2>())
        .def("feed", [](CrfsuiteText& self, nb::bytes text) {
            nb::gil_scoped_release unlocked;
            self.feed(text.c_str(), text.size());
        })
        .def("finish", &CrfsuiteText::finish);

    nb::class_<Problem>(module, "Problem")
        .def("__init__", [](Problem* self, std::shared_ptr<Dataset> data, uint64_t min_count, bool all_pairs, bool all_transitions,
                            In<uint8_t> role, In<float> scale, In<uint8_t> legal, In<uint8_t> start, In<uint8_t> end, In<float> margin) {
                const size_t F = data->features.size(), L = data->labels.size();
                LayoutOptions options{min_count, all_pairs, all_transitions, vector_of(role), vector_of(legal)};
                Constraints constraints{vector_of(legal), vector_of(start), vector_of(end)};
                const auto fits = [](size_t given, size_t expected, const char* what) { if (given) check_size(given, expected, what); };
                fits(role.size(), F, "role"), fits(scale.size(), F, "scale"), fits(legal.size(), L * L, "legal");
                fits(start.size(), L, "start"), fits(end.size(), L, "end"), fits(margin.size(), L, "margin");
                nb::gil_scoped_release unlocked;
                new (self) Problem(std::move(data), options, std::move(constraints), vector_of(margin), vector_of(scale));
            }, nb::arg("data"), nb::arg("min_count"), nb::arg("all_pairs"), nb::arg("all_transitions"), nb::arg("role"), nb::arg("scale"),
            nb::arg("legal"), nb::arg("start"), nb::arg("end"), nb::arg("margin"))
        .def_prop_ro("has_features", [](const Problem& self) { return self.layout.transitions_at() > 0 || !self.layout.cell.empty(); })
        .def_prop_ro("n_parameters", [](const Problem& self) { return self.layout.size(); })
        .def("export", [](const Problem& self, In<double> w) {
            check_size(w.size(), self.layout.size(), "w");
            ModelArrays arrays;
            {
                nb::gil_scoped_release unlocked;
                arrays = export_model(self, w.data());
            }
            return to_dict(std::move(arrays));
        }, nb::arg("w").noconvert())
        .def("parameters", [](const Problem& self) {
            std::vector<int64_t> feature, previous, label;
            for (const Parameter& p : self.layout.parameter) {
                feature.push_back(p.feature == kNone ? -1 : int64_t{p.feature});
                previous.push_back(p.previous);
                label.push_back(p.label);
            }
            return std::make_tuple(to_numpy(std::move(feature)), to_numpy(std::move(previous)), to_numpy(std::move(label)));
        });

    bind_objective<float>(module, "ObjectiveSingle");
    bind_objective<double>(module, "ObjectiveDouble");

    nb::class_<Sized<Dual>>(module, "Dual")
        .def(nb::init<std::shared_ptr<const Problem>, double>(), nb::arg("problem"), nb::arg("c2"), nb::call_guard<nb::gil_scoped_release>())
        .def_static("memory", [](const Problem& problem) { return Dual::memory(problem); })
        .def("epoch", &Dual::epoch, nb::arg("seed"), nb::call_guard<nb::gil_scoped_release>())
        .def("refresh", &Dual::refresh, nb::call_guard<nb::gil_scoped_release>())
        .def("weights", [](const Sized<Dual>& self, InOut<double> w) {
            check_size(w.size(), self.size, "w");
            self.weights(w.data());
        }, nb::arg("w").noconvert());

    nb::class_<Sized<Stochastic>>(module, "Stochastic")
        .def("__init__", [](Sized<Stochastic>* self, std::shared_ptr<const Problem> problem, double c2, In<double> w) {
            check_size(w.size(), problem->layout.size(), "w");
            nb::gil_scoped_release unlocked;
            new (self) Sized<Stochastic>(problem, c2, w.data());
        }, nb::arg("problem"), nb::arg("c2"), nb::arg("w").noconvert())
        .def("epoch", &Stochastic::epoch, nb::arg("rate"), nb::arg("seed"), nb::call_guard<nb::gil_scoped_release>())
        .def("weights", [](const Sized<Stochastic>& self, InOut<double> w) {
            check_size(w.size(), self.size, "w");
            self.weights(w.data());
        }, nb::arg("w").noconvert());

    nb::class_<Sized<Perceptron>>(module, "Perceptron")
        .def("__init__", [](Sized<Perceptron>* self, std::shared_ptr<const Problem> problem, In<double> w) {
            check_size(w.size(), problem->layout.size(), "w");
            nb::gil_scoped_release unlocked;
            new (self) Sized<Perceptron>(problem, w.data());
        }, nb::arg("problem"), nb::arg("w").noconvert())
        .def("epoch", &Perceptron::epoch, nb::arg("seed"), nb::call_guard<nb::gil_scoped_release>())
        .def("average", [](const Sized<Perceptron>& self, InOut<double> w) {
            check_size(w.size(), self.size, "w");
            self.average(w.data());
        }, nb::arg("w").noconvert());

    nb::class_<History>(module, "History")
        .def(nb::init<size_t, int>(), nb::arg("size"), nb::arg("memory"))
        .def("push", [](History& self, In<double> s, In<double> y) {
            check_size(s.size(), self.size(), "s");
            check_size(y.size(), self.size(), "y");
            return self.push(s.data(), y.data());
        }, nb::arg("s").noconvert(), nb::arg("y").noconvert())
        .def("clear", &History::clear)
        .def("direction", [](const History& self, In<double> g, In<double> inverse_diagonal, InOut<double> out) {
            check_size(g.size(), self.size(), "g");
            if (inverse_diagonal.size()) check_size(inverse_diagonal.size(), self.size(), "inverse_diagonal");
            check_size(out.size(), self.size(), "out");
            nb::gil_scoped_release unlocked;
            self.direction(g.data(), inverse_diagonal.size() ? inverse_diagonal.data() : nullptr, out.data());
        }, nb::arg("g").noconvert(), nb::arg("inverse_diagonal").noconvert(), nb::arg("out").noconvert());
}

}  // namespace dovetail
