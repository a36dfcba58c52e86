// The seam to Python: arrays and plain values in and out, the GIL released around the work, no policy.
#include <nanobind/nanobind.h>

#include "bind_features.hpp"
#include "bind_grid.hpp"
#include "bind_grid_approximate.hpp"
#include "bind_hmm.hpp"
#include "bind_import.hpp"
#include "bind_inference.hpp"
#include "bind_latent.hpp"
#include "bind_linear.hpp"
#include "bind_numeric.hpp"
#include "bind_training.hpp"

NB_MODULE(_native, module) {
    module.doc() = "Kernels of Dovetail: feature index, linear-chain CRF training and inference.";
    nanobind::set_leak_warnings(false);  // objects alive when the interpreter ends are no leak of ours
    dovetail::bind_training(module);
    dovetail::bind_inference(module);
    dovetail::bind_features(module);
    dovetail::bind_latent(module);
    dovetail::bind_grid(module);
    dovetail::bind_grid_approximate(module);
    dovetail::bind_hmm(module);
    dovetail::bind_linear(module);
    dovetail::bind_numeric(module);
    dovetail::bind_import(module);
}
