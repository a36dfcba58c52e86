// dovetail._native._cpu: which kernels this machine can run, and which ones this build has.
#include <Python.h>

#include "cpu/levels.hpp"

namespace {

PyObject* tuple_of(const char* const* names, int n) {
    PyObject* tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; ++i) {
        PyObject* name = PyUnicode_FromString(names[i]);
        if (!name || PyTuple_SetItem(tuple, i, name) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

int add(PyObject* module, const char* name, PyObject* value) {
    const int failed = value ? PyModule_AddObjectRef(module, name, value) : -1;
    Py_XDECREF(value);
    return failed;
}

int fill(PyObject* module) {
    const char* const built[] = {DOVETAIL_BUILT_LEVELS};
    const char* runnable[dovetail::kMostLevels];
    const int n = dovetail::cpu_levels(runnable);
    if (add(module, "RUNNABLE", tuple_of(runnable, n))) return -1;
    return add(module, "BUILT", tuple_of(built, sizeof built / sizeof *built));
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(fill)}, {0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_cpu",
                          "CPU levels that this machine can run and this build has.",
                          0,
                          nullptr,
                          slots,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__cpu() { return PyModuleDef_Init(&definition); }
