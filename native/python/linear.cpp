// Python's view of linear classifiers.
#include "linear/fit.hpp"
#include "linear/gram.hpp"
#include "linear/pass.hpp"
#include "python/bindings.hpp"
#include "python/model_arrays.hpp"

namespace dovetail {

using Floats = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Changed = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Products of all weights w = X'a of some parts with one another.
static auto linear_gram(const std::vector<const LinearRows*>& rows, const std::vector<Floats>& coefficients,
                        const In<int64_t>& groups, size_t n_groups, int threads) {
    check_size(coefficients.size(), rows.size(), "coefficients");
    std::vector<LinearPart> parts;
    size_t m = 0;
    for (size_t p = 0; p < rows.size(); ++p) {
        if (!rows[p]) throw std::invalid_argument("rows must not be None");
        check_size(coefficients[p].shape(1), rows[p]->size(), "coefficients");
        check_size(rows[p]->n_dataset_features(), rows[0]->n_dataset_features(), "rows");
        if (groups.size()) check_size(groups.size(), rows[p]->n_dataset_features(), "groups");
        parts.push_back({rows[p], coefficients[p].data(), coefficients[p].shape(0)});
        m += coefficients[p].shape(0);
    }
    std::vector<double> out(n_groups * m * m);
    without_gil([&] { LinearGram(parts, groups.size() ? groups.data() : nullptr, n_groups).run(threads, out.data()); });
    return to_numpy(std::move(out), {n_groups, m, m});
}

using Doubles = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

static StoredRows stored_rows(const In<uint64_t>& begin, const In<uint32_t>& ids, const In<float>& values,
                              size_t n_features) {
    if (!begin.size()) throw std::invalid_argument("rows begin nowhere");
    const StoredRows rows{begin.data(), ids.data(), values.size() ? values.data() : nullptr, begin.size() - 1};
    if (values.size()) check_size(values.size(), ids.size(), "values");
    bool fits = rows.begin[0] == 0 && rows.begin[rows.n] == ids.size();
    for (size_t row = 0; row < rows.n; ++row) fits = fits && rows.begin[row] <= rows.begin[row + 1];
    for (size_t k = 0; k < ids.size(); ++k) fits = fits && rows.ids[k] < n_features;
    if (!fits) throw std::invalid_argument("rows do not fit");
    return rows;
}

void bind_linear(nb::module_& module) {
    using nb::arg;
    module.def(
        "model_arrays_without_transitions",
        [](const Dataset& data, In<uint32_t> features, Floats weights) {
            check_size(weights.shape(0), features.size(), "weights");
            return to_dict(without_gil([&] {
                return arrays_without_transitions(data.features, features.data(), features.size(), weights.data(),
                                                  weights.shape(1));
            }));
        },
        arg("data"), arg("features"), arg("weights"),
        "Arrays of a model without transitions, from weights [features x labels].");
    nb::class_<LinearRows>(module, "LinearRows")
        .def(
            "__init__",
            [](LinearRows* self, const Dataset& data, In<uint64_t> tokens, uint32_t min_count) {
                without_gil([&] { new (self) LinearRows(data, tokens.data(), tokens.size(), min_count); });
            },
            arg("data"), arg("tokens"), arg("min_count") = 1)
        .def_prop_ro("n_rows", &LinearRows::size)
        .def_prop_ro("n_features", [](const LinearRows& self) { return self.features().size(); })
        .def_prop_ro("n_columns", &LinearRows::n_columns)
        .def_prop_ro("n_dataset_features", &LinearRows::n_dataset_features)
        .def(
            "features", [](const LinearRows& self) { return to_numpy(self.features()); },
            "The numbers of its features in the data set.")
        .def(
            "matrix",
            [](const LinearRows& self) {
                return std::make_tuple(to_numpy(self.begins()), to_numpy(self.ids()), to_numpy(self.values()));
            },
            "First occurrence of each row [rows + 1], column of each occurrence, and its value.")
        .def(
            "fit",
            [](const LinearRows& self, In<int32_t> codes, std::vector<int32_t> positives, Floats block,
               const std::string& loss, double penalty, double tolerance, int max_iterations, bool keep_weights,
               int threads, double block_penalty) {
                check_size(codes.size(), self.size(), "codes");
                check_size(block.shape(0), self.size(), "block");
                const size_t h = block.shape(1), k = positives.size();
                const LinearSettings settings{penalty, tolerance, max_iterations, block_penalty};
                LinearFits out = without_gil([&] {
                    return with_loss(loss, [&](auto chosen) {
                        return fit_linear<decltype(chosen)>(self, codes.data(), positives, block.data(), h, settings,
                                                            keep_weights, threads);
                    });
                });
                auto found = keep_weights ? to_numpy(std::move(out.weights), {k, self.features().size()})
                                          : to_numpy(std::move(out.coefficients), {k, self.size()});
                return std::make_tuple(found, to_numpy(std::move(out.block_weights), {k, h}),
                                       to_numpy(std::move(out.objective)), to_numpy(std::move(out.iterations)));
            },
            arg("codes"), arg("positives"), arg("block"), arg("loss"), arg("penalty"), arg("tolerance"),
            arg("max_iterations"), arg("keep_weights"), arg("threads"), arg("block_penalty") = 0.0,
            "A classifier for each positive code against the others: its weights (or its coefficients of rows), "
            "weights of the dense block, objective, iterations.")
        .def(
            "expand_weights",
            [](const LinearRows& self, Floats weights) {
                check_size(weights.shape(1), self.n_columns(), "weights");
                const size_t k = weights.shape(0), F = self.features().size();
                std::vector<float> out(k * F);
                for (size_t j = 0; j < k; ++j) self.expand_weights(weights.data() + j * self.n_columns(), &out[j * F]);
                return to_numpy(std::move(out), {k, F});
            },
            arg("weights"), "Weights of columns as weights of features, [k x features].")
        .def(
            "project",
            [](const LinearRows& self, Floats theta, int threads) {
                check_size(theta.shape(0), self.n_dataset_features(), "theta");
                const size_t h = theta.shape(1);
                std::vector<float> out(self.size() * h);
                without_gil([&] { self.project(theta.data(), h, threads, out.data()); });
                return to_numpy(std::move(out), {self.size(), h});
            },
            arg("theta"), arg("threads"), "Rows times vectors [features of the data set x h]: [rows x h].")
        .def(
            "add_combinations",
            [](const LinearRows& self, Floats coefficients, Changed to, int threads) {
                check_size(coefficients.shape(1), self.size(), "coefficients");
                check_size(to.shape(0), self.n_dataset_features(), "to");
                check_size(to.shape(1), coefficients.shape(0), "to");
                without_gil(
                    [&] { self.add_combinations(coefficients.data(), coefficients.shape(0), threads, to.data()); });
            },
            arg("coefficients"), arg("to").noconvert(), arg("threads"),
            "Add sums of rows, by coefficients [h x rows], to vectors [features of the data set x h].");
    module.def(
        "linear_pass",
        [](In<uint64_t> begin, In<uint32_t> ids, In<float> values, In<int32_t> codes, Doubles weights,
           nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> gradient, const std::string& loss) {
            const size_t L = weights.shape(1);
            check_size(gradient.shape(0), weights.shape(0), "gradient");
            check_size(gradient.shape(1), L, "gradient");
            return without_gil([&] {
                const StoredRows rows = stored_rows(begin, ids, values, weights.shape(0));
                check_size(codes.size(), rows.n, "codes");
                return with_loss(loss, [&](auto chosen) {
                    return pass_over_rows<decltype(chosen)>(rows, codes.data(), weights.data(), L, gradient.data());
                });
            });
        },
        arg("begin"), arg("ids"), arg("values"), arg("codes"), arg("weights"), arg("gradient").noconvert(), arg("loss"),
        "The sum of the losses of all classifiers, weights [features x labels], whose gradient is added.");
    module.def(
        "linear_scores",
        [](In<uint64_t> begin, In<uint32_t> ids, In<float> values, Doubles weights) {
            const size_t L = weights.shape(1);
            std::vector<double> out;
            without_gil([&] {
                const StoredRows rows = stored_rows(begin, ids, values, weights.shape(0));
                out.resize(rows.n * L);
                for (size_t row = 0; row < rows.n; ++row) rows.score(row, weights.data(), L, &out[row * L]);
            });
            return to_numpy(std::move(out), {begin.size() - 1, L});
        },
        arg("begin"), arg("ids"), arg("values"), arg("weights"), "What the classifiers say of rows, [rows x labels].");
    module.def("linear_gram", &linear_gram, arg("rows"), arg("coefficients"), arg("groups"), arg("n_groups"),
               arg("threads"),
               "W'W of the weights X'a of several rows with coefficients [problems x rows]: [groups x all problems x "
               "all problems].");
}

}  // namespace dovetail
