// Python's view of columns and templates.
#include "bindings.hpp"
#include "encoding.hpp"
#include "labelled_items.hpp"
#include "lexicon.hpp"

namespace dovetail {

// Values as they come from Python, numbered by first appearance.
class ValueCodes {
public:
    void add(PyObject* value) {
        if (value == Py_None) return codes.push_back(-1);
        if (!PyUnicode_Check(value)) throw ItemError("is of type " + type_name(value) + " where a string was expected");
        const Text text = utf8(value);
        const auto fresh = static_cast<uint32_t>(items.size());
        const uint32_t code = table_.find_or_add(key_of(text.data, text.size), fresh);
        if (code == fresh) items.add({text.data, text.size}), items.end();
        codes.push_back(static_cast<int32_t>(code));
    }
    Codes codes;
    Items items;

private:
    KeyTable table_;
};

// Sequences of tokens: each a string, or a tuple (list) of one string a column.
static void add_tokens(Columns& self, std::vector<std::string> names, nb::handle sequences) {
    if (!self.bounds.empty() || names.empty()) throw std::invalid_argument("tokens come first, and have at least one column");
    std::vector<ValueCodes> values(names.size());
    std::vector<uint64_t> bounds{0};
    uint64_t tokens = 0;
    size_t token = 0;
    const auto read = [&](PyObject* item) {
        ++token, ++tokens;
        if (PyUnicode_Check(item) || item == Py_None) {
            if (names.size() > 1) throw ItemError("is one string where the columns " + names[0] + ", " + names[1] + (names.size() > 2 ? ", ..." : "") + " were expected: give a tuple");
            return values[0].add(item);
        }
        if (!PyTuple_Check(item) && !PyList_Check(item))
            throw ItemError("is of type " + type_name(item) + " where a string" + (names.size() > 1 ? ", or a tuple of strings," : "") + " was expected");
        size_t k = 0;
        each_item(item, [&](PyObject* value) {
            if (k < names.size()) values[k].add(value);
            ++k;
        });
        if (k != names.size()) throw ItemError("has " + std::to_string(k) + " values where " + std::to_string(names.size()) + " were expected");
    };
    each_item(sequences.ptr(), [&](PyObject* sequence) {
        token = 0;
        try {
            if (PyUnicode_Check(sequence)) throw ItemError("is a single string; give a list of tokens");
            each_item(sequence, read);
        } catch (const ItemError& error) {
            throw ItemError("sequence " + std::to_string(bounds.size()) + (token ? " token " + std::to_string(token) : "") + " " + error.what());
        }
        bounds.push_back(tokens);
    });
    self.bounds = std::move(bounds);
    for (size_t k = 0; k < names.size(); ++k) self.add(names[k], std::move(values[k].codes), std::move(values[k].items));
}

static Items items_of(nb::handle lists) {
    Items out;
    each_item(lists.ptr(), [&](PyObject* list) {
        if (PyUnicode_Check(list)) {
            const Text text = utf8(list);
            out.add({text.data, text.size});
        } else if (list != Py_None) {
            each_item(list, [&](PyObject* item) {
                if (PyUnicode_Check(item)) {
                    const Text text = utf8(item);
                    return out.add({text.data, text.size});
                }
                std::pair<nb::str, double> pair;
                if (!nb::try_cast(nb::handle(item), pair)) throw ItemError("a token has " + type_name(item) + " where a string, or a pair of a string and a number, was expected");
                out.soft = true;
                const Text text = utf8(pair.first.ptr());
                if (!std::isfinite(static_cast<float>(pair.second))) throw ItemError("a value is " + shown(pair.second) + "; give a number between -3.4e38 and 3.4e38");
                out.add({text.data, text.size}, static_cast<float>(pair.second));
            });
        }
        out.end();
    });
    return out;
}

static std::vector<std::string> distinct_texts(const Items& items) {
    std::vector<std::string> out;
    KeyTable seen;
    for (size_t item = 0; item < items.hash.size(); ++item) {
        const auto fresh = static_cast<uint32_t>(out.size());
        if (seen.find_or_add(items.hash[item], fresh) == fresh) out.emplace_back(items.text(item));
    }
    return out;
}

static void translate(Columns& self, std::string name, const std::string& source, nb::dict texts) {
    const Items& from = *self.at(source).items;
    Items out;
    out.soft = from.soft;
    for (size_t level = 0; level < from.size(); ++level) {
        for (uint32_t item = from.begin[level]; item < from.begin[level + 1]; ++item) {
            const std::string_view text = from.text(item);
            const nb::object made = texts[nb::str(text.data(), text.size())];
            each_item(made.ptr(), [&](PyObject* string) {
                const Text given = utf8(string);
                out.add({given.data, given.size}, from.value_of(item));
            });
        }
        out.end();
    }
    self.derive(std::move(name), source, std::move(out));
}

static std::vector<Step> steps_of(const std::vector<std::pair<std::string, int>>& named) {
    std::vector<Step> steps;
    for (const auto& [name, n] : named) steps.push_back(Step::of(name, n));
    return steps;
}

static Codes counting(size_t n) {
    Codes codes(n);
    std::iota(codes.begin(), codes.end(), 0);
    return codes;
}

// A soft column: at each token a weight for each level; those below `least` are left out.
static void add_soft(Columns& self, std::string name, std::vector<std::string> levels, In<float> weights, float least) {
    check_size(weights.size(), self.n_tokens() * levels.size(), name.c_str());
    Items items;
    items.soft = true;
    for (size_t t = 0; t < self.n_tokens(); ++t) {
        for (size_t k = 0; k < levels.size(); ++k) {
            const float value = weights.data()[t * levels.size() + k];
            if (!std::isfinite(value)) throw std::invalid_argument("column '" + name + "' has a value at token " + std::to_string(t + 1) + " that is no finite number");
            if (std::abs(value) >= least && value != 0.0f) items.add(levels[k], value);
        }
        items.end();
    }
    self.add(std::move(name), counting(self.n_tokens()), std::move(items));
}

// Features of all sequences into a data set.
class DatasetSink {
public:
    DatasetSink(Dataset& data, Extraction& extraction) : data_(data), extraction_(extraction), groups_(extraction) {}
    void token(size_t s, size_t t) {
        extraction_.visit(s, t, [&](size_t g, size_t level) {
            const auto [first, last] = groups_.get(g, level, [&] {
                const size_t begin = ids_.size();
                extraction_.each_of_group(g, level, [&](uint32_t row, uint64_t key, float value, const Extraction::Chosen& items) {
                    ids_.push_back(id_of(row, key, items)), values_.push_back(value);
                });
                return std::pair(begin, ids_.size());
            });
            for (size_t k = first; k < last; ++k) data_.x.add(ids_[k], values_[k]);
        }, [&](uint32_t row, uint64_t key, float value, const Extraction::Chosen& items) { data_.x.add(id_of(row, key, items), value); });
    }

private:
    uint32_t id_of(uint32_t row, uint64_t key, const Extraction::Chosen& items) {
        return data_.features.add(key, [&] { return extraction_.name(row, items); });
    }
    Dataset& data_;
    Extraction& extraction_;
    GroupCache<std::pair<size_t, size_t>> groups_;
    std::vector<uint32_t> ids_;
    std::vector<float> values_;
};

static void extract_into(Dataset& data, const Template& made_of, const Columns& columns, nb::object labels, nb::object allowed, nb::object weights) {
    Extraction extraction(made_of, columns);
    DatasetSink sink(data, extraction);
    const auto iterate = [](const nb::object& given) { return given.is_none() ? nb::object() : nb::steal(PyObject_GetIter(given.ptr())); };
    const nb::object iterators[] = {iterate(labels), iterate(allowed), iterate(weights)};
    const auto next = [&](int k) -> nb::object {
        if (!iterators[k].is_valid()) return nb::object(nb::none());
        PyObject* item = PyIter_Next(iterators[k].ptr());
        if (!item && PyErr_Occurred()) throw nb::python_error();
        if (!item) throw ItemError(std::string("there are fewer ") + (k == 0 ? "labels" : k == 1 ? "sets of allowed labels" : "weights") + " than sequences");
        return nb::steal<nb::object>(item);
    };
    for (size_t s = 0; s < columns.n_sequences(); ++s) {
        const size_t n_features = data.features.size(), n_labels = data.labels.size();
        try {
            const size_t first = columns.bounds[s], last = columns.bounds[s + 1];
            for (size_t t = first; t < last; ++t) {
                if (t == first) data.mark_start();
                sink.token(s, t);
                data.x.end_token();
            }
            if (first < last) data.mark_end();
            const nb::object given = next(2);
            double weight = 1.0;
            if (!given.is_none() && !nb::try_cast(given, weight)) throw ItemError("has a weight of type " + type_name(given.ptr()) + "; give a number");
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

static Tags tag_columns(const Model& model, const Template& made_of, const Columns& columns, LabelNames names,
                        const Constraints& constraints, int threads) {
    check_constraints(model, constraints);
    check_size(names.size(), static_cast<size_t>(model.L), "label_names");
    std::vector<int32_t> labels(columns.n_tokens());
    nb::list out;
    const Limits limits{constraints, nullptr};
    Extraction extraction(made_of, columns);  // takes attributes of values, which asks Python about characters
    const Batch batch = without_gil([&] {
        Batch made = model.has_edges() ? encoded(model, extraction) : scored(model, extraction);
        decode(made, limits, threads, labels.data());
        return made;
    });
    append_tags(out, batch, labels, names);
    return Tags(out);
}

// Names and values of all features, for people to look at.
static auto list_features(const Template& made_of, const Columns& columns) {
    Extraction extraction(made_of, columns);
    using Named = std::vector<std::pair<std::string, double>>;
    std::vector<std::vector<Named>> out(columns.n_sequences());
    for (size_t s = 0; s < out.size(); ++s)
        for (size_t t = columns.bounds[s]; t < columns.bounds[s + 1]; ++t) {
            Named& named = out[s].emplace_back();
            const auto put = [&](uint32_t row, uint64_t, float value, const Extraction::Chosen& items) { named.emplace_back(extraction.name(row, items), value); };
            extraction.visit(s, t, [&](size_t g, size_t level) { extraction.each_of_group(g, level, put); }, put);
        }
    return out;
}

void bind_features(nb::module_& module) {
    using nb::arg;
    nb::class_<Columns>(module, "Columns")
        .def(nb::init<>())
        .def_prop_ro("n_sequences", &Columns::n_sequences)
        .def_prop_ro("n_tokens", &Columns::n_tokens)
        .def_prop_ro("bounds", [](const Columns& self) { return self.bounds; }, nb::rv_policy::copy)
        .def("set_bounds", [](Columns& self, In<int64_t> bounds) {
                if (!self.bounds.empty() || !bounds.size() || bounds.data()[0] != 0) throw std::invalid_argument("bounds come first, and start at 0");
                for (size_t k = 1; k < bounds.size(); ++k)
                    if (bounds.data()[k] < bounds.data()[k - 1]) throw std::invalid_argument("bounds never fall");
                self.bounds.assign(bounds.data(), bounds.data() + bounds.size());
            }, arg("bounds"))
        .def("add_tokens", &add_tokens, arg("names"), arg("sequences"))
        .def("add_codes", [](Columns& self, std::string name, In<int32_t> codes, nb::handle levels) { self.add(std::move(name), vector_of(codes), items_of(levels)); },
             arg("name"), arg("codes"), arg("levels"), "levels: a string, or a list of strings or (string, number) pairs, for each code.")
        .def("add_items", [](Columns& self, std::string name, nb::handle tokens) { self.add(std::move(name), counting(self.n_tokens()), items_of(tokens)); },
             arg("name"), arg("tokens"), "tokens: None, a string, or a list of strings or (string, number) pairs, for each token.")
        .def("add_soft", &add_soft, arg("name"), arg("levels"), arg("weights"), arg("least"))
        .def("pad", [](Columns& self, std::string name, const std::string& source) { self.pad(std::move(name), source); }, arg("name"), arg("source"),
             "A column that has words outside the sequence too.")
        .def("take", [](Columns& self, std::string name, const std::string& source, const std::vector<std::pair<std::string, int>>& steps) {
                self.derive(std::move(name), source, taken(*self.at(source).items, steps_of(steps)));
            }, arg("name"), arg("source"), arg("steps"), "A column of attributes that steps take of another's values.")
        .def("match", [](Columns& self, std::string name, const std::string& source, const Lexicon& lexicon) {
                const ItemColumn& from = self.at(source);
                Codes codes = lexicon.match(*from.codes, *from.items, self.bounds);
                Items items;
                for (const char* text : {"B", "I"}) items.add(text), items.end();
                self.add(std::move(name), std::move(codes), std::move(items));
            }, arg("name"), arg("source"), arg("lexicon"))
        .def("has", [](const Columns& self, const std::string& name) { return self.find(name) != nullptr; })
        .def("distinct", [](const Columns& self, const std::string& name) { return distinct_texts(*self.at(name).items); }, "The distinct texts of a column.")
        .def("codes", [](const Columns& self, const std::string& name) {
            const ItemColumn& column = self.at(name);
            std::vector<int32_t> first(column.codes->size(), -1);
            std::unordered_map<uint64_t, int32_t> numbers;
            for (uint64_t hash : column.items->hash) numbers.emplace(hash, static_cast<int32_t>(numbers.size()));
            for (size_t t = 0; t < first.size(); ++t) {
                const int32_t level = (*column.codes)[t];
                if (level >= 0 && column.items->begin[level] < column.items->begin[level + 1]) first[t] = numbers.at(column.items->hash[column.items->begin[level]]);
            }
            return first;
        }, "Of each token, the number of its first text among the distinct ones, or -1.")
        .def("translate", &translate, arg("name"), arg("source"), arg("texts"), "A column with what `texts` (distinct text -> strings) makes of another's items.");

    nb::class_<Lexicon>(module, "Lexicon").def("__init__", [](Lexicon* self, std::vector<std::vector<std::string>> entries) { new (self) Lexicon(entries); }, arg("entries"));

    using Steps = std::vector<std::pair<std::string, int>>;
    using Parts = std::vector<std::pair<uint32_t, int32_t>>;
    nb::class_<Template>(module, "Template")
        .def("__init__", [](Template* self, const std::vector<std::pair<std::string, Steps>>& attributes, std::vector<std::tuple<std::string, float, Parts>> rows) {
                std::vector<TemplateAttribute> made;
                for (const auto& [column, steps] : attributes) {
                    made.push_back({column, steps_of(steps)});
                }
                std::vector<TemplateRow> made_rows;
                for (auto& [name, value, parts] : rows) made_rows.push_back({name, value, parts});
                new (self) Template(std::move(made), std::move(made_rows));
            }, arg("attributes"), arg("rows"))
        .def("features", &list_features, arg("columns"))
        .def("extract_into", [](const Template& self, Dataset& data, const Columns& columns, nb::object labels, nb::object allowed, nb::object weights) {
                extract_into(data, self, columns, std::move(labels), std::move(allowed), std::move(weights));
            }, arg("data"), arg("columns"), arg("labels").none(), arg("allowed").none(), arg("weights").none())
        .def("encode", [](const Template& self, const Model& model, const Columns& columns) {
                Extraction extraction(self, columns);
                return encoded(model, extraction);
            },
             arg("model"), arg("columns"), nb::keep_alive<0, 2>())
        .def("tag", [](const Template& self, const Model& model, const Columns& columns, LabelNames names,
                       const Constraints& constraints, int threads) { return tag_columns(model, self, columns, std::move(names), constraints, threads); },
             arg("model"), arg("columns"), arg("label_names"), arg("constraints"), arg("threads"));
}

}  // namespace dovetail
