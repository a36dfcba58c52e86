// Python's view of linear classifiers.
#include <numeric>

#include "bindings.hpp"
#include "linear_gram.hpp"
#include "linear_newton.hpp"
#include "model_arrays.hpp"

namespace dovetail {

using Floats = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Changed = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct LinearFits {
    std::vector<float> weights, block_weights, coefficients;  // [k x F], [k x h], [k x rows]; one of the first and last is empty
    std::vector<double> objective;
    std::vector<int64_t> iterations;
};

constexpr int kAscentLooks = 40;  // before Newton's method takes over

// Labels by how many rows have them: these take longest, and should not be left for the end, when other threads are done.
static std::vector<size_t> frequent_first(const In<int32_t>& codes, const std::vector<int32_t>& positives) {
    std::vector<std::ptrdiff_t> count;
    for (int32_t code : positives) count.push_back(std::count(codes.data(), codes.data() + codes.size(), code));
    std::vector<size_t> order(positives.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return count[a] > count[b]; });
    return order;
}

// A classifier for each of k labels against all others. Kept are its weights, or the fewer coefficients of rows that
// they follow from.
template <class Loss>
LinearFits fit_linear(const LinearRows& rows, const In<int32_t>& codes, const std::vector<int32_t>& positives, const float* dense, size_t h,
                      const LinearSettings& settings, bool keep_weights, int threads) {
    const size_t k = positives.size(), C = rows.n_columns(), F = rows.features().size(), n = rows.size();
    LinearFits out;
    if (keep_weights) out.weights.resize(k * F);
    else out.coefficients.resize(k * n);
    out.block_weights.resize(k * h), out.objective.resize(k), out.iterations.resize(k);
    std::vector<std::unique_ptr<LinearDual<Loss>>> workers(static_cast<size_t>(std::max(1, threads)));
    const std::vector<size_t> order = frequent_first(codes, positives);
    parallel(k, threads, [&](size_t task, size_t worker) {
        const size_t j = order[task];
        auto& own = workers[worker];
        if (!own) own = std::make_unique<LinearDual<Loss>>(rows, dense, h, settings);
        const int looks = std::min(kAscentLooks, settings.max_iterations);
        LinearFit found = own->fit(codes.data(), positives[j], looks);
        if (!found.enough) {
            LinearNewton<Loss> newton(rows, dense, h, settings);
            LinearFit more = newton.fit(codes.data(), positives[j], own->weights);
            more.iterations += found.iterations;
            // Coefficients give the weights of ascent exactly, those of Newton's method only at the minimum.
            if (keep_weights) own->weights = newton.weights;
            else more.objective = own->resume(newton.weights, looks).objective;
            found = more;
        }
        out.objective[j] = found.objective, out.iterations[j] = found.iterations;
        if (keep_weights) rows.share_out(own->weights.data(), &out.weights[j * F]);
        else own->coefficients(&out.coefficients[j * n]);
        std::copy_n(own->weights.data() + C, h, out.block_weights.data() + j * h);
    });
    return out;
}

// A model without moves: a dense row of weights for each of the given features of a data set.
static ModelArrays linear_arrays(const Dataset& data, const In<uint32_t>& features, const Floats& weights) {
    const size_t F = features.size(), L = weights.shape(1), Lp = static_cast<size_t>(padded(static_cast<int>(L)));
    ModelArrays out;
    const StringPool& names = data.features.names();
    const std::vector<uint64_t> keys = data.features.keys();
    KeyTable table(F);
    out.name_offsets.push_back(0);
    out.dense.assign(F * Lp, 0.0f);
    out.row.resize(F);
    for (size_t k = 0; k < F; ++k) {
        const uint32_t f = features.data()[k];
        if (f >= names.size()) throw std::out_of_range("there is no feature " + std::to_string(f) + " in the data set");
        table.find_or_add(keys[f], static_cast<uint32_t>(k));
        out.names.insert(out.names.end(), names.bytes().begin() + static_cast<std::ptrdiff_t>(names.offsets()[f]),
                         names.bytes().begin() + static_cast<std::ptrdiff_t>(names.offsets()[f + 1]));
        out.name_offsets.push_back(out.names.size());
        out.row[k] = kDenseRow | static_cast<uint32_t>(k);
        std::copy_n(weights.data() + k * L, L, &out.dense[k * Lp]);
    }
    out.slots = table.slots();
    out.transitions.assign(L * L, 0.0f);
    return out;
}

// Products of all weights w = X'a of some parts with one another.
static auto linear_gram(const std::vector<const LinearRows*>& rows, const std::vector<Floats>& coefficients, const In<int64_t>& groups, size_t n_groups, int threads) {
    check_size(coefficients.size(), rows.size(), "coefficients");
    std::vector<LinearPart> parts;
    size_t m = 0;
    for (size_t p = 0; p < rows.size(); ++p) {
        if (!rows[p]) throw std::invalid_argument("rows must not be None");
        check_size(coefficients[p].shape(1), rows[p]->size(), "coefficients");
        check_size(rows[p]->n_known(), rows[0]->n_known(), "rows");
        if (groups.size()) check_size(groups.size(), rows[p]->n_known(), "groups");
        parts.push_back({rows[p], coefficients[p].data(), coefficients[p].shape(0)});
        m += coefficients[p].shape(0);
    }
    std::vector<double> out(n_groups * m * m);
    without_gil([&] { LinearGram(parts, groups.size() ? groups.data() : nullptr, n_groups).run(threads, out.data()); });
    return to_numpy(std::move(out), {n_groups, m, m});
}

void bind_linear(nb::module_& module) {
    using nb::arg;
    module.def("linear_arrays", [](const Dataset& data, In<uint32_t> features, Floats weights) {
        check_size(weights.shape(0), features.size(), "weights");
        return to_dict(without_gil([&] { return linear_arrays(data, features, weights); }));
    }, arg("data"), arg("features"), arg("weights"), "Arrays of a model without moves, from weights [features x labels].");
    nb::class_<LinearRows>(module, "LinearRows")
        .def("__init__", [](LinearRows* self, const Dataset& data, In<uint64_t> tokens, uint32_t min_count) {
            without_gil([&] { new (self) LinearRows(data, tokens.data(), tokens.size(), min_count); });
        }, arg("data"), arg("tokens"), arg("min_count") = 1)
        .def_prop_ro("n_rows", &LinearRows::size)
        .def_prop_ro("n_features", [](const LinearRows& self) { return self.features().size(); })
        .def_prop_ro("n_columns", &LinearRows::n_columns)
        .def_prop_ro("n_known", &LinearRows::n_known)
        .def("features", [](const LinearRows& self) { return to_numpy(self.features()); }, "The numbers of its features in the data set.")
        .def("matrix", [](const LinearRows& self) {
            return std::make_tuple(to_numpy(self.begins()), to_numpy(self.ids()), to_numpy(self.values()));
        }, "First occurrence of each row [rows + 1], column of each occurrence, and its value.")
        .def("fit", [](const LinearRows& self, In<int32_t> codes, std::vector<int32_t> positives, Floats block, const std::string& loss,
                       double penalty, double tolerance, int max_iterations, bool keep_weights, int threads) {
            check_size(codes.size(), self.size(), "codes");
            check_size(block.shape(0), self.size(), "block");
            const size_t h = block.shape(1), k = positives.size();
            const LinearSettings settings{penalty, tolerance, max_iterations};
            LinearFits out = without_gil([&] {
                const auto fit = loss == "modified_huber" ? &fit_linear<ModifiedHuber> : loss == "squared_hinge" ? &fit_linear<SquaredHinge> : loss == "logistic" ? &fit_linear<Logistic> : nullptr;
                if (!fit) throw std::invalid_argument("there is no loss '" + loss + "'");
                return fit(self, codes, positives, block.data(), h, settings, keep_weights, threads);
            });
            auto found = keep_weights ? to_numpy(std::move(out.weights), {k, self.features().size()}) : to_numpy(std::move(out.coefficients), {k, self.size()});
            return std::make_tuple(found, to_numpy(std::move(out.block_weights), {k, h}), to_numpy(std::move(out.objective)), to_numpy(std::move(out.iterations)));
        }, arg("codes"), arg("positives"), arg("block"), arg("loss"), arg("penalty"), arg("tolerance"), arg("max_iterations"), arg("keep_weights"), arg("threads"),
             "A classifier for each positive code against the others: its weights (or its coefficients of rows), weights of the dense block, objective, iterations.")
        .def("share_out", [](const LinearRows& self, Floats weights) {
            check_size(weights.shape(1), self.n_columns(), "weights");
            const size_t k = weights.shape(0), F = self.features().size();
            std::vector<float> out(k * F);
            for (size_t j = 0; j < k; ++j) self.share_out(weights.data() + j * self.n_columns(), &out[j * F]);
            return to_numpy(std::move(out), {k, F});
        }, arg("weights"), "Weights of columns as weights of features, [k x features].")
        .def("project", [](const LinearRows& self, Floats theta, int threads) {
            check_size(theta.shape(0), self.n_known(), "theta");
            const size_t h = theta.shape(1);
            std::vector<float> out(self.size() * h);
            without_gil([&] { self.project(theta.data(), h, threads, out.data()); });
            return to_numpy(std::move(out), {self.size(), h});
        }, arg("theta"), arg("threads"), "Rows times vectors [features of the data set x h]: [rows x h].")
        .def("add_combinations", [](const LinearRows& self, Floats coefficients, Changed to, int threads) {
            check_size(coefficients.shape(1), self.size(), "coefficients");
            check_size(to.shape(0), self.n_known(), "to");
            check_size(to.shape(1), coefficients.shape(0), "to");
            without_gil([&] { self.add_combinations(coefficients.data(), coefficients.shape(0), threads, to.data()); });
        }, arg("coefficients"), arg("to").noconvert(), arg("threads"), "Add sums of rows, by coefficients [h x rows], to vectors [features of the data set x h].");
    module.def("linear_gram", &linear_gram, arg("rows"), arg("coefficients"), arg("groups"), arg("n_groups"), arg("threads"),
               "W'W of the weights X'a of several rows with coefficients [problems x rows]: [groups x all problems x all problems].");
}

}  // namespace dovetail
