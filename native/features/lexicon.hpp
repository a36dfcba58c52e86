// Entries of one or more words, found in running text: the longest from each token on, left to right.
#pragma once
#include "features/columns.hpp"

namespace dovetail {

class Lexicon {
public:
    explicit Lexicon(const std::vector<std::vector<std::string>>& entries) {
        for (const auto& words : entries) {
            uint64_t key = kEmpty;
            for (size_t k = 0; k < words.size(); ++k) {
                key = longer(key, key_of(words[k].data(), words[k].size()));
                const auto fresh = static_cast<uint32_t>(whole_.size());
                const uint32_t place = prefixes_.find_or_add(key, fresh);
                if (place == fresh) whole_.push_back(0);
                if (k + 1 == words.size()) whole_[place] = 1;
            }
        }
    }
    // A column of the entries in another column's words: B where one begins, I where it goes on.
    void add_matches(Columns& columns, std::string name, std::string_view source) const {
        const ItemColumn& from = columns.at(source);
        Items items;
        for (const char* text : {"B", "I"}) items.add(text), items.end();
        columns.add(std::move(name), match(*from.codes, *from.items, columns.bounds), std::move(items));
    }

private:
    // For each token: 0 where an entry begins, 1 where one goes on, -1 elsewhere. Of a token with several items, the
    // first counts.
    Codes match(const Codes& codes, const Items& items, const std::vector<uint64_t>& bounds) const {
        Codes out(codes.size(), -1);
        const KeyTableView table = prefixes_.view();
        for (size_t s = 0; s + 1 < bounds.size(); ++s)
            for (size_t t = bounds[s]; t < bounds[s + 1];) {
                size_t end = t;
                uint64_t key = kEmpty;
                for (size_t at = t; at < bounds[s + 1]; ++at) {
                    const int32_t level = codes[at];
                    if (level < 0 || items.begin[level] == items.begin[level + 1]) break;
                    key = longer(key, items.hash[items.begin[level]]);
                    const uint32_t place = table.find(key);
                    if (place == kNone) break;
                    if (whole_[place]) end = at + 1;
                }
                for (size_t at = t; at < end; ++at) out[at] = at > t;
                t = std::max(end, t + 1);
            }
        return out;
    }

    static constexpr uint64_t kEmpty = 0x2545F4914F6CDD1Dull;
    static uint64_t longer(uint64_t key, uint64_t hash) {
        const uint64_t next = fold(key ^ hash, 0x9E3779B97F4A7C15ull) + hash;
        return next ? next : 1;
    }
    KeyTable prefixes_;
    std::vector<uint8_t> whole_;
};

}  // namespace dovetail
