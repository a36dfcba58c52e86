// Python's view of a template's scores under a model, with columns that are known and with latent ones.
#include "chain/latent.hpp"
#include "chain/encoding.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace dovetail {

static auto scores_of_template(const Template& feature_template, const Model& model, const Columns& columns) {
    const size_t n = columns.n_tokens(), L = static_cast<size_t>(model.L);
    Extraction extraction(feature_template, columns);
    TemplateScores scores = without_gil([&] { return template_scores(model, extraction); });
    nb::object transitions = nb::none();
    if (model.has_edges()) transitions = nb::cast(to_numpy(std::move(scores.transitions), {n, L, L}));
    return std::make_pair(to_numpy(std::move(scores.labels), {n, L}), transitions);
}

using Tables = std::vector<const Columns*>;

// How many combinations of labels the latent columns have.
static size_t count_combinations(const Template& feature_template, const Tables& tables, const std::vector<int>& latent,
                                 int offset) {
    check_size(latent.size(), feature_template.attributes.size(), "latent");
    size_t Z = 1;
    for (const Columns* table : tables) {
        if (!table || !table->n_tokens()) throw std::invalid_argument("a latent column has no labels");
        Z *= table->n_tokens();
    }
    for (int number : latent)
        if (number < -1 || number >= static_cast<int>(tables.size()))
            throw std::invalid_argument("an attribute reads a latent column that does not exist");
    if (offset > 0) throw std::invalid_argument("a latent column is read at its own token or before it");
    return Z;
}

// [n_tokens x combinations of the latent columns' labels x L].
static auto latent_scores(const Template& feature_template, const Model& model, const Columns& columns,
                          const Tables& tables, const std::vector<int>& latent, int offset) {
    const size_t Z = count_combinations(feature_template, tables, latent, offset);
    LatentScorer scorer(model, feature_template, columns, tables, latent, offset);
    std::vector<double> out = without_gil([&] { return scorer.run(); });
    return to_numpy(std::move(out), {columns.n_tokens(), Z, static_cast<size_t>(model.L)});
}

// [n_tokens x combinations x L x L], or [combinations x L x L] where all tokens are alike.
static auto latent_transitions(const Template& feature_template, const Model& model, const Columns& columns,
                               const Tables& tables, const std::vector<int>& latent, int offset) {
    const size_t Z = count_combinations(feature_template, tables, latent, offset), L = static_cast<size_t>(model.L);
    LatentScorer scorer(model, feature_template, columns, tables, latent, offset);
    std::vector<double> out = without_gil([&] { return scorer.run_transitions(); });
    if (scorer.same_everywhere()) return to_numpy(std::move(out), {Z, L, L});
    return to_numpy(std::move(out), {columns.n_tokens(), Z, L, L});
}

// First occurrence of each token and combination [n_tokens * Z + 1], and feature and value of each occurrence.
static auto latent_features(const Template& feature_template, const Model& model, const Columns& columns,
                            const Tables& tables, const std::vector<int>& latent, int offset) {
    count_combinations(feature_template, tables, latent, offset);
    LatentScorer scorer(model, feature_template, columns, tables, latent, offset);
    Features found = without_gil([&] { return scorer.features(); });
    if (found.values.empty()) found.values.assign(found.ids.size(), 1.0f);
    return std::make_tuple(to_numpy(std::move(found.tokens)), to_numpy(std::move(found.ids)),
                           to_numpy(std::move(found.values)));
}

void bind_latent(nb::module_& module) {
    using nb::arg;
    module.def("template_scores", &scores_of_template, arg("template"), arg("model"), arg("columns"),
               "Scores of labels [tokens x labels], and of transitions into each token where features weigh on them.");
    module.def("latent_scores", &latent_scores, arg("template"), arg("model"), arg("columns"), arg("tables"),
               arg("latent"), arg("offset"),
               "Scores of labels for each label of columns that are not known, [tokens x latent labels x labels].");
    module.def(
        "latent_transitions", &latent_transitions, arg("template"), arg("model"), arg("columns"), arg("tables"),
        arg("latent"), arg("offset"),
        "What features on transitions add to them for each label of columns that are not known, [tokens x latent "
        "labels x labels x labels], or without tokens where all are alike.");
    module.def("latent_features", &latent_features, arg("template"), arg("model"), arg("columns"), arg("tables"),
               arg("latent"), arg("offset"),
               "Known features for each token and label of columns that are not known: bounds, features, values.");
}

}  // namespace dovetail
