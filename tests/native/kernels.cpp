// Runs the kernels on made-up data and prints a checksum of the bytes of every result, a line each. Compiled for
// several CPU levels and architectures by test_kernels.py, which compares the lines.
#include <cstdio>
#include <memory>
#include <string>

#include "chain/pool.hpp"
#include "grid/kbest.hpp"
#include "grid/loopy/propagation.hpp"
#include "grid/posterior.hpp"
#include "grid/sparse/search.hpp"
#include "hmm/expectations.hpp"
#include "hmm/viterbi.hpp"
#include "linear/gram.hpp"
#include "linear/newton.hpp"
#include "optimize/dual.hpp"
#include "optimize/lbfgs.hpp"
#include "optimize/objective.hpp"
#include "optimize/perceptron.hpp"
#include "optimize/stochastic.hpp"
#include "representation/word_exchange.hpp"

using namespace dovetail;

template <class Values> void show(const char* name, const Values& values) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t k = 0; k < values.size() * sizeof(values[0]); ++k) hash = (hash ^ bytes[k]) * 0x100000001b3ull;
    std::printf("%s %016llx\n", name, static_cast<unsigned long long>(hash));
}
template <class R> std::vector<R> drawn(Random& random, size_t n, double low, double high) {
    std::vector<R> out(n);
    for (R& value : out) value = static_cast<R>(low + (high - low) * random.uniform());
    return out;
}

template <class R> void elementary(Random& random, const char* name) {
    std::vector<R> x = drawn<R>(random, 4096, -90, 80), out(x.size());
    for (size_t k = 0; k < x.size(); k += kLane) store(&out[k], exp(load(&x[k])));
    std::vector<R> sums;
    for (size_t k = 0; k < x.size(); k += kLane)
        sums.push_back(sum_of(load(&x[k]))), sums.push_back(largest_of(load(&x[k])));
    out.insert(out.end(), sums.begin(), sums.end());
    show(name, out);
}
void logarithms(Random& random) {
    std::vector<double> x = drawn<double>(random, 4096, 1, 1e6), out;
    for (double each : x)
        for (double value : {portable::log(each), portable::log(1 / each), portable::log1p(1 / each),
                             portable::exp(-each / 2000), portable::digamma(each / 1000)})
            out.push_back(value);
    for (size_t k = 0; k < x.size(); k += kLane) store(&x[k], log_from_one(load(&x[k])));
    out.insert(out.end(), x.begin(), x.end());
    show("logarithms", out);
}

// Words by chance, labels that depend on them.
std::shared_ptr<Dataset> sequences(Random& random, size_t n, size_t n_labels, bool valued) {
    auto data = std::make_shared<Dataset>();
    for (size_t y = 0; y < n_labels; ++y) data->labels.add(std::to_string(y).data(), std::to_string(y).size());
    for (size_t s = 0; s < n; ++s) {
        const size_t T = 1 + random.below(12);
        for (size_t t = 0; t < T; ++t) {
            if (!t) data->mark_start();
            const uint64_t word = random.below(200), label = (word + random.below(3)) % n_labels;
            for (const std::string& name :
                 {"w=" + std::to_string(word), "s=" + std::to_string(word % 7), std::string("b")})
                data->x.add(data->features.add(name.data(), name.size()),
                            valued ? static_cast<float>(0.25 + random.uniform()) : 1.0f);
            data->gold.push_back(static_cast<int32_t>(label));
            data->x.end_token();
        }
        data->mark_end();
        data->x.end_sequence();
    }
    return data;
}
void chain(Random& random, size_t n_labels, bool valued, const std::string& name) {
    const auto problem =
        std::make_shared<const Problem>(sequences(random, 60, n_labels, valued), LayoutOptions{1, false, false, {}, {}},
                                        Constraints{}, std::vector<float>{}, std::vector<float>{});
    const size_t n = problem->layout.size();
    std::vector<double> w = drawn<double>(random, n, -1, 1), g(n), found;
    found.push_back(Objective<float>(problem).evaluate(w.data(), g.data(), 0.1, 1));
    found.insert(found.end(), g.begin(), g.end());
    found.push_back(Objective<double>(problem).evaluate(w.data(), g.data(), 0.1, 1));
    found.insert(found.end(), g.begin(), g.end());
    Objective<double>(problem).curvature(w.data(), g.data(), 1);
    found.insert(found.end(), g.begin(), g.end());
    show((name + " objective").c_str(), found);
    if (!valued) {
        for (const double c1 : {0.0, 0.3}) {
            Dual dual(problem, c1, 0.1);
            for (uint64_t epoch = 0; epoch < 5; ++epoch) found.push_back(dual.epoch(epoch));
            found.push_back(dual.restart(w.data()));
            for (uint64_t epoch = 0; epoch < 5; ++epoch) found.push_back(dual.epoch(epoch));
            dual.weights(g.data());
            found.insert(found.end(), g.begin(), g.end());
        }
        show((name + " dual").c_str(), found);
    }
    Stochastic stochastic(problem, 0.1, w.data());
    for (uint64_t epoch = 0; epoch < 3; ++epoch) stochastic.epoch(0.1, epoch);
    stochastic.weights(g.data());
    show((name + " stochastic").c_str(), g);
    Perceptron perceptron(problem, w.data());
    for (uint64_t epoch = 0; epoch < 3; ++epoch) perceptron.epoch(epoch);
    perceptron.average(g.data());
    show((name + " perceptron").c_str(), g);
    LbfgsHistory history(n, 4);
    for (int k = 0; k < 6; ++k) {
        const auto s = drawn<double>(random, n, -1, 1);
        auto y = s;
        for (double& value : y) value *= 1 + random.uniform();
        history.push(s.data(), y.data());
    }
    history.direction(w.data(), nullptr, g.data());
    show((name + " history").c_str(), g);
}

void pool(Random& random, size_t L, double spread, const char* name) {
    const size_t T = 30;
    std::vector<uint8_t> allowed(T * L, 1);
    allowed[0] = 0;
    PoolPart part(L, {0, 1, 12, T}, allowed.data(), std::vector<double>(L * L, 0.0));
    part.add(drawn<double>(random, T * L, -spread, spread).data(), drawn<double>(random, L * L, -spread, spread));
    part.add(drawn<double>(random, T * L, -spread, spread).data(), drawn<double>(random, T * L * L, -spread, spread));
    const std::vector<double> w = drawn<double>(random, 2, 0, 1), bias = drawn<double>(random, L, -1, 1),
                              transitions = drawn<double>(random, L * L, -1, 1);
    const PoolExpectations found = expect_pool({&part, &part}, w.data(), bias.data(), transitions.data(), 1);
    std::vector<double> all{found.log_z};
    for (const auto* each : {&found.members, &found.labels, &found.transitions})
        all.insert(all.end(), each->begin(), each->end());
    show(name, all);
}

void grid(Random& random, const std::vector<size_t>& labels, double spread, const std::string& name,
          bool conditioned = false) {
    const size_t T = 40, N = labels.size();
    std::vector<std::vector<double>> scores;
    const auto held = [&](size_t n) { return scores.emplace_back(drawn<double>(random, n, -spread, spread)).data(); };
    scores.reserve(64);
    Grids grids;
    grids.labels = labels, grids.bounds = {0, 1, 15, T};
    for (size_t L : labels) grids.node.push_back(held(T * L)), grids.transition.push_back({held(L * L), false});
    for (size_t i = 1; i < N; ++i) grids.cotemporal.push_back({{i - 1, i}, held(T * labels[i - 1] * labels[i])});
    grids.lagged.push_back({1, 0, held(T * labels[1] * labels[0])});
    if (conditioned) {
        grids.conditioned.push_back({1, {0}, held(T * labels[0] * labels[1] * labels[1]), true});
        grids.conditioned.push_back({2, {0, 1}, held(labels[0] * labels[1] * labels[2] * labels[2]), false});
    }
    const auto expected = [&](const char* method, const GridExpectations& found) {
        std::vector<double> all = found.log_z;
        for (const auto* kind :
             {&found.labels, &found.transitions, &found.cotemporal, &found.lagged, &found.conditioned})
            for (const auto& each : *kind) all.insert(all.end(), each.begin(), each.end());
        show((name + method).c_str(), all);
    };
    const auto best = [&](const char* method, const GridLabels& found) {
        std::vector<double> all = found.scores;
        for (const auto& layer : found.labels) all.insert(all.end(), layer.begin(), layer.end());
        show((name + method).c_str(), all);
    };
    best(" best", grid_best(grids, 1));
    expected(" marginals", grid_expectations(grids, 1));
    GridKBest several(grids);
    several.run(2, 5);
    show((name + " k best").c_str(), several.scores);
    best(" sparse best", sparse_best(grids, {1e-3, 1000}, 1).first);
    expected(" sparse marginals", sparse_marginals(grids, {1e-3, 1000}, 1).first);
    expected(" beam marginals", sparse_marginals(grids, {0, 5}, 1).first);
    best(" loopy best", loopy_best(grids, {0.1, 30, 1e-6}, 1).first);
    expected(" loopy marginals", loopy_marginals(grids, {0.1, 30, 1e-6}, 1).first);
}

void hidden(Random& random) {
    const size_t V = 50, tokens = 600, K = 21;
    std::vector<int32_t> words, codes;
    for (size_t t = 0; t < tokens; ++t)
        words.push_back(static_cast<int32_t>(random.below(V))),
            codes.push_back(static_cast<int32_t>(random.below(4)) - 1);
    const std::vector<uint64_t> bounds{0, 5, 5, 90, 100, 300, tokens};
    const HmmPlan plan(words.data(), tokens, bounds.data(), bounds.size() - 1, V);
    const auto start = drawn<double>(random, K, 0.01, 1), transition = drawn<double>(random, K * K, 0.01, 1),
               emit = drawn<double>(random, V * K, 1e-4, 1), table = drawn<double>(random, 3 * K, -2, 2);
    const auto each = drawn<float>(random, tokens * K, 0, 3);
    const HmmParameters parameters{static_cast<int>(K), start.data(), transition.data(), emit.data()};
    const HmmCosts costs{{{codes.data(), 3, table.data()}}, each.data()};
    const auto counted = [&](const char* name, const HmmCounts& found) {
        std::vector<double> all = found.log_likelihood;
        for (const auto* part : {&found.start, &found.transitions, &found.emissions})
            all.insert(all.end(), part->begin(), part->end());
        for (const auto& part : found.codes) all.insert(all.end(), part.begin(), part.end());
        show(name, all);
    };
    counted("hidden states, single", HmmExpectations<float>(plan, parameters, {}, 1).counts());
    counted("hidden states, single, with costs", HmmExpectations<float>(plan, parameters, costs, 1).counts());
    counted("hidden states, double", HmmExpectations<double>(plan, parameters, costs, 1).counts());
    std::vector<int32_t> states(tokens);
    HmmViterbi(plan, parameters, costs).run(1, states.data());
    show("hidden states, best", states);
    WordExchange exchange(words.data(), tokens, bounds.data(), bounds.size() - 1, V, 6, 1);
    exchange.add_codes(words.data(), codes.data(), tokens, 3, 0.3);
    for (int sweep = 0; sweep < 4; ++sweep) exchange.sweep();
    show("word classes", exchange.classes());
}

template <class Loss> void linear(Random& random, const char* name) {
    const auto data = sequences(random, 60, 4, true);
    std::vector<uint64_t> tokens(data->x.n_tokens());
    for (size_t t = 0; t < tokens.size(); ++t) tokens[t] = t;
    const LinearRows rows(*data, tokens.data(), tokens.size(), 1);
    const auto dense = drawn<float>(random, rows.size() * 3, -1, 1);
    const LinearSettings settings{1e-3, 1e-4, 50};
    LinearDual<Loss> dual(rows, dense.data(), 3, settings);
    dual.fit(data->gold.data(), 1, 20);
    LinearNewton<Loss> newton(rows, dense.data(), 3, settings);
    newton.fit(data->gold.data(), 1, dual.weights);
    std::vector<float> all = dual.weights;
    all.insert(all.end(), newton.weights.begin(), newton.weights.end());
    show(name, all);
    const auto coefficients = drawn<float>(random, rows.size() * 2, -1, 1);
    std::vector<double> gram(4);
    LinearGram({{&rows, coefficients.data(), 2}}, nullptr, 1).run(1, gram.data());
    show("products of predictors", gram);
}

int main() {
    Random random(1);
    elementary<float>(random, "exponentials, single");
    elementary<double>(random, "exponentials, double");
    logarithms(random);
    for (size_t labels : {3, 9, 22, 44, 60})
        chain(random, labels, labels == 9, "chain of " + std::to_string(labels) + " labels");
    grid(random, {5, 9}, 2, "grid");
    grid(random, {4, 11, 3}, 5, "three layers");
    Random other(7);
    grid(other, {3, 5, 6}, 2, "given labels", true);
    grid(random, {5, 9}, 300, "grid in logarithms");
    hidden(random);
    linear<ModifiedHuber>(random, "modified Huber");
    linear<Logistic>(random, "logistic");
    pool(random, 9, 3, "pool");
    pool(random, 5, 400, "pool in logarithms");
}
