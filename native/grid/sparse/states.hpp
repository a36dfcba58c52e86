// What sparse inference keeps at a token, and how it chooses that.
#pragma once
#include <cmath>
#include <numeric>

#include "grid/results.hpp"
#include "grid/sparse/plan.hpp"

namespace dovetail {

struct SparseLimits {
    double epsilon;  // share of the mass that may be lost at a token
    size_t beam;     // states kept at a token, at most
};

struct SparseStates {
    std::vector<uint64_t> key;
    std::vector<double> mass, best;  // logs: of all paths into the state, of the best one
    std::vector<uint32_t> origin;    // where the best path comes from, among the states at the token before

    size_t size() const { return key.size(); }
    void resize(size_t n) { key.resize(n), mass.resize(n), best.resize(n), origin.resize(n); }
    void set(size_t n, uint64_t k, double m, double b, uint32_t from) {
        key[n] = k, mass[n] = m, best[n] = b, origin[n] = from;
    }
};

// What a step did to the mass.
struct SparseLoss {
    double kept = 1;        // share of the mass at the token
    bool narrowed = false;  // states were dropped that could have gone on
    double log_scale = 0;   // what was taken out of all masses
};

// What a stage did: which state became which by which new label, and the share it has in the new state's mass.
struct SparseBranches {
    struct Branch {
        uint32_t from, to, label;
        double share;
    };
    std::vector<uint64_t> from_key;
    std::vector<Branch> branches;
};

inline size_t padded(size_t labels) { return static_cast<size_t>(padded(static_cast<int>(labels))); }

// log(x) for x >= 1: with x = 2^n m, m near 1 and s = (m - 1) / (m + 1), it is n log(2) + 2 (s + s^3 / 3 + s^5 / 5 +
// ...).
inline Vec<double> log_from_one(const Vec<double>& x) {
    using Part = Vec<double>::Part;
    typedef uint64_t Bits __attribute__((vector_size(sizeof(Part))));
    constexpr double kWhole = 6755399441055744.0;  // 1.5 * 2^52: a whole number added to its bits is one added to it
    const Vec<double> risen = x * 1.4142135623730951;
    Vec<double> n, m;
#pragma GCC unroll 8
    for (int k = 0; k < Vec<double>::kParts; ++k) {
        const Bits exponent = ((Bits)risen.part[k] >> 52) - 1023;
        n.part[k] = (Part)(exponent + std::bit_cast<uint64_t>(kWhole)) - kWhole;
        m.part[k] = (Part)((Bits)x.part[k] - (exponent << 52));
    }
    const Vec<double> s = (m - 1.0) / (m + 1.0), square = s * s;
    Vec<double> sum = splat(1.0 / 19);
    for (int odd = 17; odd > 0; odd -= 2) sum = fma(sum, square, 1.0 / odd);
    return fma(0.6931471805599453, n, 2.0 * s * sum);
}

// A bit for each of eight values that is not below the cut.
inline unsigned lanes_from(double cut, const double* values) { return bits_of(load(values) >= cut); }

// Scores of cotemporal factors at a token. Rows of them may be read in whole blocks.
class CotemporalScores {
public:
    explicit CotemporalScores(const Grids& grids)
        : grids_(grids), at_(grids.cotemporal.size()), copy_(grids.cotemporal.size()) {}
    void set(const GridView& view, size_t t) {
        const size_t tokens_after = grids_.n_tokens() - (view.first + t + 1);
        for (size_t k = 0; k < at_.size(); ++k) {
            const size_t size = grids_.factor_size(grids_.cotemporal[k]);
            at_[k] = view.cotemporal(k, t);
            if (tokens_after * size >= kLane) continue;
            copy_[k].assign(at_[k], at_[k] + size);
            copy_[k].resize(size + kLane);
            at_[k] = copy_[k].data();
        }
    }
    const double* operator[](size_t k) const { return at_[k]; }

private:
    const Grids& grids_;
    std::vector<const double*> at_;
    std::vector<std::vector<double>> copy_;  // at the last tokens of all, where there is not a block after the last row
};

// The fewest states that hold 1 - epsilon of the mass, and no more than the beam.
class FewestStates {
public:
    struct Ranked {
        double value;
        uint32_t state;
        bool operator<(const Ranked& other) const {
            return value != other.value ? value > other.value : state < other.state;
        }
    };
    // masses: padded with zeros to whole blocks. Values give the order: the masses themselves, or their logs.
    void choose(const std::vector<double>& masses, const double* values, size_t n, const SparseLimits& limits,
                SparseLoss& loss) {
        Vec<double> sums{};
        for (size_t k = 0; k < n; k += kLane) sums += load(&masses[k]);
        const double all = sum_of<double>(sums);
        const double may_lose = limits.epsilon > 0 ? all * std::max(0.0, 1 - (1 - limits.epsilon) / loss.kept) : -1.0;
        const double all_of_these = may_lose / static_cast<double>(n);  // states below can all go
        const double least = limits.epsilon > 0 ? std::max(all_of_these, std::numeric_limits<double>::min()) : 0.0;
        ranked.clear();
        for (size_t k = 0; k < n; k += kLane)
            for (unsigned rest = lanes_from(least, &masses[k]); rest; rest &= rest - 1)
                if (const size_t state = k + static_cast<size_t>(std::countr_zero(rest)); state < n)
                    ranked.push_back({values[state], static_cast<uint32_t>(state)});
        std::sort(ranked.begin(), ranked.end());
        double held = 0;
        size_t stay = 0;
        while (stay < std::min(ranked.size(), limits.beam) && all - held > may_lose)
            held += masses[ranked[stay++].state];
        if (stay < n) loss.kept *= std::min(1.0, held / all), loss.narrowed = true;
        ranked.resize(stay);
    }
    std::vector<Ranked> ranked;  // those that stay, best first
};

}  // namespace dovetail
