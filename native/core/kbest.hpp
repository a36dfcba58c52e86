// The k best paths through T states each, exactly. Best prefixes are known for every state at every place, so a path is
// described by where, seen from its end, it leaves the best way on: it is its parent from t + 1 on, another state than
// the best at t, and from there the best prefix. Its loss against the best path of all is its parent's, and what the
// other state costs. Only as many candidates are kept as may still be wanted.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

namespace dovetail {

template <class State> class KBestPaths {
public:
    std::vector<State> paths;  // [found x T]
    std::vector<double> loss;  // [found], against the best, which comes first

    // prefixes.best(t, path): the best state at t, given that at t + 1 (path + t + 1), if there is one.
    // prefixes.each_other(loss, worst, visit): calls visit(state, loss with it) for the other states at that t; those
    // whose loss is above worst() may be left out.
    template <class Prefixes> void run(size_t T, size_t k, Prefixes& prefixes) {
        paths.clear(), loss.clear(), candidates_.clear();
        if (k == 0) return;
        if (T == 0) return loss.push_back(0.0);
        follow({0.0, 0, T, State{}}, T, k, prefixes);
        while (loss.size() < k && !candidates_.empty()) {
            const Candidate next = *candidates_.begin();
            candidates_.erase(candidates_.begin());
            follow(next, T, k, prefixes);
        }
    }

private:
    struct Candidate {
        double loss;
        size_t parent;  // number of the path it leaves
        size_t t;       // where; T: nowhere, the best path itself
        State state;    // what it has there
        bool operator<(const Candidate& other) const {
            return std::tie(loss, parent, t, state) < std::tie(other.loss, other.parent, other.t, other.state);
        }
    };

    // Writes the candidate's states down and offers all paths that leave it further to the front.
    template <class Prefixes> void follow(const Candidate& from, size_t T, size_t k, Prefixes& prefixes) {
        const size_t number = loss.size();
        paths.resize(paths.size() + T);
        loss.push_back(from.loss);
        State* path = &paths[number * T];
        if (from.t < T) {
            const State* parent = &paths[from.parent * T];
            std::copy(parent + from.t + 1, parent + T, path + from.t + 1);
            path[from.t] = from.state;
        }
        for (size_t t = from.t; t-- > 0;) {
            path[t] = prefixes.best(t, path);
            prefixes.each_other(
                from.loss, [&] { return worst(k); },
                [&](State state, double total) { offer({total, number, t, state}, k); });
        }
    }
    // Candidates of a greater loss are not wanted any more.
    double worst(size_t k) const {
        const size_t wanted = k - loss.size();
        if (candidates_.size() < wanted) return std::numeric_limits<double>::max();
        return wanted ? candidates_.rbegin()->loss : -1.0;
    }
    void offer(const Candidate& candidate, size_t k) {
        if (!std::isfinite(candidate.loss)) return;
        const size_t wanted = k - loss.size();
        if (candidates_.size() >= wanted && (!wanted || !(candidate < *candidates_.rbegin()))) return;
        candidates_.insert(candidate);
        if (candidates_.size() > wanted) candidates_.erase(std::prev(candidates_.end()));
    }

    std::set<Candidate> candidates_;
};

}  // namespace dovetail
