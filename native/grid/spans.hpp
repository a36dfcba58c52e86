// Probabilities that one layer's labels lie within masks over a span of tokens. One forward and one backward pass serve
// all spans of a sequence; each then costs a forward pass over its own tokens, with the masks in it.
//
//   P = sum_k event_t(k) beta_t(k)
//
// where t is the last token of the span's masks, and event is alpha with the masks, on the scale of alpha.
#pragma once
#include "core/label_span.hpp"
#include "grid/viterbi.hpp"

namespace dovetail {

template <class Cell> class GridSpans {
public:
    explicit GridSpans(const GridLayout& layout) : layout_(layout), messages_(layout) {}

    // log P of each span; false: numbers have left the range.
    bool run(const GridView& view, size_t s, size_t layer, const std::vector<LabelSpan>& spans,
             std::vector<double>& out) {
        layer_ =
            static_cast<size_t>(std::find(layout_.layer.begin(), layout_.layer.end(), layer) - layout_.layer.begin());
        out.assign(spans.size(), 0.0);
        if (!view.T) return true;
        bool in_range = true;
        std::vector<double> scales;
        const double whole = messages_.run(view, in_range, &scales);
        if (!in_range) return false;
        if (!std::isfinite(whole)) throw ImpossibleGrid(layout_.all, s);
        const auto first = [&](size_t k) { return spans[k].begin ? spans[k].begin - 1 : 0; };
        const auto last = [&](size_t k) { return std::min(spans[k].end, view.T - 1); };

        std::vector<size_t> order(spans.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return first(a) > first(b); });
        std::vector<Array<double>> starts(spans.size());
        for (size_t k : order) starts[k].assign(messages_.alpha(first(k)), messages_.alpha(first(k)) + layout_.size());
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return last(a) > last(b); });

        Array<double> beta(layout_.size(), Cell::one);
        Cell::rescale(beta.data(), beta.size(), Cell::total(messages_.alpha(view.T - 1), beta.data(), beta.size()),
                      in_range);
        size_t t = view.T - 1;
        for (size_t k : order) {
            for (; t > last(k); --t) messages_.retreat(t, beta, in_range);
            Array<double>& event = starts[k];
            LogProduct scale;
            mask(spans[k], first(k), event.data());
            for (size_t u = first(k) + 1; u <= t; ++u) {
                messages_.advance(u, event, scale, in_range);
                mask(spans[k], u, event.data());
            }
            const double left = Cell::log_of(Cell::total(event.data(), beta.data(), beta.size()));
            out[k] = std::min(0.0, scale.log() + left - (scales[t] - scales[first(k)]));
            event = {};
        }
        return in_range;
    }

private:
    void mask(const LabelSpan& span, size_t t, double* message) const {
        const size_t L = layout_.L[layer_], inner = layout_.inner[layer_];
        const uint8_t* allowed = span.masks + (t + 1 - span.begin) * L;
        const size_t stripe = layer_ + 1 == layout_.N ? layout_.width : L * inner;
        for (size_t o = 0; o < layout_.outer[layer_]; ++o, message += stripe)
            for (size_t y = 0; y < L; ++y)
                if (!allowed[y]) std::fill(message + y * inner, message + (y + 1) * inner, Cell::zero);
    }

    const GridLayout& layout_;
    GridMessages<Cell> messages_;
    size_t layer_ = 0;
};

inline std::vector<double> grid_span_log_probabilities(const Grids& grids, size_t s, size_t layer,
                                                       const std::vector<LabelSpan>& spans) {
    const GridLayout layout(grids);
    const GridView view(grids, s);
    std::vector<double> out;
    if (!GridSpans<GridSum>(layout).run(view, s, layer, spans, out))
        GridSpans<GridLogSum>(layout).run(view, s, layer, spans, out);
    return out;
}

}  // namespace dovetail
