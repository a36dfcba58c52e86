// A hidden Markov model's parameters as the recursions want them, and costs of states at single tokens.
//
//   p(x, y) = start[y_1] prod_t transition[y_{t-1}][y_t] emit[x_t][y_t] exp(-sum of costs of y_t at t)
//
// Rows of emissions and of exp(-cost) are divided by their largest number, whose logarithm is kept beside them.
#pragma once
#include <cmath>

#include "core/elementary.hpp"
#include "core/parallel.hpp"
#include "hmm/plan.hpp"
#include "hmm/products.hpp"

namespace dovetail {

struct HmmParameters {  // as Python holds them
    int K;
    const double* start;       // [K]
    const double* transition;  // [K x K], from x to
    const double* emit;        // [V x K]
};

// A cost for each state, from a table with a row for each code; a token with the code -1 has none.
struct HmmCost {
    const int32_t* codes;  // [tokens]
    size_t n_codes;
    const double* table;  // [codes x K]
};

struct HmmCosts {
    std::vector<HmmCost> tables;
    const float* each = nullptr;  // [tokens x K], or none
    bool any() const { return each || !tables.empty(); }
};

// Smaller transitions count as 0 in single precision: what is divided by them would not fit.
template <class R> constexpr R kLeastTransition = sizeof(R) == sizeof(float) ? R(1e-30) : R(1e-280);
// A sum below this may have lost what matters; the chunk is then computed again in double precision.
template <class R> constexpr R kLeastSum = sizeof(R) == sizeof(float) ? R(1e-25) : R(0);

template <class R> struct HmmCostFactors {
    const int32_t* codes;
    Array<R> factors;            // [codes x Kp], the largest of each row is 1
    std::vector<double> offset;  // [codes], logarithm of what was taken out

    HmmCostFactors(const HmmCost& cost, int K, int Kp)
        : codes(cost.codes), factors(cost.n_codes * Kp), offset(cost.n_codes) {
        for (size_t c = 0; c < cost.n_codes; ++c) {
            const double* row = cost.table + c * K;
            const double least = *std::min_element(row, row + K);
            offset[c] = -least;
            for (int k = 0; k < K; ++k) factors[c * Kp + k] = static_cast<R>(portable::exp(least - row[k]));
        }
    }
};

template <class R> struct HmmTables {
    int K, Kp;
    Array<R> start, transition, transposed;  // [Kp], [K x Kp], and its transpose
    Array<R> emit;                           // [V x Kp]
    std::vector<double> log_scale;           // [V]
    std::vector<HmmCostFactors<R>> cost_factors;
    const float* each;

    HmmTables(const HmmParameters& from, size_t V, const HmmCosts& costs, int threads)
        : K(from.K),
          Kp(padded_states(K)),
          start(Kp),
          transition(size_t(K) * Kp),
          transposed(size_t(K) * Kp),
          emit(V * Kp),
          log_scale(V),
          each(costs.each) {
        for (int i = 0; i < K; ++i) {
            start[i] = static_cast<R>(from.start[i]);
            for (int j = 0; j < K; ++j) {
                const R p = static_cast<R>(from.transition[size_t(i) * K + j]);
                transition[size_t(i) * Kp + j] = transposed[size_t(j) * Kp + i] = p >= kLeastTransition<R> ? p : R(0);
            }
        }
        for (const HmmCost& cost : costs.tables) cost_factors.emplace_back(cost, K, Kp);
        const size_t block = 1024;
        parallel((V + block - 1) / block, threads, [&](size_t task, size_t) {
            for (size_t v = task * block; v < std::min(V, (task + 1) * block); ++v) {
                const double* row = from.emit + v * K;
                const double most = *std::max_element(row, row + K), scale = most > 0 ? 1 / most : 0;
                log_scale[v] = portable::log(most);
                for (int k = 0; k < K; ++k) emit[v * Kp + k] = static_cast<R>(row[k] * scale);
            }
        });
    }
    bool has_costs() const { return each || !cost_factors.empty(); }
};

}  // namespace dovetail
