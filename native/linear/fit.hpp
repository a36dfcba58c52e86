// Linear classifiers for several labels, each against all others: dual ascent, then Newton's method where that is slow.
#pragma once
#include <memory>
#include <numeric>

#include "linear/newton.hpp"

namespace dovetail {

struct LinearFits {
    std::vector<float> weights, block_weights,
        coefficients;  // [k x F], [k x h], [k x rows]; one of the first and last is empty
    std::vector<double> objective;
    std::vector<int64_t> iterations;
};

constexpr int kAscentLooks = 40;  // before Newton's method takes over

// Labels by how many rows have them: these take longest, and should not be left for the end, when other threads are
// done.
inline std::vector<size_t> frequent_first(const int32_t* codes, size_t rows, const std::vector<int32_t>& positives) {
    std::vector<std::ptrdiff_t> count;
    for (int32_t code : positives) count.push_back(std::count(codes, codes + rows, code));
    std::vector<size_t> order(positives.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return count[a] > count[b]; });
    return order;
}

// A classifier for each of k labels against all others. Kept are its weights, or the fewer coefficients of rows that
// they follow from.
template <class Loss>
LinearFits fit_linear(const LinearRows& rows, const int32_t* codes, const std::vector<int32_t>& positives,
                      const float* dense, size_t h, const LinearSettings& settings, bool keep_weights, int threads) {
    const size_t k = positives.size(), C = rows.n_columns(), F = rows.features().size(), n = rows.size();
    LinearFits out;
    if (keep_weights) out.weights.resize(k * F);
    else out.coefficients.resize(k * n);
    out.block_weights.resize(k * h), out.objective.resize(k), out.iterations.resize(k);
    std::vector<std::unique_ptr<LinearDual<Loss>>> workers(static_cast<size_t>(std::max(1, threads)));
    const std::vector<size_t> order = frequent_first(codes, n, positives);
    parallel(k, threads, [&](size_t task, size_t worker) {
        const size_t j = order[task];
        auto& own = workers[worker];
        if (!own) own = std::make_unique<LinearDual<Loss>>(rows, dense, h, settings);
        const int looks = std::min(kAscentLooks, settings.max_iterations);
        LinearFit found = own->fit(codes, positives[j], looks);
        if (!found.enough) {
            LinearNewton<Loss> newton(rows, dense, h, settings);
            LinearFit more = newton.fit(codes, positives[j], own->weights);
            more.iterations += found.iterations;
            // Coefficients give the weights of ascent exactly, those of Newton's method only at the minimum.
            if (keep_weights) own->weights = newton.weights;
            else more.objective = own->resume(newton.weights, looks).objective;
            found = more;
        }
        out.objective[j] = found.objective, out.iterations[j] = found.iterations;
        if (keep_weights) rows.expand_weights(own->weights.data(), &out.weights[j * F]);
        else own->coefficients(&out.coefficients[j * n]);
        std::copy_n(own->weights.data() + C, h, out.block_weights.data() + j * h);
    });
    return out;
}

}  // namespace dovetail
