// Word classes by exchange (Kneser and Ney 1993; Martin, Liermann and Ney 1998): each word in turn moves to the class
// that makes the text most likely under a bigram model of classes,
//
//   log-likelihood = sum_{c, d} phi(N(c, d)) - 2 sum_c phi(n(c)) + sum_w phi(n(w)),     phi(n) = n log n
//
// with N the counts of neighbouring classes and n those of classes and words. The border of a sequence is a word in a
// class of its own, which never moves.
//
// Tokens may have codes: labels, domains, classes of another kind. A table of them adds, times its weight, the
// log-likelihood of codes given classes,
//
//   sum_{c, k} phi(N(c, k)) - sum_c phi(N(c)),
//
// so that classes predict the codes, or with a weight below zero do not.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/elementary.hpp"
#include "core/random.hpp"

namespace dovetail {

// Codes of words, counted: which words have which codes, and how often classes have them.
class CodeCounts {
public:
    CodeCounts(const int32_t* words, const int32_t* codes, size_t tokens, size_t V, size_t K, size_t n_codes,
               double weight)
        : K_(K), weight_(weight), begin_(V + 1, 0), n_(n_codes * K, 0), totals_(K, 0) {
        std::vector<uint64_t> seen;
        for (size_t t = 0; t < tokens; ++t)
            if (codes[t] >= 0) seen.push_back(uint64_t(words[t]) << 32 | uint32_t(codes[t]));
        std::sort(seen.begin(), seen.end());
        for (size_t k = 0; k < seen.size();) {
            size_t end = k;
            while (end < seen.size() && seen[end] == seen[k]) ++end;
            list_.push_back({static_cast<uint32_t>(seen[k]), static_cast<int64_t>(end - k)});
            begin_[(seen[k] >> 32) + 1] = list_.size();
            k = end;
        }
        for (size_t w = 1; w <= V; ++w) begin_[w] = std::max(begin_[w], begin_[w - 1]);
    }
    void put(uint32_t w, size_t c, int64_t sign) {
        for (size_t k = begin_[w]; k < begin_[w + 1]; ++k)
            n_[list_[k].code * K_ + c] += sign * list_[k].count, totals_[c] += sign * list_[k].count;
    }
    // What it is worth to add a word to each class.
    template <class Phi> void add_gains(uint32_t w, std::vector<double>& gains, const Phi& phi) const {
        int64_t all = 0;
        for (size_t k = begin_[w]; k < begin_[w + 1]; ++k) {
            const auto [code, count] = list_[k];
            const int64_t* row = &n_[code * K_];
            for (size_t c = 0; c < K_; ++c) gains[c] += weight_ * (phi(row[c] + count) - phi(row[c]));
            all += count;
        }
        if (all)
            for (size_t c = 0; c < K_; ++c) gains[c] -= weight_ * (phi(totals_[c] + all) - phi(totals_[c]));
    }

private:
    struct Counted {
        uint32_t code;
        int64_t count;
    };
    size_t K_;
    double weight_;
    std::vector<size_t> begin_;  // of each word in the list
    std::vector<Counted> list_;
    std::vector<int64_t> n_;  // codes x classes
    std::vector<int64_t> totals_;
};

class WordExchange {
public:
    WordExchange(const int32_t* words, size_t tokens, const uint64_t* bounds, size_t sequences, size_t V, size_t K,
                 uint64_t seed)
        : V_(V),
          K_(K),
          size_(K + 1),
          n_word_(V + 1, 0),
          class_(V + 1, 0),
          pairs_(size_ * size_, 0),
          turned_(size_ * size_, 0),
          n_(size_, 0),
          phi_(kTable) {
        if (!K || K > V) throw std::invalid_argument("there must be at least one class and at most as many as words");
        for (size_t n = 1; n < kTable; ++n) phi_[n] = double(n) * portable::log(double(n));
        count(words, tokens, bounds, sequences);
        assign(seed);
    }

    // From now on classes also predict these codes, one a token, -1 where there is none.
    void add_codes(const int32_t* words, const int32_t* codes, size_t tokens, size_t n_codes, double weight) {
        CodeCounts& counts = codes_.emplace_back(words, codes, tokens, V_, K_, n_codes, weight);
        for (uint32_t w : order_) counts.put(w, class_[w], 1);
    }

    // Every word once, the frequent ones first; how many have moved.
    size_t sweep() {
        size_t moved = 0;
        for (uint32_t w : order_) moved += exchange(w);
        return moved;
    }

    double log_likelihood() const {
        double sum = 0;
        for (int64_t n : pairs_) sum += phi(n);
        for (int64_t n : n_) sum -= 2 * phi(n);
        for (int64_t n : n_word_) sum += phi(n);
        return sum;
    }
    size_t n_words() const { return V_; }
    std::vector<int32_t> classes() const { return {class_.begin(), class_.begin() + V_}; }

private:
    static constexpr size_t kTable = 1 << 16;
    struct Neighbour {
        uint32_t word;
        int64_t count;
    };
    struct Neighbours {  // of all words, word by word
        std::vector<size_t> begin;
        std::vector<Neighbour> list;
    };

    const size_t V_, K_, size_;  // words, classes, and classes with that of the border
    std::vector<int64_t> n_word_;
    std::vector<int32_t> class_;
    std::vector<int64_t> pairs_, turned_;  // N, and its transpose
    std::vector<int64_t> n_;
    std::vector<double> phi_;
    std::vector<uint32_t> order_;
    Neighbours before_, after_;
    std::vector<CodeCounts> codes_;
    std::vector<int64_t> left_, right_;
    std::vector<double> gain_;

    double phi(int64_t n) const {
        return static_cast<uint64_t>(n) < kTable ? phi_[n] : double(n) * portable::log(double(n));
    }

    void count(const int32_t* words, size_t tokens, const uint64_t* bounds, size_t sequences) {
        const auto border = static_cast<uint32_t>(V_);
        std::vector<uint64_t> seen;
        seen.reserve(tokens + sequences);
        for (size_t s = 0; s < sequences; ++s) {
            uint32_t last = border;
            for (uint64_t t = bounds[s]; t < bounds[s + 1]; ++t) {
                const auto word = static_cast<uint32_t>(words[t]);
                ++n_word_[word];
                seen.push_back(uint64_t{last} << 32 | word);
                last = word;
            }
            if (bounds[s + 1] > bounds[s]) seen.push_back(uint64_t{last} << 32 | border), ++n_word_[border];
        }
        std::sort(seen.begin(), seen.end());
        after_ = group_neighbours(seen);
        for (uint64_t& pair : seen) pair = pair << 32 | pair >> 32;
        std::sort(seen.begin(), seen.end());
        before_ = group_neighbours(seen);
    }
    Neighbours group_neighbours(const std::vector<uint64_t>& seen) const {
        Neighbours out;
        out.begin.assign(V_ + 2, 0);
        for (size_t k = 0; k < seen.size();) {
            size_t end = k;
            while (end < seen.size() && seen[end] == seen[k]) ++end;
            out.list.push_back({static_cast<uint32_t>(seen[k]), static_cast<int64_t>(end - k)});
            out.begin[(seen[k] >> 32) + 1] = out.list.size();
            k = end;
        }
        for (size_t w = 1; w < out.begin.size(); ++w) out.begin[w] = std::max(out.begin[w], out.begin[w - 1]);
        return out;
    }

    // The most frequent words begin alone, the others at random.
    void assign(uint64_t seed) {
        for (size_t w = 0; w < V_; ++w)
            if (n_word_[w]) order_.push_back(static_cast<uint32_t>(w));
        std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return n_word_[a] > n_word_[b]; });
        Random random(seed);
        for (size_t k = 0; k < order_.size(); ++k)
            class_[order_[k]] = static_cast<int32_t>(k < K_ ? k : random.below(K_));
        class_[V_] = static_cast<int32_t>(K_);
        for (size_t w = 0; w <= V_; ++w) n_[class_[w]] += n_word_[w];
        for (size_t w = 0; w <= V_; ++w)
            for (size_t k = after_.begin[w]; k < after_.begin[w + 1]; ++k)
                add(class_[w], class_[after_.list[k].word], after_.list[k].count);
        left_.assign(size_, 0), right_.assign(size_, 0), gain_.assign(K_, 0.0);
    }
    void add(size_t from, size_t to, int64_t count) {
        pairs_[from * size_ + to] += count, turned_[to * size_ + from] += count;
    }

    int64_t gather(const Neighbours& all, uint32_t w, std::vector<int64_t>& by_class) const {
        int64_t self = 0;
        std::fill(by_class.begin(), by_class.end(), 0);
        for (size_t k = all.begin[w]; k < all.begin[w + 1]; ++k)
            (all.list[k].word == w ? self : by_class[class_[all.list[k].word]]) += all.list[k].count;
        return self;
    }
    void put(size_t c, int64_t self, int64_t sign, int64_t count) {
        for (size_t d = 0; d < size_; ++d) {
            if (left_[d]) add(d, c, sign * left_[d]);
            if (right_[d]) add(c, d, sign * right_[d]);
        }
        add(c, c, sign * self);
        n_[c] += sign * count;
    }

    bool exchange(uint32_t w) {
        const auto now = static_cast<size_t>(class_[w]);
        if (n_[now] == n_word_[w]) return false;  // alone: no class is left empty
        gather(before_, w, left_);
        const int64_t self = gather(after_, w, right_);
        put(now, self, -1, n_word_[w]);
        for (size_t c = 0; c < K_; ++c) {
            const int64_t here = pairs_[c * size_ + c], both = here + left_[c] + right_[c] + self;
            gain_[c] = phi(both) - phi(here) - 2 * (phi(n_[c] + n_word_[w]) - phi(n_[c]));
        }
        for (size_t d = 0; d < size_; ++d) {
            add_gains(d, left_[d], &pairs_[d * size_]);
            add_gains(d, right_[d], &turned_[d * size_]);
        }
        for (CodeCounts& counts : codes_) {
            counts.put(w, now, -1);
            counts.add_gains(w, gain_, [this](int64_t n) { return phi(n); });
        }
        size_t best = now;
        for (size_t c = 0; c < K_; ++c)
            if (gain_[c] > gain_[best] + 1e-9) best = c;
        put(best, self, 1, n_word_[w]);
        for (CodeCounts& counts : codes_) counts.put(w, best, 1);
        class_[w] = static_cast<int32_t>(best);
        return best != now;
    }
    // What it is worth to add `count` to the cells of row d, but for that on the diagonal.
    void add_gains(size_t d, int64_t count, const int64_t* row) {
        if (!count) return;
        for (size_t c = 0; c < K_; ++c)
            if (c != d) gain_[c] += phi(row[c] + count) - phi(row[c]);
    }
};

}  // namespace dovetail
