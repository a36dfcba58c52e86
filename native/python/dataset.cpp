// Python's view of data sets.
#include <nanobind/stl/shared_ptr.h>

#include "chain/bundles.hpp"
#include "features/crfsuite_text.hpp"
#include "python/bindings.hpp"
#include "python/labelled_sequences.hpp"

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
    for (size_t k = 0; k < pool.size(); ++k) out.emplace_back(pool[k]);
    return out;
}

void bind_dataset(nb::module_& module) {
    using nb::arg;
    nb::exception<TextError>(module, "TextError", PyExc_ValueError);
    nb::exception<ItemError>(module, "ItemError", PyExc_ValueError);
    module.attr("START") = nb::str(kStartName);
    module.attr("END") = nb::str(kEndName);
    module.def(
        "checksum",
        [](In<uint8_t> bytes) {
            nb::gil_scoped_release unlocked;
            return key_of(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        },
        "A 64-bit checksum.");

    nb::class_<Dataset>(module, "Dataset")
        .def(nb::init<>())
        .def("append", &append, arg("items").none(), arg("labels").none() = nb::none(),
             arg("allowed").none() = nb::none(), arg("weight") = 1.0)
        .def("add_label", [](Dataset& self, nb::str label) { return label_code(self, label.ptr()); })
        .def(
            "select",
            [](const Dataset& self, const std::vector<size_t>& sequences) {
                for (size_t s : sequences)
                    if (s >= self.x.size())
                        throw std::out_of_range("there is no sequence of index " + std::to_string(s) + " in the data");
                nb::gil_scoped_release unlocked;
                return std::make_shared<Dataset>(self.select(sequences));
            },
            arg("sequences"), "Some of the sequences, as if only these had been read.")
        .def(
            "features_alone",
            [](const Dataset& self) {
                nb::gil_scoped_release unlocked;
                return std::make_shared<Dataset>(self.features_alone());
            },
            "The same features, numbered alike, and nothing else.")
        .def(
            "features_alone",
            [](const Dataset& self, In<uint32_t> kept) {
                nb::gil_scoped_release unlocked;
                return std::make_shared<Dataset>(self.features_alone(kept.data(), kept.size()));
            },
            arg("kept"), "Some of the features, numbered in this order, and nothing else.")
        .def_prop_ro("n_sequences", [](const Dataset& self) { return self.n_sequences(); })
        .def_prop_ro("n_tokens", [](const Dataset& self) { return self.n_tokens(); })
        .def_prop_ro("n_occurrences", [](const Dataset& self) { return self.n_occurrences(); })
        .def_prop_ro("n_features", [](const Dataset& self) { return self.features.size(); })
        .def_prop_ro("labels", [](const Dataset& self) { return strings(self.labels.names()); })
        .def_prop_ro("fully_labelled", [](const Dataset& self) { return self.fully_labelled(); })
        .def(
            "observed_transitions",
            [](const Dataset& self) {
                ObservedTransitions seen = self.observed_transitions();
                return std::make_tuple(to_numpy(std::move(seen.transitions)), to_numpy(std::move(seen.start)),
                                       to_numpy(std::move(seen.end)));
            },
            "Transitions [L x L], first labels [L] and last labels [L] that occur.")
        .def(
            "counts", [](const Dataset& self) { return to_numpy(self.counts()); }, "How many tokens have each feature.")
        .def(
            "families",
            [](const Dataset& self) {
                const std::vector<uint64_t> counts = self.counts();
                int n = 0;
                return to_numpy(
                    feature_families(self.features.names(), {counts.begin(), counts.end()}, self.n_tokens(), n));
            },
            "The family of each feature, by what stands before the first '=' (or ':') of its name; -1 for none.")
        .def_prop_ro("weighted", [](const Dataset& self) { return self.weighted(); })
        .def("feature_names", [](const Dataset& self) { return strings(self.features.names()); })
        .def(
            "name_features",
            [](const Dataset& self, In<int64_t> ids) {
                std::vector<std::string> out;
                for (size_t k = 0; k < ids.size(); ++k) {
                    const int64_t id = ids.data()[k];
                    if (id < 0 || static_cast<size_t>(id) >= self.features.size())
                        throw std::out_of_range("there is no feature of number " + std::to_string(id));
                    out.emplace_back(self.features.names()[static_cast<size_t>(id)]);
                }
                return out;
            },
            arg("ids"), "Names of features by number.")
        .def(
            "features_beginning",
            [](const Dataset& self, const std::vector<std::string>& beginnings) {
                std::vector<int64_t> ids;
                for (size_t f = 0; f < self.features.size(); ++f) {
                    const std::string_view name = self.features.names()[f];
                    for (const std::string& beginning : beginnings)
                        if (name.substr(0, beginning.size()) == beginning) {
                            ids.push_back(static_cast<int64_t>(f));
                            break;
                        }
                }
                return to_numpy(std::move(ids));
            },
            arg("beginnings"), "Numbers of features whose names begin with one of these.")
        .def(
            "find_features",
            [](const Dataset& self, std::vector<std::string> names) {
                std::vector<int64_t> ids;
                for (const std::string& name : names) {
                    const uint32_t id = self.features.find(name.data(), name.size());
                    ids.push_back(id == kNone ? -1 : int64_t{id});
                }
                return to_numpy(std::move(ids));
            },
            "Numbers of features by name, -1 for unknown ones.");

    nb::class_<CrfsuiteText>(module, "CrfsuiteText")
        .def(nb::init<Dataset&>(), nb::keep_alive<1, 2>())
        .def("feed",
             [](CrfsuiteText& self, nb::bytes text) {
                 nb::gil_scoped_release unlocked;
                 self.feed(text.c_str(), text.size());
             })
        .def("finish", &CrfsuiteText::finish);
}

}  // namespace dovetail
