// What dual ascent visits at a time: a sequence, or a few neighbouring ones that share their potentials of transitions.
//
// Such potentials and expectations take a number for each transition that has a weight: with many labels more than
// those of a short sequence's tokens take together. Neighbours whose distributions have the same potentials of
// transitions need only one set of them, and are as good a block for the ascent as one long sequence is.
#pragma once
#include "chain/problem.hpp"

namespace dovetail {

class DualUnits {
public:
    explicit DualUnits(const Problem& problem) : problem_(&problem) {
        const size_t transitions = problem.layout.weighted_transitions().size(), Lp = static_cast<size_t>(problem.Lp());
        const bool joined = sizeof(float) * problem.size() * transitions > kWorthwhile;
        const size_t least = joined ? std::min(kMost, kShare * transitions / Lp) : 0;  // tokens
        for (size_t s = 0; s < problem.size(); ++s)
            if (s == 0 || problem.begin(s) - problem.begin(bounds_.back()) >= std::max<size_t>(1, least))
                bounds_.push_back(static_cast<uint32_t>(s));
        bounds_.push_back(static_cast<uint32_t>(problem.size()));
    }
    size_t size() const { return bounds_.size() - 1; }
    size_t begin(size_t unit) const { return problem_->begin(bounds_[unit]); }  // its first token
    size_t length(size_t unit) const { return problem_->data->x.sequences[bounds_[unit + 1]] - begin(unit); }
    template <class Visit> void each_sequence(size_t unit, Visit visit) const {
        for (size_t s = bounds_[unit]; s < bounds_[unit + 1]; ++s)
            if (problem_->length(s)) visit(s);
    }

private:
    static constexpr size_t kShare = 4;   // tokens of a unit take so many times the bytes of its transitions
    static constexpr size_t kMost = 128;  // tokens, by which a unit is closed: larger ones ascend in smaller steps
    static constexpr size_t kWorthwhile = size_t{16} << 20;  // bytes of all potentials of transitions

    const Problem* problem_;
    std::vector<uint32_t> bounds_;  // [units + 1], in sequences
};

}  // namespace dovetail
