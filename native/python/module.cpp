// The seam to Python: arrays and plain values in and out, the GIL released around the work, no policy.
#include <nanobind/nanobind.h>

#include "python/bindings.hpp"

#define DOVETAIL_QUOTED(name) #name
#define DOVETAIL_TEXT(name) DOVETAIL_QUOTED(name)

// One module a CPU level, named after it.
NB_MODULE(DOVETAIL_LEVEL, module) {
    module.attr("LEVEL") = DOVETAIL_TEXT(DOVETAIL_LEVEL);
    module.doc() = "Kernels of Dovetail: feature index, linear-chain CRF training and inference.";
    nanobind::set_leak_warnings(false);  // objects alive when the interpreter ends are no leak of ours
    dovetail::bind_dataset(module);
    dovetail::bind_training(module);
    dovetail::bind_inference(module);
    dovetail::bind_columns(module);
    dovetail::bind_templates(module);
    dovetail::bind_latent(module);
    dovetail::bind_grid(module);
    dovetail::bind_grid_approximate(module);
    dovetail::bind_hmm(module);
    dovetail::bind_linear(module);
    dovetail::bind_numeric(module);
    dovetail::bind_import(module);
    dovetail::bind_pool(module);
    dovetail::bind_shards(module);
}
