// Python's view of pools of models.
#include "chain/pool.hpp"

#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace dovetail {

void bind_pool(nb::module_& module) {
    using nb::arg;
    nb::class_<PoolPart>(module, "PoolPart")
        .def(
            "__init__",
            [](PoolPart* self, size_t n_labels, In<int64_t> bounds, In<uint8_t> allowed, In<double> forbidden) {
                if (!n_labels || !bounds.size() || bounds.data()[0] != 0)
                    throw std::invalid_argument("a part needs labels, and bounds from 0 on");
                std::vector<size_t> places;
                for (size_t k = 0; k < bounds.size(); ++k) {
                    if (k && bounds.data()[k] < bounds.data()[k - 1])
                        throw std::invalid_argument("bounds must not fall");
                    places.push_back(static_cast<size_t>(bounds.data()[k]));
                }
                const size_t cells = n_labels * n_labels, tokens = places.back();
                check_size(allowed.size(), tokens * n_labels, "allowed");
                if (forbidden.size() != cells) check_size(forbidden.size(), tokens * cells, "forbidden");
                new (self) PoolPart(n_labels, std::move(places), allowed.data(), to_vector(forbidden));
            },
            arg("n_labels"), arg("bounds"), arg("allowed"), arg("forbidden"))
        .def(
            "add",
            [](PoolPart& self, In<double> nodes, In<double> transitions) {
                const size_t cells = self.n_labels() * self.n_labels();
                check_size(nodes.size(), self.n_tokens() * self.n_labels(), "nodes");
                if (transitions.size() != cells) check_size(transitions.size(), self.n_tokens() * cells, "transitions");
                self.add(nodes.data(), to_vector(transitions));
            },
            arg("nodes"), arg("transitions"), "Finite scores of one more member.");
    module.def(
        "expect_pool",
        [](const std::vector<const PoolPart*>& parts, In<double> weights, In<double> bias, In<double> transitions,
           int threads) {
            if (parts.empty()) throw std::invalid_argument("there are no parts");
            for (const PoolPart* part : parts) {
                check_size(weights.size(), part->n_members(), "weights");
                check_size(bias.size(), part->n_labels(), "bias");
                check_size(transitions.size(), part->n_labels() * part->n_labels(), "transitions");
            }
            PoolExpectations found = without_gil(
                [&] { return expect_pool(parts, weights.data(), bias.data(), transitions.data(), threads); });
            return std::make_tuple(found.log_z, to_numpy(std::move(found.members)), to_numpy(std::move(found.labels)),
                                   to_numpy(std::move(found.transitions)));
        },
        arg("parts"), arg("weights"), arg("bias"), arg("transitions"), arg("threads"),
        "The sum of log Z, expected scores by each member, and expected counts of labels and transitions.");
}

}  // namespace dovetail
