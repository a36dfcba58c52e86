// Features that always come together, scored as one row.
//
// Feature names are made by templates ("pos[-1]|pos[0]=DT|NN"), and one template's value often determines another's:
// the word determines its affixes and shape, a trigram of tags its bigrams. A family is all features of one template.
// Where family A determines family B in the data, the rows of B's features are added into the rows of A's once an
// evaluation instead of once a token: score the sums, scatter into their gradients, and share those out afterwards.
// Exact, and it halves the memory traffic that an evaluation is made of.
#pragma once
#include <unordered_map>

#include "chain/layout.hpp"
#include "core/memory.hpp"

namespace dovetail {

// The family of each feature, by what stands before the first '=' (or ':') of its name. Without one, a feature that
// most tokens have ("bias") is a family of its own, and others have none (-1).
inline std::vector<int16_t> feature_families(const StringPool& names, const std::vector<uint32_t>& occurrences,
                                             size_t tokens, int& count) {
    constexpr int most = 256;
    std::unordered_map<uint64_t, int16_t> known;
    std::vector<int16_t> family(names.size(), -1);
    for (size_t f = 0; f < names.size(); ++f) {
        const std::string_view name = names[f];
        size_t length = name.find('=');
        if (length == name.npos) length = name.find(':');
        if (length == name.npos && 2 * size_t{occurrences[f]} > tokens) length = name.size();
        if (length == name.npos) continue;
        const uint64_t key = key_of(name.data(), length);
        const auto found = known.find(key);
        if (found != known.end()) family[f] = found->second;
        else if (known.size() < most) family[f] = known.emplace(key, static_cast<int16_t>(known.size())).first->second;
    }
    count = static_cast<int>(known.size());
    return family;
}

class Bundles {
public:
    std::vector<int16_t> family;          // [features]
    std::vector<int16_t> root;            // [families]: the family that determines it, itself where none does
    std::vector<uint32_t> bundle;         // [features]: bundle that a root feature stands for, or kNone
    std::vector<uint32_t> begin, member;  // bundle b: features member[begin[b] .. begin[b + 1])

    size_t size() const { return begin.size() - 1; }

    Bundles() : begin{0} {}
    Bundles(const Dataset& data, const Layout& layout) : begin{0} {
        const Features& x = data.x;
        int K = 0;
        std::vector<uint32_t> count(data.features.size(), 0);
        for (uint32_t f : x.ids) ++count[f];
        if (x.values.empty()) family = feature_families(data.features.names(), count, x.n_tokens(), K);
        bundle.assign(data.features.size(), kNone);
        root.resize(K);
        std::iota(root.begin(), root.end(), int16_t{0});
        if (K < 2) return;
        std::vector<uint64_t> distinct(K, 0), total(K, 0);
        for (size_t f = 0; f < count.size(); ++f)
            if (family[f] >= 0) ++distinct[family[f]], total[family[f]] += count[f];
        assign(x, K, distinct, total);
        collect(K, count, layout);
    }

    // Rows of bundles from the rows of their members, and gradients back. `rows` starts after the layout's buffer.
    template <class R> void gather(const Layout& layout, const std::vector<float>& scale, R* buffer, R* rows) const {
        for (size_t b = 0; b < size(); ++b) {
            R* to = rows + b * layout.Lp;
            std::fill(to, to + layout.Lp, R(0));
            each_member(
                b, layout, scale,
                [&](R value, uint32_t dense) {
                    for (int j = 0; j < layout.Lp; j += kLane)
                        store(to + j, load(to + j) + value * load(buffer + dense + j));
                },
                [&](R value, size_t at, int label) { to[label] += value * buffer[at]; });
        }
    }
    template <class R>
    void scatter(const Layout& layout, const std::vector<float>& scale, R* buffer, const R* rows) const {
        for (size_t b = 0; b < size(); ++b) {
            const R* from = rows + b * layout.Lp;
            each_member(
                b, layout, scale,
                [&](R value, uint32_t dense) {
                    for (int j = 0; j < layout.Lp; j += kLane)
                        store(buffer + dense + j, load(buffer + dense + j) + value * load(from + j));
                },
                [&](R value, size_t at, int label) { buffer[at] += value * from[label]; });
        }
    }

private:
    static constexpr uint64_t kOften = 4;       // a family is worth bundling if its values recur this often on average,
    static constexpr uint32_t kWorthwhile = 2;  // a feature if it occurs this often

    template <class Dense, class Pair>
    void each_member(size_t b, const Layout& layout, const std::vector<float>& scale, Dense dense, Pair pair) const {
        for (uint32_t k = begin[b]; k < begin[b + 1]; ++k) {
            const float value = scale.empty() ? 1.0f : scale[member[k]];
            const uint32_t row = layout.row[member[k]];
            if (row & kDenseRow) dense(value, (row & ~kDenseRow) * layout.Lp);
            else
                for (uint32_t at = row;; ++at) {
                    pair(value, layout.pairs_at() + at, layout.pair_label[at] & ~kLastPair);
                    if (layout.pair_label[at] & kLastPair) break;
                }
        }
    }

    // slots[k]: the token's feature of family k, or kNone. False if it has two of one family.
    bool slots_of(const Features& x, size_t t, std::vector<uint32_t>& slots, std::vector<uint8_t>& twice) const {
        std::fill(slots.begin(), slots.end(), kNone);
        bool single = true;
        for (uint64_t k = x.tokens[t]; k < x.tokens[t + 1]; ++k) {
            const int16_t own = family[x.ids[k]];
            if (own < 0) continue;
            if (slots[own] != kNone) twice[own] = 1, single = false;
            slots[own] = x.ids[k];
        }
        return single;
    }

    // Which family determines which: guessed on a sample of tokens, then verified on all of them.
    void assign(const Features& x, int K, const std::vector<uint64_t>& distinct, const std::vector<uint64_t>& total) {
        std::vector<uint8_t> determines(static_cast<size_t>(K) * K, 1), twice(K, 0);
        std::vector<uint32_t> slots(K);
        std::unordered_map<uint32_t, std::vector<uint32_t>> first;
        const size_t n = x.n_tokens(), step = std::max<size_t>(1, n / 2000);
        for (size_t t = 0; t < n; t += step) {
            slots_of(x, t, slots, twice);
            for (int a = 0; a < K; ++a) {
                if (slots[a] == kNone) continue;
                const auto [seen, fresh] = first.emplace(slots[a], slots);
                if (!fresh)
                    for (int b = 0; b < K; ++b)
                        determines[static_cast<size_t>(a) * K + b] &= seen->second[b] == slots[b];
            }
        }
        const auto richer = [&](int a, int b) { return std::pair(distinct[a], a) > std::pair(distinct[b], b); };
        std::vector<int16_t> parent = root;
        for (int b = 0; b < K; ++b)
            for (int a = 0; a < K; ++a) {
                if (!richer(a, b) || !determines[static_cast<size_t>(a) * K + b] || total[a] < kOften * distinct[a])
                    continue;
                if (parent[b] == b || richer(parent[b], a)) parent[b] = static_cast<int16_t>(a);
            }
        for (int b = 0; b < K; ++b)
            for (root[b] = parent[b]; root[b] != parent[root[b]];) root[b] = parent[root[b]];
        verify(x, K, twice);
    }

    void verify(const Features& x, int K, std::vector<uint8_t>& twice) {
        std::vector<uint32_t> slots(K);
        expected_.assign(K, {});
        for (int b = 0; b < K; ++b)
            if (root[b] != b) expected_[b].assign(bundle.size(), kUnset);
        std::vector<uint8_t> broken(K, 0);
        for (size_t t = 0; t < x.n_tokens(); ++t) {
            slots_of(x, t, slots, twice);
            for (int b = 0; b < K; ++b) {
                const int a = root[b];
                if (a == b || broken[b] || slots[a] == kNone) continue;
                uint32_t& expected = expected_[b][slots[a]];
                if (expected == kUnset) expected = slots[b];
                else broken[b] |= expected != slots[b];
            }
        }
        for (int b = 0; b < K; ++b)
            if (broken[b] || twice[b] || twice[root[b]]) root[b] = static_cast<int16_t>(b);
    }

    void collect(int K, const std::vector<uint32_t>& count, const Layout& layout) {
        std::vector<std::vector<int>> children(K);
        for (int b = 0; b < K; ++b)
            if (root[b] != b) children[root[b]].push_back(b);
        for (size_t f = 0; f < family.size(); ++f) {
            const int own = family[f];
            if (own < 0 || children[own].empty() || count[f] < kWorthwhile) continue;
            bundle[f] = static_cast<uint32_t>(size());
            const auto add = [&](uint32_t g) {
                if (g != kNone && g != kUnset && layout.row[g] != kNone) member.push_back(g);
            };
            add(static_cast<uint32_t>(f));
            for (int b : children[own]) add(expected_[b][f]);
            begin.push_back(static_cast<uint32_t>(member.size()));
        }
        expected_.clear();
        expected_.shrink_to_fit();
    }

    static constexpr uint32_t kUnset = kNone - 1;
    std::vector<std::vector<uint32_t>> expected_;
};

}  // namespace dovetail
