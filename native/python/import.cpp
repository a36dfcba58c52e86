// Weights of another program's model in, by the names of its features; the arrays of a model file out.
#include "features/extract.hpp"
#include "python/bindings.hpp"
#include "python/model_arrays.hpp"
#include "python/token_reader.hpp"

namespace dovetail {

// A feature as a list has it: its name. As a template makes it: a tuple of the row's name and a value for each part.
class FeatureNames {
public:
    Interner names;

    explicit FeatureNames(const nb::list& features) {
        for (nb::handle feature : features) {
            const size_t before = names.size();
            if (PyTuple_Check(feature.ptr())) add_made(nb::borrow<nb::tuple>(feature));
            else {
                const Text text = read_bytes(feature);
                names.add(text.data, text.size);
            }
            if (names.size() == before)
                throw std::invalid_argument("feature " + std::to_string(before) + " is there twice");
        }
    }

private:
    static Text read_bytes(nb::handle object) {
        char* data = nullptr;
        Py_ssize_t size = 0;
        if (PyBytes_AsStringAndSize(object.ptr(), &data, &size)) throw nb::python_error();
        return {data, static_cast<size_t>(size)};
    }
    void add_made(const nb::tuple& feature) {
        if (feature.size() == 0) throw std::invalid_argument("a feature has no row");
        const Text row = read_bytes(feature[0]);
        uint64_t key = key_of(row.data, row.size);
        std::string name(row.data, row.size);
        for (size_t k = 1; k < feature.size(); ++k) {
            const Text value = read_bytes(feature[k]);
            key = mix_key(key, key_of(value.data, value.size));
            append_value(name, k - 1, feature.size() - 1, std::string_view(value.data, value.size));
        }
        names.add(finish_key(key), name.data(), name.size());
    }
};

static nb::typed<nb::dict, nb::str, nb::object> model_arrays_from_weights(const nb::list& features, int labels,
                                                                          In<int64_t> feature, In<int64_t> previous,
                                                                          In<int64_t> label, In<double> weight) {
    if (labels < 1 || labels >= kMostLabels)
        throw std::invalid_argument("the number of labels is not between 1 and 32,766");
    const FeatureNames named(features);
    const size_t n = weight.size();
    check_size(feature.size(), n, "feature"), check_size(previous.size(), n, "previous"),
        check_size(label.size(), n, "label");
    std::vector<Weight> weights;
    std::vector<uint64_t> frequency(named.names.size(), 0);
    const auto within = [](int64_t number, size_t end) { return number >= -1 && number < static_cast<int64_t>(end); };
    for (size_t k = 0; k < n; ++k) {
        const int64_t f = feature.data()[k], i = previous.data()[k], j = label.data()[k];
        const bool sound =
            within(f, named.names.size()) && within(i, labels) && within(j, labels) && j >= 0 && (f >= 0 || i >= 0);
        if (!sound)
            throw std::invalid_argument("weight " + std::to_string(k) +
                                        " is of a feature or a label that does not exist");
        if (f >= 0) ++frequency[f];
        weights.push_back({{f < 0 ? kNone : static_cast<uint32_t>(f), static_cast<int32_t>(i), static_cast<int32_t>(j)},
                           static_cast<float>(weight.data()[k])});
    }
    return to_dict(arrays_from(named.names, labels, weights, frequency));
}

void bind_import(nb::module_& module) {
    module.def("model_arrays_from_weights", &model_arrays_from_weights, nb::arg("features"), nb::arg("n_labels"),
               nb::arg("feature"), nb::arg("previous"), nb::arg("label"), nb::arg("weight"),
               "Arrays of a model file from weights: of a feature on a label (previous -1), of a transition (feature "
               "-1), or of a feature on a transition; "
               "the weights of a feature on transitions follow one another.");
}

}  // namespace dovetail
