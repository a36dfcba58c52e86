// Python feature objects in: a token is a list (tuple, set) of strings or a dict from string to number; the values
// of a dict may also be strings ("key:value"), lists or sets of strings, or dicts again, as python-crfsuite has it.
#pragma once
#include <nanobind/nanobind.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "core/hash.hpp"

namespace dovetail {
namespace nb = nanobind;

struct ItemError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Text {
    const char* data;
    size_t size;
};

inline Text utf8(PyObject* object) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(object, &size);
    if (!data) {
        PyErr_Clear();
        throw ItemError("holds a string that is not valid Unicode (a lone surrogate)");
    }
    return {data, static_cast<size_t>(size)};
}

inline std::string format_number(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

inline std::string type_name(PyObject* object) {
    return nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object))).attr("__name__"));
}

inline bool is_iterable(PyObject* object) {
    if (PyList_Check(object)) return true;
    const nb::object iterator = nb::steal(PyObject_GetIter(object));
    PyErr_Clear();
    return iterator.is_valid();
}

// Calls visit(item) for each member of a list, tuple or any other iterable.
template <class Visit> void each_item(PyObject* items, Visit visit) {
    if (PyList_Check(items)) {
        for (Py_ssize_t i = 0; i < PyList_Size(items); ++i) visit(PyList_GetItem(items, i));
    } else if (PyTuple_Check(items)) {
        for (Py_ssize_t i = 0; i < PyTuple_Size(items); ++i) visit(PyTuple_GetItem(items, i));
    } else {
        PyObject* iterator = PyObject_GetIter(items);
        if (!iterator) {
            PyErr_Clear();
            throw ItemError("is of type " + type_name(items) + ", which cannot be iterated over");
        }
        const nb::object owner = nb::steal(iterator);
        while (PyObject* item = PyIter_Next(iterator)) {
            const nb::object held = nb::steal(item);
            visit(item);
        }
        if (PyErr_Occurred()) throw nb::python_error();
    }
}

// The members of a set in sorted order, so that results do not depend on Python's hash seed; other things as they are.
inline nb::object in_fixed_order(PyObject* items) {
    if (!PyAnySet_Check(items)) return nb::borrow(items);
    nb::object list = nb::steal(PySequence_List(items));
    if (!list.is_valid()) throw nb::python_error();
    if (PyList_Sort(list.ptr())) {
        PyErr_Clear();
        throw ItemError("has a set whose members are not all strings");
    }
    return list;
}

class TokenReader {
public:
    // Calls add(key, text, value) for each feature of the token. Add::kSkipsZero: but for those whose value is 0.
    template <class Add> void read(PyObject* token, Add add) {
        if (PyDict_Check(token)) {
            prefix_.clear();
            return read_dict(token, add);
        }
        if (PyUnicode_Check(token))
            throw ItemError("is a single string; give a list of feature strings, or a dict from string to number");
        pending_.clear();
        const bool fleeting = !PyList_Check(token) && !PyTuple_Check(token);
        std::vector<nb::object> kept;  // what an iterator yields lives no longer than we hold it
        const nb::object features = in_fixed_order(token);
        each_item(features.ptr(), [&](PyObject* item) {
            if (fleeting) kept.push_back(nb::borrow(item));
            if (!PyUnicode_Check(item))
                throw ItemError("has a feature of type " + type_name(item) + " where a string was expected");
            const Text text = utf8(item);
            pending_.push_back({text, key_of(text.data, text.size)});
        });
        add.prefetch(pending_);
        for (const auto& [text, key] : pending_) add(key, text.data, text.size, 1.0f);
    }
    struct Keyed {
        Text text;
        uint64_t key;
    };

private:
    struct Nested {  // Python's own limit of recursion, left behind however the reading ends
        Nested() {
            if (!Py_EnterRecursiveCall(" while reading nested features")) return;
            PyErr_Clear();
            throw ItemError("has features nested too deeply");
        }
        ~Nested() { Py_LeaveRecursiveCall(); }
    };
    template <class Add> void emit(Add& add, double value) {
        const auto narrow = static_cast<float>(value);
        if (!std::isfinite(narrow))
            throw ItemError("has the value " + format_number(value) + " for feature '" + prefix_ +
                            "'; give a number between -3.4e38 and 3.4e38");
        if (Add::kSkipsZero && narrow == 0.0f) return;
        add(key_of(prefix_.data(), prefix_.size()), prefix_.data(), prefix_.size(), narrow);
    }
    template <class Add> void read_dict(PyObject* dict, Add& add) {
        const nb::object held = nb::borrow(dict);  // a value's own code may let go of it
        const size_t length = prefix_.size();
        PyObject *key, *value;
        Py_ssize_t position = 0;
        while (PyDict_Next(dict, &position, &key, &value)) {
            if (!PyUnicode_Check(key))
                throw ItemError("has a feature name of type " + type_name(key) + " where a string was expected");
            if (Add::kSkipsZero && value == Py_False) continue;
            const Text name = utf8(key);
            prefix_.append(name.data, name.size);
            read_value(value, add);
            prefix_.resize(length);
        }
    }
    template <class Add> void read_value(PyObject* value, Add& add) {
        if (PyFloat_Check(value) || PyLong_Check(value)) {  // bool is a kind of int
            const double number = PyFloat_AsDouble(value);
            if (number == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                throw ItemError("has a value for feature '" + prefix_ + "' that does not fit a number");
            }
            return emit(add, number);
        }
        const size_t length = prefix_.size();
        prefix_.push_back(':');
        if (PyUnicode_Check(value)) {
            const Text text = utf8(value);
            prefix_.append(text.data, text.size);
            emit(add, 1.0);
        } else if (PyDict_Check(value)) {
            const Nested depth;
            read_dict(value, add);
        } else if (PyList_Check(value) || PyTuple_Check(value) || PyAnySet_Check(value)) {
            const nb::object members = in_fixed_order(value);
            each_item(members.ptr(), [&](PyObject* item) {
                if (!PyUnicode_Check(item))
                    throw ItemError("has a value of type " + type_name(item) + " in feature '" + prefix_ +
                                    "' where a string was expected");
                const size_t here = prefix_.size();
                const Text text = utf8(item);
                prefix_.append(text.data, text.size);
                emit(add, 1.0);
                prefix_.resize(here);
            });
        } else {
            const nb::object held = nb::borrow(value);
            const double number = PyFloat_AsDouble(value);  // NumPy scalars and their like
            if (number == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                prefix_.resize(length);
                throw ItemError("has a value of type " + type_name(value) + " for feature '" + prefix_ +
                                "' where a number or a string was expected");
            }
            prefix_.resize(length);
            return emit(add, number);
        }
        prefix_.resize(length);
    }
    std::string prefix_;
    std::vector<Keyed> pending_;
};

}  // namespace dovetail
