// Parts of a text as arrays: data sets and prepared problems to files and, mapped, back again.
#include <nanobind/stl/shared_ptr.h>

#include <bit>

#include "chain/shard_checks.hpp"
#include "python/bindings.hpp"
#include "python/labelled_sequences.hpp"

namespace dovetail {

using Arrays = nb::typed<nb::dict, nb::str, nb::object>;

template <class T> static In<T> array_of(const nb::dict& arrays, const char* name) {
    if (!arrays.contains(name)) throw std::invalid_argument(std::string("it lacks the array '") + name + "'");
    return nb::cast<In<T>>(arrays[name]);
}
template <class T> static std::vector<T> vector_of(const nb::dict& arrays, const char* name) {
    return to_vector(array_of<T>(arrays, name));
}
template <class T> static Stored<T> view_of(const nb::dict& arrays, const std::string& name) {
    const In<T> array = array_of<T>(arrays, name.c_str());
    return {array.data(), array.size()};
}
template <class Stored> static auto copy_of(const Stored& stored) {
    return to_numpy(std::vector<std::decay_t<decltype(stored[0])>>(stored.begin(), stored.end()));
}

// Sets of labels, one after the other.
static void put_sets(nb::dict& out, const LabelSets& sets) {
    std::vector<uint64_t> begin{0};
    std::vector<uint16_t> label;
    for (size_t k = 0; k < sets.size(); ++k) {
        const auto& set = sets[-2 - static_cast<int32_t>(k)];
        label.insert(label.end(), set.begin(), set.end());
        begin.push_back(label.size());
    }
    out["set_begin"] = to_numpy(std::move(begin));
    out["set_label"] = to_numpy(std::move(label));
}
static void read_sets(const nb::dict& arrays, Dataset& data) {
    const In<uint64_t> begin = array_of<uint64_t>(arrays, "set_begin");
    const In<uint16_t> label = array_of<uint16_t>(arrays, "set_label");
    require(are_bounds(to_vector(begin), label.size()), "sets of labels");
    for (size_t k = 0; k + 1 < begin.size(); ++k) {
        std::vector<uint16_t> set(label.data() + begin.data()[k], label.data() + begin.data()[k + 1]);
        for (uint16_t y : set) require(y < data.labels.size(), "sets of labels");
        std::sort(set.begin(), set.end());
        data.sets.code_of(std::move(set));
    }
}
static void put_sequences(nb::dict& out, const Dataset& data) {
    out["sequences"] = copy_of(data.x.sequences);
    out["gold"] = copy_of(data.gold);
    out["allowed"] = copy_of(data.allowed);
    out["weights"] = copy_of(data.weights);
    put_sets(out, data.sets);
}
static void read_sequences(const nb::dict& arrays, Dataset& data, size_t tokens) {
    data.x.sequences = vector_of<uint64_t>(arrays, "sequences");
    data.gold = vector_of<int32_t>(arrays, "gold");
    data.allowed = vector_of<int32_t>(arrays, "allowed");
    data.weights = vector_of<float>(arrays, "weights");
    read_sets(arrays, data);
    require(are_bounds(data.x.sequences, tokens), "sequences");
    require(data.gold.size() == tokens && (data.allowed.empty() || data.allowed.size() == tokens), "labels");
    require(data.weights.empty() || data.weights.size() == data.x.size(), "weights");
    check_codes(data, data.gold), check_codes(data, data.allowed);
}
// Features with the keys that they have in the data, which templates make of their parts.
static void add_features(const nb::dict& arrays, Interner& to) {
    const In<uint8_t> bytes = array_of<uint8_t>(arrays, "names");
    const In<uint64_t> offsets = array_of<uint64_t>(arrays, "name_offsets"), keys = array_of<uint64_t>(arrays, "keys");
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    require(are_bounds(to_vector(offsets), bytes.size()) && offsets.size() == keys.size() + 1, "names");
    for (size_t k = 0; k < keys.size(); ++k) {
        const uint64_t begin = offsets.data()[k], key = keys.data()[k];
        require(key && to.add(key, text + begin, offsets.data()[k + 1] - begin) == k, "names");
    }
}

static Arrays dataset_arrays(const Dataset& data) {
    nb::dict out;
    put_sequences(out, data);
    out["tokens"] = copy_of(data.x.tokens);
    out["ids"] = copy_of(data.x.ids);
    out["values"] = copy_of(data.x.values);
    const std::vector<char>& names = data.features.names().bytes();
    out["names"] = to_numpy(std::vector<uint8_t>(names.begin(), names.end()));
    out["keys"] = to_numpy(data.features.keys());
    out["name_offsets"] = copy_of(data.features.names().offsets());
    return Arrays(std::move(out));
}
static std::shared_ptr<Dataset> dataset_from_arrays(const nb::dict& arrays, const std::vector<std::string>& labels) {
    auto data = std::make_shared<Dataset>();
    for (const std::string& label : labels) data->labels.add(label.data(), label.size());
    require(data->labels.size() == labels.size() && labels.size() < kMostLabels, "labels");
    add_features(arrays, data->features);
    Features& x = data->x;
    x.tokens = vector_of<uint64_t>(arrays, "tokens");
    x.ids = vector_of<uint32_t>(arrays, "ids");
    x.values = vector_of<float>(arrays, "values");
    require(are_bounds(x.tokens, x.ids.size()) && (x.values.empty() || x.values.size() == x.ids.size()), "occurrences");
    for (uint32_t f : x.ids) require(f < data->features.size(), "occurrences");
    read_sequences(arrays, *data, x.n_tokens());
    return data;
}

// What a part adds to the whole: for each of its features a key, occurrences, and labels as bits, 64 a word.
static Arrays describe_part(const Dataset& data) {
    const size_t F = data.features.size(), L = data.labels.size(), words = (L + 63) / 64;
    std::vector<uint64_t> seen(F * words, 0);
    std::vector<uint8_t> neighbours(L * L, 0);
    const auto each = [&](int32_t code, auto visit) {
        if (code >= 0) visit(static_cast<size_t>(code));
        else if (code != kUnknown)
            for (uint16_t y : data.sets[code]) visit(size_t{y});
    };
    const Features& x = data.x;
    for (size_t s = 0; s < x.size(); ++s)
        for (uint64_t t = x.sequences[s]; t < x.sequences[s + 1]; ++t) {
            if (t > x.sequences[s])
                each(data.gold[t - 1],
                     [&](size_t i) { each(data.gold[t], [&](size_t j) { neighbours[i * L + j] = 1; }); });
            each(data.gold[t], [&](size_t y) {
                for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k)
                    seen[x.ids[k] * words + y / 64] |= 1ull << y % 64;
            });
        }
    nb::dict out;
    out["keys"] = to_numpy(data.features.keys());
    out["counts"] = to_numpy(data.occurrences());
    out["seen"] = to_numpy(std::move(seen), {F, words});
    out["neighbours"] = to_numpy(std::move(neighbours), {L, L});
    ObservedTransitions observed = data.observed_transitions();
    out["transitions"] = to_numpy(std::move(observed.transitions), {L, L});
    out["start"] = to_numpy(std::move(observed.start));
    out["end"] = to_numpy(std::move(observed.end));
    return Arrays(std::move(out));
}
static void set_whole(Dataset& data, const nb::dict& arrays, uint64_t n_sequences, uint64_t n_tokens,
                      bool fully_labelled, bool weighted) {
    auto whole = std::make_shared<Whole>();
    whole->n_sequences = n_sequences, whole->n_tokens = n_tokens;
    whole->counts = vector_of<uint64_t>(arrays, "counts");
    whole->pair_begin = vector_of<uint64_t>(arrays, "pair_begin");
    whole->pair_label = vector_of<uint16_t>(arrays, "pair_label");
    whole->neighbours = vector_of<uint8_t>(arrays, "neighbours");
    whole->observed = {vector_of<uint8_t>(arrays, "transitions"), vector_of<uint8_t>(arrays, "start"),
                       vector_of<uint8_t>(arrays, "end")};
    whole->fully_labelled = fully_labelled, whole->weighted = weighted;
    const size_t F = data.features.size(), L = data.labels.size();
    require(whole->counts.size() == F && whole->pair_begin.size() == F + 1, "features");
    require(are_bounds(whole->pair_begin, whole->pair_label.size()), "pairs");
    for (uint16_t y : whole->pair_label) require(y < L, "pairs");
    require(whole->neighbours.size() == L * L && whole->observed.transitions.size() == L * L, "transitions");
    require(whole->observed.start.size() == L && whole->observed.end.size() == L, "transitions");
    data.whole = std::move(whole);
}

static void put_program(nb::dict& out, const std::string& prefix, const Program& program) {
    const auto put = [&](const char* name, auto array) { out[(prefix + name).c_str()] = std::move(array); };
    put("begin", copy_of(program.begin)), put("code", copy_of(program.code));
    put("dense", copy_of(program.dense)), put("singles", copy_of(program.singles));
    put("single_label", copy_of(program.single_label)), put("value", copy_of(program.value));
}
static Program read_program(const nb::dict& arrays, const std::string& prefix) {
    Program out;
    out.begin = view_of<uint64_t>(arrays, prefix + "begin");
    out.code = view_of<uint32_t>(arrays, prefix + "code");
    out.dense = view_of<uint32_t>(arrays, prefix + "dense");
    out.singles = view_of<uint32_t>(arrays, prefix + "singles");
    out.single_label = view_of<uint16_t>(arrays, prefix + "single_label");
    out.value = view_of<float>(arrays, prefix + "value");
    return out;
}
static Arrays problem_arrays(const Problem& problem) {
    nb::dict out;
    const Layout& layout = problem.layout;
    put_sequences(out, *problem.data);
    out["row"] = copy_of(layout.row), out["pair_label"] = copy_of(layout.pair_label);
    out["row_mask"] = copy_of(layout.row_mask), out["slot"] = copy_of(layout.slot);
    std::vector<uint32_t> parameter;
    for (const Parameter& p : layout.parameter)
        parameter.insert(parameter.end(),
                         {p.feature, static_cast<uint32_t>(p.previous), static_cast<uint32_t>(p.label)});
    out["parameter"] = to_numpy(std::move(parameter));
    out["legal"] = copy_of(problem.constraints.legal), out["start"] = copy_of(problem.constraints.start);
    out["end"] = copy_of(problem.constraints.end), out["margin"] = copy_of(problem.margin);
    out["scale"] = copy_of(problem.scale);
    out["bounds"] = to_numpy(std::vector<uint64_t>(problem.shards.begin(), problem.shards.end()));
    const Bundles& bundles = problem.bundles();
    out["bundle_begin"] = copy_of(bundles.begin), out["bundle_member"] = copy_of(bundles.member);
    put_program(out, "plain_", problem.program());
    put_program(out, "bundled_", problem.bundled_program());
    return Arrays(std::move(out));
}
static std::shared_ptr<Problem> problem_from_arrays(const nb::dict& arrays, const std::vector<std::string>& labels,
                                                    bool check) {
    auto data = std::make_shared<Dataset>();
    for (const std::string& label : labels) data->labels.add(label.data(), label.size());
    Program plain = read_program(arrays, "plain_"), bundled = read_program(arrays, "bundled_");
    const size_t tokens = array_of<int32_t>(arrays, "gold").size(), L = labels.size();
    data->x.tokens.assign(tokens + 1, 0);  // their occurrences are in the programs
    read_sequences(arrays, *data, tokens);

    Layout layout;
    layout.L = static_cast<int>(L), layout.Lp = padded(layout.L);
    layout.row = vector_of<uint32_t>(arrays, "row"), layout.pair_label = vector_of<uint16_t>(arrays, "pair_label");
    layout.row_mask = vector_of<uint8_t>(arrays, "row_mask"), layout.slot = vector_of<uint32_t>(arrays, "slot");
    layout.D = layout.row_mask.size() / static_cast<size_t>(layout.Lp / kLane);
    const In<uint32_t> parameter = array_of<uint32_t>(arrays, "parameter");
    for (size_t k = 0; k + 2 < parameter.size(); k += 3)
        layout.parameter.push_back({parameter.data()[k], static_cast<int32_t>(parameter.data()[k + 1]),
                                    static_cast<int32_t>(parameter.data()[k + 2])});
    auto bundles = std::make_unique<Bundles>();
    bundles->begin = vector_of<uint32_t>(arrays, "bundle_begin");
    bundles->member = vector_of<uint32_t>(arrays, "bundle_member");
    Constraints constraints{vector_of<uint8_t>(arrays, "legal"), vector_of<uint8_t>(arrays, "start"),
                            vector_of<uint8_t>(arrays, "end")};
    std::vector<float> margin = vector_of<float>(arrays, "margin"), scale = vector_of<float>(arrays, "scale");
    const auto fits = [](size_t size, size_t expected) { require(!size || size == expected, "settings"); };
    fits(constraints.legal.size(), L * L), fits(constraints.start.size(), L), fits(constraints.end.size(), L);
    fits(margin.size(), L), fits(scale.size(), layout.row.size());
    std::vector<size_t> bounds;
    for (uint64_t bound : to_vector(array_of<uint64_t>(arrays, "bounds"))) bounds.push_back(bound);
    require(bounds.size() > 1 && are_bounds(bounds, data->x.size()), "bounds");
    {
        nb::gil_scoped_release unlocked;
        check_layout(layout, layout.row.size());
        check_bundles(*bundles, layout);
        if (check) {
            check_program(plain, layout, tokens, layout.pairs_at());
            const size_t end = Program::bundle_at(layout) + bundles->size() * static_cast<size_t>(layout.Lp);
            check_program(bundled, layout, tokens, end);
        }
    }
    return std::make_shared<Problem>(std::move(data), std::move(layout), std::move(constraints), std::move(margin),
                                     std::move(scale), std::move(bounds), std::move(plain), std::move(bundles),
                                     std::move(bundled));
}

// sums[place[k]] += x[k] in multiples of 2^-exponent, by rows where x has more numbers than there are places. Sums of
// whole numbers do not depend on their order.
static void add_multiples(nb::ndarray<int64_t, nb::c_contig, nb::device::cpu> sums, const In<uint32_t>& place,
                          nb::ndarray<const double, nb::c_contig, nb::device::cpu> x, int exponent) {
    const size_t rows = place.size(), width = rows ? x.size() / rows : 0;
    require(rows * width == x.size(), "places");
    for (size_t k = 0; k < rows; ++k) require((place.data()[k] + size_t{1}) * width <= sums.size(), "places");
    nb::gil_scoped_release unlocked;
    const double unit = std::ldexp(1.0, exponent), largest = std::ldexp(1.0, 62);
    const double* from = x.data();
    bool fits = true;
    for (size_t k = 0; k < rows; ++k) {
        int64_t* to = sums.data() + place.data()[k] * width;
        for (size_t j = 0; j < width; ++j, ++from) {
            const double number = *from * unit;
            if (std::abs(number) <= largest) to[j] += std::llrint(number);
            else fits = false;
        }
    }
    if (!fits) throw std::overflow_error("numbers are too large for their sum");
}

// Whole numbers on their way: which are not zero, eight to a byte, and these.
template <class T> static auto pack_sums(nb::ndarray<const T, nb::c_contig, nb::device::cpu> sums) {
    const size_t n = sums.size();
    std::vector<uint8_t> used((n + 7) / 8, 0);
    std::vector<T> values;
    {
        nb::gil_scoped_release unlocked;
        const T* from = sums.data();
        size_t some = 0;
        for (size_t k = 0; k < n; ++k) some += from[k] != 0;
        values.reserve(some);
        for (size_t k = 0; k < n; ++k)
            if (from[k] != 0) used[k / 8] |= static_cast<uint8_t>(1u << k % 8), values.push_back(from[k]);
    }
    return std::make_tuple(to_numpy(std::move(used)), to_numpy(std::move(values)));
}
template <class T>
static void add_packed(nb::ndarray<T, nb::c_contig, nb::device::cpu> sums, const In<uint8_t>& used,
                       const In<T>& values) {
    require(used.size() == (sums.size() + 7) / 8, "sums");
    nb::gil_scoped_release unlocked;
    size_t some = 0;
    for (size_t byte = 0; byte < used.size(); ++byte) some += static_cast<size_t>(std::popcount(used.data()[byte]));
    require(some == values.size(), "sums");
    const T* from = values.data();
    for (size_t byte = 0; byte < used.size(); ++byte)
        for (unsigned bits = used.data()[byte]; bits; bits &= bits - 1) {
            const size_t k = byte * 8 + static_cast<size_t>(std::countr_zero(bits));
            require(k < sums.size(), "sums");
            sums.data()[k] += *from++;
        }
}
template <class T> static void bind_sums(nb::module_& module) {
    using nb::arg;
    module.def("pack_sums", &pack_sums<T>, arg("sums").noconvert(),
               "Which whole numbers are not zero, as bits, and these.");
    module.def("add_packed", &add_packed<T>, arg("sums").noconvert(), arg("used"), arg("values"),
               "Adds what has been packed.");
}

void bind_shards(nb::module_& module) {
    using nb::arg;
    bind_sums<int64_t>(module);
    bind_sums<int32_t>(module);
    nb::exception<DamagedShard>(module, "DamagedShard", PyExc_ValueError);
    module.def("dataset_arrays", &dataset_arrays, arg("data"), "A data set as arrays.");
    module.def("dataset_from_arrays", &dataset_from_arrays, arg("arrays"), arg("labels"), "The same, back again.");
    module.def("describe_part", &describe_part, arg("data"),
               "Of each feature: key, occurrences, and labels that it is seen with, as bits; of labels: neighbours.");
    module.def("set_whole", &set_whole, arg("data"), arg("arrays"), arg("n_sequences"), arg("n_tokens"),
               arg("fully_labelled"), arg("weighted"),
               "Makes a data set one of many parts: weights are laid out as all of the text asks for.");
    module.def("problem_arrays", &problem_arrays, arg("problem"), "A problem, ready to be evaluated, as arrays.");
    module.def("problem_from_arrays", &problem_from_arrays, arg("arrays"), arg("labels"), arg("check"),
               nb::keep_alive<0, 1>(), "The same, reading its occurrences where the arrays stand.");
    module.def("add_multiples", &add_multiples, arg("sums"), arg("place"), arg("x"), arg("exponent"),
               "Adds numbers, in multiples of 2^-exponent, to whole numbers [places or places x width].");
}

}  // namespace dovetail
