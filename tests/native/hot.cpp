// The innermost loops of training, decoding and hidden Markov models, as functions whose assembly test_kernels.py
// reads.
#include "chain/semiring.hpp"
#include "grid/kernels.hpp"
#include "hmm/products.hpp"

using namespace dovetail;

extern "C" {
[[gnu::flatten]] void grid_max(const GridProduct& p) { GridMax::product(p); }
[[gnu::flatten]] void grid_sum(const GridProduct& p) { GridSum::product(p); }
[[gnu::flatten]] void chain_sum(const float* previous, const float* edge, float* out) {
    SumProduct<float>::product<3>(previous, edge, out, 22, 24);
}
[[gnu::flatten]] void chain_sum_wide(const float* previous, const float* edge, float* out) {
    SumProduct<float>::product<6>(previous, edge, out, 44, 48);
}
[[gnu::flatten]] void chain_max(const float* previous, const float* edge, float* out) {
    MaxPlus<float>::product<3>(previous, edge, out, 22, 24);
}
[[gnu::flatten]] void states(const float* a, const float* b, float* out) {
    product<false>(a, 80, 1, b, 16, 80, out, 80);
}
[[gnu::flatten]] void exponentials_single(float* x) { store(x, exp(load(x))); }
[[gnu::flatten]] void exponentials_double(double* x) { store(x, exp(load(x))); }
}
