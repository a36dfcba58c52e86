// Python's view of columns of tokens.
#include "features/lexicon.hpp"
#include "python/arrays.hpp"
#include "python/attributes.hpp"
#include "python/bindings.hpp"
#include "python/token_reader.hpp"

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
    if (!self.bounds.empty() || names.empty())
        throw std::invalid_argument("tokens come first, and have at least one column");
    std::vector<ValueCodes> values(names.size());
    std::vector<uint64_t> bounds{0};
    uint64_t tokens = 0;
    size_t token = 0;
    const auto read = [&](PyObject* item) {
        ++token, ++tokens;
        if (PyUnicode_Check(item) || item == Py_None) {
            if (names.size() > 1)
                throw ItemError("is one string where the columns " + names[0] + ", " + names[1] +
                                (names.size() > 2 ? ", ..." : "") + " were expected: give a tuple");
            return values[0].add(item);
        }
        if (!PyTuple_Check(item) && !PyList_Check(item))
            throw ItemError("is of type " + type_name(item) + " where a string" +
                            (names.size() > 1 ? ", or a tuple of strings," : "") + " was expected");
        size_t k = 0;
        each_item(item, [&](PyObject* value) {
            if (k < names.size()) values[k].add(value);
            ++k;
        });
        if (k != names.size())
            throw ItemError("has " + std::to_string(k) + " values where " + std::to_string(names.size()) +
                            " were expected");
    };
    each_item(sequences.ptr(), [&](PyObject* sequence) {
        token = 0;
        try {
            if (PyUnicode_Check(sequence)) throw ItemError("is a single string; give a list of tokens");
            each_item(sequence, read);
        } catch (const ItemError& error) {
            throw ItemError("sequence " + std::to_string(bounds.size()) +
                            (token ? " token " + std::to_string(token) : "") + " " + error.what());
        }
        bounds.push_back(tokens);
    });
    self.bounds = std::move(bounds);
    for (size_t k = 0; k < names.size(); ++k)
        self.add(names[k], std::move(values[k].codes), std::move(values[k].items));
}

static Items read_items(nb::handle lists) {
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
                if (!nb::try_cast(nb::handle(item), pair))
                    throw ItemError("a token has " + type_name(item) +
                                    " where a string, or a pair of a string and a number, was expected");
                out.soft = true;
                const Text text = utf8(pair.first.ptr());
                if (!std::isfinite(static_cast<float>(pair.second)))
                    throw ItemError("a value is " + format_number(pair.second) +
                                    "; give a number between -3.4e38 and 3.4e38");
                out.add({text.data, text.size}, static_cast<float>(pair.second));
            });
        }
        out.end();
    });
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

void bind_columns(nb::module_& module) {
    using nb::arg;
    nb::class_<Columns>(module, "Columns")
        .def(nb::init<>())
        .def_prop_ro("n_sequences", &Columns::n_sequences)
        .def_prop_ro("n_tokens", &Columns::n_tokens)
        .def_prop_ro(
            "bounds", [](const Columns& self) { return self.bounds; }, nb::rv_policy::copy)
        .def(
            "set_bounds",
            [](Columns& self, In<int64_t> bounds) {
                if (!self.bounds.empty() || !bounds.size() || bounds.data()[0] != 0)
                    throw std::invalid_argument("bounds come first, and start at 0");
                for (size_t k = 1; k < bounds.size(); ++k)
                    if (bounds.data()[k] < bounds.data()[k - 1]) throw std::invalid_argument("bounds never fall");
                self.bounds.assign(bounds.data(), bounds.data() + bounds.size());
            },
            arg("bounds"))
        .def("add_tokens", &add_tokens, arg("names"), arg("sequences"))
        .def(
            "add_codes",
            [](Columns& self, std::string name, In<int32_t> codes, nb::handle levels) {
                self.add(std::move(name), to_vector(codes), read_items(levels));
            },
            arg("name"), arg("codes"), arg("levels"),
            "levels: a string, or a list of strings or (string, number) pairs, for each code.")
        .def(
            "add_items",
            [](Columns& self, std::string name, nb::handle tokens) { self.add(std::move(name), read_items(tokens)); },
            arg("name"), arg("tokens"),
            "tokens: None, a string, or a list of strings or (string, number) pairs, for each token.")
        .def(
            "add_soft",
            [](Columns& self, std::string name, const std::vector<std::string>& levels, In<float> weights,
               float least) {
                check_size(weights.size(), self.n_tokens() * levels.size(), name.c_str());
                self.add_soft(std::move(name), levels, weights.data(), least);
            },
            arg("name"), arg("levels"), arg("weights"), arg("least"))
        .def(
            "pad",
            [](Columns& self, std::string name, const std::string& source) { self.pad(std::move(name), source); },
            arg("name"), arg("source"), "A column that has words outside the sequence too.")
        .def(
            "add_attribute",
            [](Columns& self, std::string name, const std::string& source, const NamedSteps& steps) {
                self.derive(std::move(name), source, apply_steps(*self.at(source).items, parse_steps(steps)));
            },
            arg("name"), arg("source"), arg("steps"),
            "Adds a column of attributes computed from the values of another column, step by step.")
        .def(
            "match",
            [](Columns& self, std::string name, const std::string& source, const Lexicon& lexicon) {
                lexicon.add_matches(self, std::move(name), source);
            },
            arg("name"), arg("source"), arg("lexicon"))
        .def("has", [](const Columns& self, const std::string& name) { return self.find(name) != nullptr; })
        .def(
            "distinct",
            [](const Columns& self, const std::string& name) { return distinct_texts(*self.at(name).items); },
            "The distinct texts of a column.")
        .def(
            "codes", [](const Columns& self, const std::string& name) { return first_text_codes(self.at(name)); },
            "Of each token, the number of its first text among the distinct ones, or -1.")
        .def("translate", &translate, arg("name"), arg("source"), arg("texts"),
             "A column with what `texts` (distinct text -> strings) makes of another's items.");

    nb::class_<Lexicon>(module, "Lexicon")
        .def(
            "__init__",
            [](Lexicon* self, std::vector<std::vector<std::string>> entries) { new (self) Lexicon(entries); },
            arg("entries"));
}

}  // namespace dovetail
