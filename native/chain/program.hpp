// From features to label scores and back: add the weight rows of a token's features, or add a row of label
// residuals to the gradients of its features. Training runs over a `Program`, in which every feature occurrence
// is already resolved to the place of its weights.
#pragma once
#include "chain/bundles.hpp"
#include "chain/layout.hpp"
#include "core/stored.hpp"

namespace dovetail {

// Feature occurrences of a data set, resolved. Each token has its dense rows first, then features with a single pair,
// all of them with the label `single_label` (a rare feature seen once is seen with the token's own label: nothing to
// look up), then other lists of pairs. edges: likewise for features on transitions.
struct Program {
    Stored<uint64_t> begin, edge_begin;
    Stored<uint32_t> dense;    // dense rows of each token
    Stored<uint32_t> singles;  // single pairs of each token
    Stored<uint16_t> single_label;
    Stored<uint32_t> code;
    Stored<uint32_t> edge_code;
    Stored<float> value, edge_value;  // empty while all are 1

    Program() = default;

    // `scale`, one a feature or empty, multiplies values: a prior `scale` times as wide on that feature's weights.
    // With `bundles`, their rows stand for those of their members, `bundle_at` weights behind the layout's buffer.
    Program(const Features& x, const Layout& layout, const std::vector<float>& scale = {},
            const Bundles* bundles = nullptr) {
        std::vector<uint8_t> bundled(bundles ? bundles->root.size() : 0, 0);
        const auto covered = [&](uint32_t f) {
            if (!bundles || f >= bundles->family.size() || bundles->family[f] < 0) return false;
            return bundled[bundles->root[bundles->family[f]]] != 0;
        };
        const size_t tokens = x.n_tokens();
        begin.reserve(tokens + 1), dense.reserve(tokens), singles.reserve(tokens), single_label.reserve(tokens);
        code.reserve(x.ids.size());
        begin.push_back(0);
        const bool edges = !layout.edge_row.empty(), valued = !x.values.empty() || !scale.empty();
        if (bundles && bundle_at(layout) + bundles->size() * layout.Lp >= kNone)
            throw std::length_error("too many weights for one model");
        const auto value_of = [&](uint64_t k) {
            return (x.values.empty() ? 1.0f : x.values[k]) * (scale.empty() ? 1.0f : scale[x.ids[k]]);
        };
        if (edges) edge_begin.push_back(0);
        struct Occurrence {
            uint32_t code;
            float value;
        };
        std::vector<Occurrence> single, list;
        const auto put = [&](Occurrence o) {
            code.push_back(o.code);
            if (valued) value.push_back(o.value);
        };
        for (size_t t = 0; t < tokens; ++t) {
            single.clear(), list.clear();
            if (bundles) {
                std::fill(bundled.begin(), bundled.end(), uint8_t{0});
                for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k) {
                    const uint32_t bundle = bundles->bundle[x.ids[k]];
                    if (bundle == kNone) continue;
                    bundled[bundles->family[x.ids[k]]] = 1;
                    put({static_cast<uint32_t>(bundle_at(layout) + static_cast<size_t>(bundle) * layout.Lp), 1.0f});
                }
            }
            uint16_t label = 0;
            for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k) {
                const uint32_t row = x.ids[k] < layout.row.size() ? layout.row[x.ids[k]] : kNone;
                if (row == kNone || covered(x.ids[k])) continue;
                if (row & kDenseRow) {
                    put({(row & ~kDenseRow) * layout.Lp, value_of(k)});
                    continue;
                }
                const uint16_t first = layout.pair_label[row];
                if (single.empty() && first & kLastPair) label = first & ~kLastPair;
                (first == (label | kLastPair) ? single : list).push_back({row, value_of(k)});
            }
            dense.push_back(static_cast<uint32_t>(code.size() - begin.back()));
            singles.push_back(static_cast<uint32_t>(single.size()));
            single_label.push_back(label);
            for (Occurrence o : single) put(o);
            for (Occurrence o : list) put(o);
            begin.push_back(code.size());
            if (!edges) continue;
            for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k) {
                const uint32_t row = x.ids[k] < layout.edge_row.size() ? layout.edge_row[x.ids[k]] : kNone;
                if (row == kNone) continue;
                edge_code.push_back(row);
                if (valued) edge_value.push_back(value_of(k));
            }
            edge_begin.push_back(edge_code.size());
        }
    }
    static size_t bundle_at(const Layout& layout) { return (layout.buffer_size() + 15) / 16 * 16; }
    bool has_edges() const { return !edge_begin.empty(); }
};

// What a soft threshold leaves of x: the minimiser of (w - x)^2 / 2 + threshold |w|.
template <class R> inline R shrink(R x, R threshold) { return x - std::clamp(x, -threshold, threshold); }
template <class R> inline Vec<R> shrink(const Vec<R>& x, R threshold) {
    return x - larger<R>(smaller(x, splat(threshold)), splat(-threshold));
}

// Shrunk: weights are what the threshold leaves of the numbers in the buffer.
template <class R, bool Shrunk> struct TokenScore {
    const Program& program;
    const Layout& layout;
    const R* weights;
    size_t t;
    R* out;
    R threshold;
    template <int G> void run(int block) const {
        const uint32_t *code = program.code.data() + program.begin[t], *end = code + program.dense[t];
        const float* value = program.value.empty() ? nullptr : &program.value[program.begin[t]];
        const R* rows = weights + block * kLane;
        Vec<R> sum[G] = {};
        if (!value)
            for (; code < end; ++code) {
                const R* row = rows + size_t{*code};
                for (int g = 0; g < G; ++g) sum[g] += weight(load(row + g * kLane));
            }
        else
            for (; code < end; ++code, ++value) {
                const R* row = rows + size_t{*code};
                for (int g = 0; g < G; ++g) sum[g] = fma(R(*value), weight(load(row + g * kLane)), sum[g]);
            }
        for (int g = 0; g < G; ++g) store(out + (block + g) * kLane, sum[g]);
    }
    void pairs() const {
        const uint16_t* label = layout.pair_label.data();
        const R* pairs = weights + layout.pairs_at();
        uint64_t k = program.begin[t] + program.dense[t];
        R single = 0;
        for (const uint64_t end = k + program.singles[t]; k < end; ++k)
            single += (program.value.empty() ? R(1) : R(program.value[k])) * weight(pairs[program.code[k]]);
        out[program.single_label[t]] += single;
        for (; k < program.begin[t + 1]; ++k) {
            const R value = program.value.empty() ? R(1) : R(program.value[k]);
            for (uint32_t at = program.code[k];; ++at) {
                out[label[at] & ~kLastPair] += value * weight(pairs[at]);
                if (label[at] & kLastPair) break;
            }
        }
    }
    template <class Number> Number weight(const Number& x) const {
        if constexpr (Shrunk) return shrink(x, threshold);
        else return x;
    }
};

template <bool Shrunk = false, class R>
inline void score_token(const Program& program, const Layout& layout, const R* weights, size_t t, R* out,
                        R threshold = 0) {
    const TokenScore<R, Shrunk> token{program, layout, weights, t, out, threshold};
    each_group<R, 1>(layout.Lp / kLane, token);
    token.pairs();
}

// gradient rows of the token's features += value * residual, or value^2 * residual (second moments).
// Masked: dense rows change only where a label is a parameter.
template <class R, bool Masked, bool Squared = false> struct TokenScatter {
    const Program& program;
    const Layout& layout;
    R* gradient;
    size_t t;
    const R* residual;
    template <int G> void run(int block) const {
        Vec<R> row[G];
        for (int g = 0; g < G; ++g) row[g] = load(residual + (block + g) * kLane);
        if (program.value.empty()) {
            R* rows = gradient + block * kLane;
            const uint8_t* masks = layout.row_mask.data() + block;
            const uint32_t *code = program.code.data() + program.begin[t], *end = code + program.dense[t];
            for (; code < end; ++code) {
                R* to = rows + size_t{*code};
                for (int g = 0; g < G; ++g) {
                    if constexpr (Masked) add_where<R>(to + g * kLane, row[g], masks[*code / kLane + g]);
                    else store(to + g * kLane, load(to + g * kLane) + row[g]);
                }
            }
            return;
        }
        for (uint64_t k = program.begin[t], end = k + program.dense[t]; k < end; ++k) {
            R* to = gradient + program.code[k] + block * kLane;
            const uint8_t* mask = Masked ? &layout.row_mask[program.code[k] / kLane + block] : nullptr;
            const R value = weight(k);
            for (int g = 0; g < G; ++g) {
                Vec<R> change = row[g];
                if constexpr (Masked) change = keep<R>(change, lanes<R>(mask[g]));
                store(to + g * kLane, fma(value, change, load(to + g * kLane)));
            }
        }
    }
    void pairs() const {
        const uint16_t* label = layout.pair_label.data();
        R* to = gradient + layout.pairs_at();
        uint64_t k = program.begin[t] + program.dense[t];
        const R single = residual[program.single_label[t]];
        for (const uint64_t end = k + program.singles[t]; k < end; ++k) to[program.code[k]] += weight(k) * single;
        for (; k < program.begin[t + 1]; ++k) {
            const R value = weight(k);
            for (uint32_t at = program.code[k];; ++at) {
                to[at] += value * residual[label[at] & ~kLastPair];
                if (label[at] & kLastPair) break;
            }
        }
    }
    R weight(uint64_t k) const {
        const R value = program.value.empty() ? R(1) : R(program.value[k]);
        return Squared ? value * value : value;
    }
};

template <bool Masked, bool Squared = false, class R>
inline void scatter_token(const Program& program, const Layout& layout, R* gradient, size_t t, const R* residual) {
    const TokenScatter<R, Masked, Squared> token{program, layout, gradient, t, residual};
    each_group<R, 1>(layout.Lp / kLane, token);
    token.pairs();
}

// Features on transitions: add their cells to a token's matrix of transitions, and back.
template <class R>
inline void score_transitions(const Program& program, const Layout& layout, const R* weights, size_t t, R* matrix) {
    const R* weight = weights + layout.cells_at();
    for (uint64_t k = program.edge_begin[t]; k < program.edge_begin[t + 1]; ++k) {
        const R value = program.edge_value.empty() ? R(1) : R(program.edge_value[k]);
        for (uint32_t at = program.edge_code[k];; ++at) {
            matrix[layout.cell[at] & ~kLastCell] += value * weight[at];
            if (layout.cell[at] & kLastCell) break;
        }
    }
}
template <class R>
inline void scatter_transitions(const Program& program, const Layout& layout, R* gradient, size_t t, const R* matrix,
                                bool squared = false) {
    R* to = gradient + layout.cells_at();
    for (uint64_t k = program.edge_begin[t]; k < program.edge_begin[t + 1]; ++k) {
        R value = program.edge_value.empty() ? R(1) : R(program.edge_value[k]);
        if (squared) value *= value;
        for (uint32_t at = program.edge_code[k];; ++at) {
            to[at] += value * matrix[layout.cell[at] & ~kLastCell];
            if (layout.cell[at] & kLastCell) break;
        }
    }
}

}  // namespace dovetail
