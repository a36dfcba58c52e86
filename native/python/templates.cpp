// Python's view of templates: features of columns into data sets, models and labels.
#include "chain/encoding.hpp"
#include "features/extract_dataset.hpp"
#include "python/attributes.hpp"
#include "python/bindings.hpp"
#include "python/labelled_sequences.hpp"
#include "python/tagging.hpp"

namespace dovetail {

static void extract_into(Dataset& data, const Template& feature_template, const Columns& columns, nb::object labels,
                         nb::object allowed, nb::object weights) {
    DatasetExtraction extraction(data, feature_template, columns);
    const auto iterate = [](const nb::object& given) {
        return given.is_none() ? nb::object() : nb::steal(PyObject_GetIter(given.ptr()));
    };
    const nb::object iterators[] = {iterate(labels), iterate(allowed), iterate(weights)};
    const auto next = [&](int k) -> nb::object {
        if (!iterators[k].is_valid()) return nb::object(nb::none());
        PyObject* item = PyIter_Next(iterators[k].ptr());
        if (!item && PyErr_Occurred()) throw nb::python_error();
        if (!item)
            throw ItemError(std::string("there are fewer ") +
                            (k == 0   ? "labels"
                             : k == 1 ? "sets of allowed labels"
                                      : "weights") +
                            " than sequences");
        return nb::steal<nb::object>(item);
    };
    for (size_t s = 0; s < columns.n_sequences(); ++s) {
        const size_t n_features = data.features.size(), n_labels = data.labels.size();
        try {
            extraction.add_tokens(s);
            const nb::object given = next(2);
            double weight = 1.0;
            if (iterators[2].is_valid() && !nb::try_cast(given, weight))
                throw ItemError("has a weight of type " + type_name(given.ptr()) + "; give a number");
            close_sequence(data, next(0), next(1), weight);
        } catch (const ItemError& error) {
            data.roll_back(n_features, n_labels);
            throw ItemError("sequence " + std::to_string(s + 1) + ": " + error.what());
        } catch (...) {
            data.roll_back(n_features, n_labels);
            throw;
        }
    }
}

static Tags tag_columns(const Model& model, const Template& feature_template, const Columns& columns, LabelNames names,
                        const Constraints& constraints, int threads) {
    check_constraints(model, constraints);
    check_size(names.size(), static_cast<size_t>(model.L), "label_names");
    std::vector<int32_t> labels(columns.n_tokens());
    nb::list out;
    const Limits limits{constraints, nullptr};
    Extraction extraction(feature_template, columns);  // takes attributes of values, which asks Python about characters
    const Batch batch = without_gil([&] {
        Batch made = encode_for_decoding(model, extraction);
        decode(made, limits, threads, labels.data());
        return made;
    });
    append_tags(out, batch, labels, names);
    return Tags(out);
}

void bind_templates(nb::module_& module) {
    using nb::arg;
    using Parts = std::vector<std::pair<uint32_t, int32_t>>;
    nb::class_<Template>(module, "Template")
        .def(
            "__init__",
            [](Template* self, const std::vector<std::pair<std::string, NamedSteps>>& attributes,
               std::vector<std::tuple<std::string, float, Parts>> rows) {
                std::vector<TemplateAttribute> made;
                for (const auto& [column, steps] : attributes) made.push_back({column, parse_steps(steps)});
                std::vector<TemplateRow> made_rows;
                for (auto& [name, value, parts] : rows) made_rows.push_back({name, value, parts});
                new (self) Template(std::move(made), std::move(made_rows));
            },
            arg("attributes"), arg("rows"))
        .def("features", &list_features, arg("columns"))
        .def(
            "extract_into",
            [](const Template& self, Dataset& data, const Columns& columns, nb::object labels, nb::object allowed,
               nb::object weights) {
                extract_into(data, self, columns, std::move(labels), std::move(allowed), std::move(weights));
            },
            arg("data"), arg("columns"), arg("labels").none(), arg("allowed").none(), arg("weights").none())
        .def(
            "encode",
            [](const Template& self, const Model& model, const Columns& columns) {
                Extraction extraction(self, columns);
                return encode_columns(model, extraction);
            },
            arg("model"), arg("columns"), nb::keep_alive<0, 2>())
        .def(
            "tag",
            [](const Template& self, const Model& model, const Columns& columns, LabelNames names,
               const Constraints& constraints,
               int threads) { return tag_columns(model, self, columns, std::move(names), constraints, threads); },
            arg("model"), arg("columns"), arg("label_names"), arg("constraints"), arg("threads"));
}

}  // namespace dovetail
