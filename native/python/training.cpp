// Python's view of training problems and of the methods that solve them.
#include <nanobind/stl/shared_ptr.h>

#include "chain/export.hpp"
#include "optimize/dual.hpp"
#include "optimize/lbfgs.hpp"
#include "optimize/objective.hpp"
#include "optimize/perceptron.hpp"
#include "optimize/stochastic.hpp"
#include "python/bindings.hpp"
#include "python/model_arrays.hpp"
#include "python/optimizer_state.hpp"

namespace dovetail {

// A method of training that knows how many parameters it has, so that arrays can be checked.
template <class Method> struct Sized : Method {
    size_t size;
    template <class... Given>
    explicit Sized(const std::shared_ptr<const Problem>& problem, Given... given)
        : Method(problem, given...), size(problem->layout.size()) {}
};

template <class R> void bind_objective(nb::module_& module, const char* name) {
    nb::class_<Objective<R>>(module, name)
        .def(nb::init<std::shared_ptr<const Problem>>(), nb::arg("problem"))
        .def_prop_rw("uses", &Objective<R>::uses, &Objective<R>::set_uses)
        .def(
            "evaluate",
            [](Objective<R>& self, In<double> w, InOut<double> g, double c2, int threads) {
                check_size(w.size(), self.size(), "w");
                check_size(g.size(), self.size(), "g");
                nb::gil_scoped_release unlocked;
                return self.evaluate(w.data(), g.data(), c2, threads);
            },
            nb::arg("w").noconvert(), nb::arg("g").noconvert(), nb::arg("c2"), nb::arg("threads"))
        .def(
            "curvature",
            [](Objective<R>& self, In<double> w, InOut<double> h, int threads) {
                check_size(w.size(), self.size(), "w");
                check_size(h.size(), self.size(), "h");
                nb::gil_scoped_release unlocked;
                self.curvature(w.data(), h.data(), threads);
            },
            nb::arg("w").noconvert(), nb::arg("h").noconvert(), nb::arg("threads"));
}

void bind_training(nb::module_& module) {
    nb::exception<ImpossibleSequence>(module, "ImpossibleSequence", PyExc_ValueError);
    nb::class_<Problem>(module, "Problem")
        .def(
            "__init__",
            [](Problem* self, std::shared_ptr<Dataset> data, uint64_t min_count, bool all_pairs, bool all_transitions,
               In<uint8_t> role, In<float> scale, In<uint8_t> legal, In<uint8_t> start, In<uint8_t> end,
               In<float> margin) {
                const size_t F = data->features.size(), L = data->labels.size();
                LayoutOptions options{min_count, all_pairs, all_transitions, to_vector(role), to_vector(legal)};
                Constraints constraints{to_vector(legal), to_vector(start), to_vector(end)};
                const auto fits = [](size_t given, size_t expected, const char* what) {
                    if (given) check_size(given, expected, what);
                };
                fits(role.size(), F, "role"), fits(scale.size(), F, "scale"), fits(legal.size(), L * L, "legal");
                fits(start.size(), L, "start"), fits(end.size(), L, "end"), fits(margin.size(), L, "margin");
                nb::gil_scoped_release unlocked;
                new (self)
                    Problem(std::move(data), options, std::move(constraints), to_vector(margin), to_vector(scale));
            },
            nb::arg("data"), nb::arg("min_count"), nb::arg("all_pairs"), nb::arg("all_transitions"), nb::arg("role"),
            nb::arg("scale"), nb::arg("legal"), nb::arg("start"), nb::arg("end"), nb::arg("margin"))
        .def_prop_ro("has_features",
                     [](const Problem& self) { return self.layout.transitions_at() > 0 || !self.layout.cell.empty(); })
        .def_prop_ro("n_tokens", [](const Problem& self) { return self.data->x.n_tokens(); })
        .def_prop_ro("n_parameters", [](const Problem& self) { return self.layout.size(); })
        .def(
            "export",
            [](const Problem& self, In<double> w) {
                check_size(w.size(), self.layout.size(), "w");
                ModelArrays arrays;
                {
                    nb::gil_scoped_release unlocked;
                    arrays = export_model(self, w.data());
                }
                return to_dict(std::move(arrays));
            },
            nb::arg("w").noconvert())
        .def(
            "place",
            [](const Problem& self, In<double> w) {
                check_size(w.size(), self.layout.size(), "w");
                std::vector<float> out(self.layout.buffer_size(), 0.0f);
                self.layout.place(w.data(), out.data());
                return to_numpy(std::move(out));
            },
            nb::arg("w").noconvert(), "Weights where kernels look for them.")
        .def("parameters", [](const Problem& self) {
            std::vector<int64_t> feature, previous, label;
            for (const Parameter& p : self.layout.parameter) {
                feature.push_back(p.feature == kNone ? -1 : int64_t{p.feature});
                previous.push_back(p.previous);
                label.push_back(p.label);
            }
            return std::make_tuple(to_numpy(std::move(feature)), to_numpy(std::move(previous)),
                                   to_numpy(std::move(label)));
        });

    bind_objective<float>(module, "ObjectiveSingle");
    bind_objective<double>(module, "ObjectiveDouble");

    nb::class_<Sized<Dual>>(module, "Dual")
        .def(nb::init<std::shared_ptr<const Problem>, double, double, bool>(), nb::arg("problem"), nb::arg("c1"),
             nb::arg("c2"), nb::arg("accelerated"), nb::call_guard<nb::gil_scoped_release>())
        .def_static("memory", [](const Problem& problem) { return Dual::memory(problem); })
        .def("epoch", &Dual::epoch, nb::arg("seed"), nb::call_guard<nb::gil_scoped_release>())
        .def("refresh", &Dual::refresh, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "restart",
            [](Sized<Dual>& self, In<double> w) {
                check_size(w.size(), self.size, "w");
                nb::gil_scoped_release unlocked;
                return self.restart(w.data());
            },
            nb::arg("w").noconvert())
        .def(
            "weights",
            [](const Sized<Dual>& self, InOut<double> w) {
                check_size(w.size(), self.size, "w");
                self.weights(w.data());
            },
            nb::arg("w").noconvert())
        .def("state", &state_of<Sized<Dual>>)
        .def("restore", &restore<Sized<Dual>>, nb::arg("state"));

    nb::class_<Sized<Stochastic>>(module, "Stochastic")
        .def(
            "__init__",
            [](Sized<Stochastic>* self, std::shared_ptr<const Problem> problem, double c2, In<double> w) {
                check_size(w.size(), problem->layout.size(), "w");
                nb::gil_scoped_release unlocked;
                new (self) Sized<Stochastic>(problem, c2, w.data());
            },
            nb::arg("problem"), nb::arg("c2"), nb::arg("w").noconvert())
        .def("epoch", &Stochastic::epoch, nb::arg("rate"), nb::arg("seed"), nb::call_guard<nb::gil_scoped_release>())
        .def(
            "weights",
            [](const Sized<Stochastic>& self, InOut<double> w) {
                check_size(w.size(), self.size, "w");
                self.weights(w.data());
            },
            nb::arg("w").noconvert())
        .def("state", &state_of<Sized<Stochastic>>)
        .def("restore", &restore<Sized<Stochastic>>, nb::arg("state"));

    nb::class_<Sized<Perceptron>>(module, "Perceptron")
        .def(
            "__init__",
            [](Sized<Perceptron>* self, std::shared_ptr<const Problem> problem, In<double> w) {
                check_size(w.size(), problem->layout.size(), "w");
                nb::gil_scoped_release unlocked;
                new (self) Sized<Perceptron>(problem, w.data());
            },
            nb::arg("problem"), nb::arg("w").noconvert())
        .def("epoch", &Perceptron::epoch, nb::arg("seed"), nb::call_guard<nb::gil_scoped_release>())
        .def(
            "average",
            [](const Sized<Perceptron>& self, InOut<double> w) {
                check_size(w.size(), self.size, "w");
                self.average(w.data());
            },
            nb::arg("w").noconvert())
        .def("state", &state_of<Sized<Perceptron>>)
        .def("restore", &restore<Sized<Perceptron>>, nb::arg("state"));

    nb::class_<LbfgsHistory>(module, "LbfgsHistory")
        .def(nb::init<size_t, int>(), nb::arg("size"), nb::arg("memory"))
        .def(
            "push",
            [](LbfgsHistory& self, In<double> s, In<double> y) {
                check_size(s.size(), self.size(), "s");
                check_size(y.size(), self.size(), "y");
                return self.push(s.data(), y.data());
            },
            nb::arg("s").noconvert(), nb::arg("y").noconvert())
        .def("clear", &LbfgsHistory::clear)
        .def("state", &state_of_history)
        .def("restore", &restore_history, nb::arg("state"))
        .def(
            "direction",
            [](const LbfgsHistory& self, In<double> g, In<double> inverse_diagonal, InOut<double> out) {
                check_size(g.size(), self.size(), "g");
                if (inverse_diagonal.size()) check_size(inverse_diagonal.size(), self.size(), "inverse_diagonal");
                check_size(out.size(), self.size(), "out");
                nb::gil_scoped_release unlocked;
                self.direction(g.data(), inverse_diagonal.size() ? inverse_diagonal.data() : nullptr, out.data());
            },
            nb::arg("g").noconvert(), nb::arg("inverse_diagonal").noconvert(), nb::arg("out").noconvert());
}

}  // namespace dovetail
