// Python's view of hidden Markov models and of word classes.
#include <nanobind/stl/optional.h>

#include "hmm/expectations.hpp"
#include "hmm/viterbi.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "representation/word_exchange.hpp"

namespace dovetail {

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using EachCost = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using CodedCosts = std::vector<std::pair<In<int32_t>, Table>>;

static void check_shape(const Table& table, size_t rows, size_t columns, const char* what) {
    if (table.shape(0) != rows || table.shape(1) != columns)
        throw std::invalid_argument(std::string(what) + " has the shape " + std::to_string(table.shape(0)) + " x " +
                                    std::to_string(table.shape(1)) + " where " + std::to_string(rows) + " x " +
                                    std::to_string(columns) + " was expected");
}

static void check_words(const In<int32_t>& words, const In<uint64_t>& bounds, size_t n_words) {
    if (!bounds.size() || bounds.data()[0] != 0 || bounds.data()[bounds.size() - 1] != words.size())
        throw std::invalid_argument("bounds must run from 0 to the number of tokens");
    for (size_t s = 1; s < bounds.size(); ++s)
        if (bounds.data()[s] < bounds.data()[s - 1]) throw std::invalid_argument("bounds must never fall");
    if (words.size() >= UINT32_MAX || n_words >= UINT32_MAX)
        throw std::length_error("too many tokens or words for one model");
    for (size_t t = 0; t < words.size(); ++t)
        if (words.data()[t] < 0 || static_cast<size_t>(words.data()[t]) >= n_words)
            throw std::invalid_argument("token " + std::to_string(t + 1) + " has the word number " +
                                        std::to_string(words.data()[t]) + " in a vocabulary of " +
                                        std::to_string(n_words));
}

// A model's parameters and costs, checked against the sequences that they are for.
struct HmmInput {
    HmmParameters parameters;
    HmmCosts costs;

    HmmInput(const HmmPlan& plan, const In<double>& start, const Table& transition, const Table& emit,
             const CodedCosts& coded, const std::optional<EachCost>& each)
        : parameters{static_cast<int>(start.size()), start.data(), transition.data(), emit.data()} {
        const size_t K = start.size();
        if (!K || K >= 65536)
            throw std::invalid_argument("a model has between 1 and 65,535 states, not " + std::to_string(K));
        check_shape(transition, K, K, "transitions");
        check_shape(emit, plan.n_words, K, "emissions");
        for (const auto& [codes, table] : coded) {
            check_shape(table, table.shape(0), K, "a table of costs");
            check_size(codes.size(), plan.n_tokens, "codes");
            for (size_t t = 0; t < codes.size(); ++t)
                if (codes.data()[t] < -1 || codes.data()[t] >= static_cast<int64_t>(table.shape(0)))
                    throw std::invalid_argument("a token has a code that its table of costs does not have");
            costs.tables.push_back({codes.data(), table.shape(0), table.data()});
        }
        if (!each) return;
        if (each->shape(0) != plan.n_tokens || each->shape(1) != K)
            throw std::invalid_argument("costs of tokens must have the shape tokens x states");
        costs.each = each->data();
    }
};

template <class R> static nb::tuple hmm_counts(const HmmPlan& plan, const HmmInput& input, int threads) {
    HmmCounts found =
        without_gil([&] { return HmmExpectations<R>(plan, input.parameters, input.costs, threads).counts(); });
    const auto K = static_cast<size_t>(input.parameters.K);
    nb::list codes;
    for (auto& sums : found.codes) {
        const size_t rows = sums.size() / K;
        codes.append(to_numpy(std::move(sums), {rows, K}));
    }
    return nb::make_tuple(to_numpy(std::move(found.log_likelihood)), to_numpy(std::move(found.start)),
                          to_numpy(std::move(found.transitions), {K, K}),
                          to_numpy(std::move(found.emissions), {plan.n_words, K}), codes);
}

template <class R> static nb::object hmm_posteriors(const HmmPlan& plan, const HmmInput& input, int threads) {
    const auto K = static_cast<size_t>(input.parameters.K);
    std::vector<R> out(plan.n_tokens * K);
    without_gil([&] { HmmExpectations<R>(plan, input.parameters, input.costs, threads).posteriors(out.data()); });
    return nb::cast(to_numpy(std::move(out), {plan.n_tokens, K}));
}

void bind_hmm(nb::module_& module) {
    using nb::arg;
    using Each = std::optional<EachCost>;
    nb::class_<HmmPlan>(module, "HmmSequences")
        .def(
            "__init__",
            [](HmmPlan* self, In<int32_t> words, In<uint64_t> bounds, size_t n_words) {
                check_words(words, bounds, n_words);
                new (self) HmmPlan(words.data(), words.size(), bounds.data(), bounds.size() - 1, n_words);
            },
            arg("words"), arg("bounds"), arg("n_words"))
        .def_prop_ro("n_tokens", [](const HmmPlan& self) { return self.n_tokens; })
        .def_prop_ro("n_sequences", [](const HmmPlan& self) { return self.n_sequences; })
        .def_prop_ro("n_words", [](const HmmPlan& self) { return self.n_words; })
        .def(
            "counts",
            [](const HmmPlan& self, In<double> start, Table transitions, Table emissions, CodedCosts coded, Each each,
               bool exact, int threads) {
                const HmmInput input(self, start, transitions, emissions, coded, each);
                return exact ? hmm_counts<double>(self, input, threads) : hmm_counts<float>(self, input, threads);
            },
            arg("start"), arg("transitions"), arg("emissions"), arg("coded_costs"), arg("costs").none(), arg("exact"),
            arg("threads"),
            "Log-likelihood of each sequence, expected counts of starts, transitions and emissions, and of states for "
            "each code of each table of costs.")
        .def(
            "log_likelihoods",
            [](const HmmPlan& self, In<double> start, Table transitions, Table emissions, CodedCosts coded, Each each,
               bool exact, int threads) {
                const HmmInput input(self, start, transitions, emissions, coded, each);
                return to_numpy(without_gil([&] {
                    return exact
                               ? HmmExpectations<double>(self, input.parameters, input.costs, threads).log_likelihoods()
                               : HmmExpectations<float>(self, input.parameters, input.costs, threads).log_likelihoods();
                }));
            },
            arg("start"), arg("transitions"), arg("emissions"), arg("coded_costs"), arg("costs").none(), arg("exact"),
            arg("threads"))
        .def(
            "posteriors",
            [](const HmmPlan& self, In<double> start, Table transitions, Table emissions, CodedCosts coded, Each each,
               bool exact, int threads) {
                const HmmInput input(self, start, transitions, emissions, coded, each);
                return exact ? hmm_posteriors<double>(self, input, threads)
                             : hmm_posteriors<float>(self, input, threads);
            },
            arg("start"), arg("transitions"), arg("emissions"), arg("coded_costs"), arg("costs").none(), arg("exact"),
            arg("threads"), "Probabilities of states, [tokens x states].")
        .def(
            "best_states",
            [](const HmmPlan& self, In<double> start, Table transitions, Table emissions, CodedCosts coded, Each each,
               int threads) {
                const HmmInput input(self, start, transitions, emissions, coded, each);
                std::vector<int32_t> states(self.n_tokens);
                without_gil([&] { HmmViterbi(self, input.parameters, input.costs).run(threads, states.data()); });
                return to_numpy(std::move(states));
            },
            arg("start"), arg("transitions"), arg("emissions"), arg("coded_costs"), arg("costs").none(),
            arg("threads"));
    nb::class_<WordExchange>(module, "WordExchange")
        .def(
            "__init__",
            [](WordExchange* self, In<int32_t> words, In<uint64_t> bounds, size_t n_words, size_t n_classes,
               uint64_t seed) {
                check_words(words, bounds, n_words);
                new (self) WordExchange(words.data(), words.size(), bounds.data(), bounds.size() - 1, n_words,
                                        n_classes, seed);
            },
            arg("words"), arg("bounds"), arg("n_words"), arg("n_classes"), arg("seed"))
        .def(
            "add_codes",
            [](WordExchange& self, In<int32_t> words, In<int32_t> codes, size_t n_codes, double weight) {
                if (words.size() != codes.size()) throw std::invalid_argument("there must be one code a token");
                for (size_t t = 0; t < words.size(); ++t)
                    if (words.data()[t] < 0 || static_cast<size_t>(words.data()[t]) >= self.n_words() ||
                        codes.data()[t] >= static_cast<int64_t>(n_codes))
                        throw std::invalid_argument("token " + std::to_string(t + 1) +
                                                    " has a word or a code that there is not");
                self.add_codes(words.data(), codes.data(), words.size(), n_codes, weight);
            },
            arg("words"), arg("codes"), arg("n_codes"), arg("weight"),
            "Makes the classes predict one code per token as well; a negative weight makes them avoid predicting it.")
        .def(
            "sweep", [](WordExchange& self) { return without_gil([&] { return self.sweep(); }); },
            "Every word once; how many have moved.")
        .def_prop_ro("log_likelihood", &WordExchange::log_likelihood)
        .def("classes", [](const WordExchange& self) { return to_numpy(self.classes()); }, "The class of each word.");
}

}  // namespace dovetail
