// How sparse inference goes from one token to the next: one layer after another gives up its previous label for its new
// one.
//
// A joint state is a key of 64 bits with a field for each layer, which holds the layer's previous label until its stage
// has come and its new label from then on. A lagged factor into a layer needs another layer's previous label, so the
// stage of its `after` comes before that of its `before`; where lagged factors go round in circles, a previous label is
// held on to in a field of its own. A conditioned transition needs the new labels of the layers that it is given, whose
// stages come first in any case.
//
// To compare partial states, a stage looks ahead at what the layers still to come can bring:
//
//   ahead   the best new label of a later layer given its transition (the best one, where labels that it is given are
//           not known yet), its lagged factors, and its factor with one earlier layer (its anchor);
//   bound   the best that any other cotemporal factor can bring, given the label of the first of its layers.
#pragma once
#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "core/simd.hpp"
#include "grid/scores.hpp"

namespace dovetail {

struct KeyField {
    int shift = 0, bits = 0;
    uint64_t mask() const { return ((uint64_t{1} << bits) - 1) << shift; }
    size_t label(uint64_t key) const { return (key >> shift) & ((uint64_t{1} << bits) - 1); }
    uint64_t with(uint64_t key, size_t label) const {
        return (key & ~mask()) | (static_cast<uint64_t>(label) << shift);
    }
};

class SparsePlan {
public:
    static constexpr size_t kNone = std::numeric_limits<size_t>::max();

    struct FactorUse {
        size_t factor, stride;  // of the stage's own label
        std::vector<std::pair<KeyField, size_t>> others;
    };
    struct Later {  // a layer that comes after this stage
        size_t layer;
        KeyField anchor;  // where its anchor's label is, if that is known before this stage
        enum { peak, anchored_before, anchored_here } look;
    };
    struct Bound {  // of a cotemporal factor that is not complete yet
        size_t factor;
        KeyField first;
        bool here;
    };
    struct Stage {
        size_t layer, L, Lp;
        KeyField field, held;  // held.bits is 0 where the previous label is not held on to
        uint64_t release;      // fields no longer needed after this stage
        std::vector<std::vector<KeyField>>
            previous;  // of each layer yet to come: its own previous label, then those of its lagged factors
        std::vector<std::vector<KeyField>>
            given;  // of each layer yet to come: labels that its transitions are given; no bits where not known yet
        std::vector<FactorUse> completes;
        std::vector<Later> later;
        std::vector<Bound> bounds;
    };

    explicit SparsePlan(const Grids& grids)
        : lagged_into(grids.layers()),
          conditioned(grids.layers()),
          given(grids.layers()),
          anchor_factor(grids.layers(), kNone),
          anchor(grids.layers(), kNone),
          fields(grids.layers()),
          place(grids.layers()) {
        for (size_t k = 0; k < grids.lagged.size(); ++k) lagged_into[grids.lagged[k].after].push_back(k);
        for (size_t k = 0; k < grids.conditioned.size(); ++k) {
            const ConditionedTransition& factor = grids.conditioned[k];
            conditioned[factor.layer].push_back(k);
            for (size_t i : factor.given)
                if (auto& all = given[factor.layer]; std::find(all.begin(), all.end(), i) == all.end())
                    all.push_back(i);
        }
        set_order(grids);
        set_fields(grids);
        check_contexts(grids);
        for (const CotemporalFactor& factor : grids.cotemporal) {
            std::vector<size_t> layers = factor.layers;
            std::sort(layers.begin(), layers.end(), [&](size_t a, size_t b) { return place[a] < place[b]; });
            first_layer.push_back(layers.front());
            last_layer.push_back(layers.back());
            if (layers.size() > 2 || anchor[layers[1]] != kNone) continue;
            anchor[layers[1]] = layers[0];
            anchor_factor[layers[1]] = static_cast<size_t>(&factor - grids.cotemporal.data());
        }
        for (size_t at = 0; at < order.size(); ++at) stages.push_back(stage(grids, at));
    }
    bool is_anchor(size_t factor) const { return anchor_factor[last_layer[factor]] == factor; }

    std::vector<std::vector<size_t>> lagged_into;  // each layer
    std::vector<std::vector<size_t>> conditioned;  // transitions of each layer
    std::vector<std::vector<size_t>> given;        // layers whose labels these are given
    std::vector<size_t> anchor_factor, anchor;     // of each layer, or kNone
    std::vector<size_t> first_layer, last_layer;   // of each cotemporal factor, in the order of stages
    std::vector<KeyField> fields;                  // of each layer
    std::vector<Stage> stages;
    bool holds = false;  // previous labels are held on to somewhere

private:
    void set_order(const Grids& grids) {
        const size_t N = grids.layers();
        std::vector<bool> placed(N, false);
        const auto waits = [&](size_t layer) {
            return std::any_of(grids.lagged.begin(), grids.lagged.end(), [&](const LaggedFactor& factor) {
                return factor.before == layer && factor.after != layer && !placed[factor.after];
            });
        };
        const auto ready = [&](size_t layer) {
            return !placed[layer] &&
                   std::all_of(given[layer].begin(), given[layer].end(), [&](size_t i) { return placed[i]; });
        };
        while (order.size() < N) {
            size_t next = kNone;
            for (size_t layer = 0; layer < N; ++layer)
                if (ready(layer) && (next == kNone || (waits(next) && !waits(layer)))) next = layer;
            if (next == kNone) throw std::invalid_argument("the layers' transitions are given one another's labels");
            placed[next] = true;
            place[next] = order.size();
            order.push_back(next);
        }
    }
    void set_fields(const Grids& grids) {
        const size_t N = grids.layers();
        held_.resize(N);
        held_until_.assign(N, 0);
        for (const LaggedFactor& factor : grids.lagged)
            held_until_[factor.before] = std::max(held_until_[factor.before], place[factor.after]);
        int used = 0;
        const auto take = [&](size_t layer) {
            const int bits = std::max<int>(1, std::bit_width(grids.labels[layer] - 1));
            used += bits;
            return KeyField{used - bits, bits};
        };
        for (size_t layer = 0; layer < N; ++layer) fields[layer] = take(layer);
        for (size_t layer = 0; layer < N; ++layer)
            if (held_until_[layer] > place[layer]) held_[layer] = take(layer), holds = true;
        if (used > 63)
            throw std::invalid_argument("the labels of all layers together do not fit into a key of 63 bits");
    }
    // What the row of a layer depends on has to fit into a key, too.
    void check_contexts(const Grids& grids) const {
        for (size_t layer = 0; layer < grids.layers(); ++layer) {
            int bits = fields[layer].bits;
            for (size_t k : lagged_into[layer]) bits += fields[grids.lagged[k].before].bits;
            for (size_t i : given[layer]) bits += fields[i].bits + 1;
            if (bits > 63)
                throw std::invalid_argument("the labels that a layer depends on do not fit into a key of 63 bits");
        }
    }
    KeyField previous(size_t layer, size_t at) const { return place[layer] < at ? held_[layer] : fields[layer]; }

    Stage stage(const Grids& grids, size_t at) const {
        const size_t layer = order[at], L = grids.labels[layer];
        Stage out{
            layer, L, static_cast<size_t>(padded(static_cast<int>(L))), fields[layer], held_[layer], 0, {}, {}, {},
            {},    {}};
        out.previous.resize(grids.layers()), out.given.resize(grids.layers());
        for (size_t i = 0; i < grids.layers(); ++i) {
            if (held_[i].bits && held_until_[i] == at) out.release |= held_[i].mask();
            if (place[i] < at) continue;
            out.previous[i].push_back(previous(i, at));
            for (size_t k : lagged_into[i]) out.previous[i].push_back(previous(grids.lagged[k].before, at));
            for (size_t j : given[i]) out.given[i].push_back(place[j] < at ? fields[j] : KeyField{});
            if (place[i] == at) continue;
            const bool known = anchor[i] != kNone && place[anchor[i]] <= at;
            out.later.push_back({i, known ? fields[anchor[i]] : KeyField{},
                                 !known               ? Later::peak
                                 : anchor[i] == layer ? Later::anchored_here
                                                      : Later::anchored_before});
        }
        for (size_t k = 0; k < grids.cotemporal.size(); ++k) {
            if (last_layer[k] == layer) out.completes.push_back(use(grids, k, layer));
            else if (place[first_layer[k]] <= at && place[last_layer[k]] > at && !is_anchor(k))
                out.bounds.push_back({k, fields[first_layer[k]], first_layer[k] == layer});
        }
        return out;
    }
    FactorUse use(const Grids& grids, size_t k, size_t layer) const {
        FactorUse out{k, 1, {}};
        size_t stride = grids.factor_size(grids.cotemporal[k]);
        for (size_t i : grids.cotemporal[k].layers) {
            stride /= grids.labels[i];
            if (i == layer) out.stride = stride;
            else out.others.push_back({fields[i], stride});
        }
        return out;
    }

    std::vector<size_t> place, order;  // a layer's stage, a stage's layer
    std::vector<KeyField> held_;
    std::vector<size_t> held_until_;
};

}  // namespace dovetail
