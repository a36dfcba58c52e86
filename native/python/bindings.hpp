// The parts of the seam to Python, a translation unit each.
#pragma once
#include <nanobind/nanobind.h>

namespace dovetail {

void bind_training(nanobind::module_& module);
void bind_inference(nanobind::module_& module);
void bind_dataset(nanobind::module_& module);
void bind_columns(nanobind::module_& module);
void bind_templates(nanobind::module_& module);
void bind_latent(nanobind::module_& module);
void bind_grid(nanobind::module_& module);
void bind_grid_approximate(nanobind::module_& module);
void bind_hmm(nanobind::module_& module);
void bind_linear(nanobind::module_& module);
void bind_numeric(nanobind::module_& module);
void bind_import(nanobind::module_& module);
void bind_pool(nanobind::module_& module);
void bind_shards(nanobind::module_& module);

}  // namespace dovetail
