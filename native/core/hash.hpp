// 64-bit keys of feature strings, and the open-addressed table from key to feature id.
// Two different strings share a key with probability n^2 / 2^65 in a set of n: about 3e-8 for a million,
// 3e-6 for ten million. The strings themselves are kept apart, for people to read.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace dovetail {

inline uint64_t fold(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}
inline uint64_t read64(const char* p) {
    uint64_t value;
    std::memcpy(&value, p, 8);
    return value;
}
inline uint64_t read_tail(const char* p, size_t n) {  // n < 8
    uint64_t value = 0;
    std::memcpy(&value, p, n);
    return value;
}

// Eight bytes a step, each folded into the state by a 64 x 64 -> 128 bit product. Stored in model files
// (little-endian machines only), so it must never change.
inline uint64_t key_of(const char* text, size_t length, uint64_t seed = 0) {
    constexpr uint64_t k0 = 0x9E3779B97F4A7C15ull, k1 = 0xD6E8FEB86659FD93ull, k2 = 0xA0761D6478BD642Full;
    uint64_t state = fold(seed ^ k0, length ^ k1);
    size_t rest = length;
    for (; rest >= 8; rest -= 8, text += 8) state = fold(state ^ read64(text), k1) + k2;
    state = fold(state ^ read_tail(text, rest), k2) + rest;
    const uint64_t key = fold(state ^ k0, k1);
    return key ? key : 1;  // 0 marks an empty slot
}

constexpr uint32_t kNone = 0xFFFFFFFFu;

// Slots of three 32-bit words (key low, key high, id): one cache line a look-up, mapped from a file as it is.
struct KeyTableView {
    const uint32_t* slots = nullptr;
    uint64_t mask = 0;  // capacity - 1; capacity is a power of two, with at least one empty slot

    static uint64_t slot_key(const uint32_t* slot) { return slot[0] | static_cast<uint64_t>(slot[1]) << 32; }
    const uint32_t* home(uint64_t key) const { return slots + 3 * (key & mask); }
    uint32_t find(uint64_t key) const {
        for (uint64_t at = key & mask, left = mask + 1; left; at = (at + 1) & mask, --left) {
            const uint32_t* slot = slots + 3 * at;
            const uint64_t found = slot_key(slot);
            if (found == key) return slot[2];
            if (!found) return kNone;
        }
        return kNone;
    }
};

class KeyTable {
public:
    explicit KeyTable(size_t expected = 0) {
        size_t capacity = 64;
        while (capacity * 5 < expected * 8) capacity *= 2;
        slots_.assign(3 * capacity, 0);
        mask_ = capacity - 1;
    }
    KeyTableView view() const { return {slots_.data(), mask_}; }
    const std::vector<uint32_t>& slots() const { return slots_; }

    // The id of `key`; where it is new it gets `fresh`.
    uint32_t find_or_add(uint64_t key, uint32_t fresh) {
        if (8 * (used_ + 1) > 5 * (mask_ + 1)) rebuild(2 * (mask_ + 1), kNone);
        uint64_t at = key & mask_;
        for (;; at = (at + 1) & mask_) {
            uint32_t* slot = slots_.data() + 3 * at;
            const uint64_t found = KeyTableView::slot_key(slot);
            if (found == key) return slot[2];
            if (!found) {
                write(slot, key, fresh);
                ++used_;
                return fresh;
            }
        }
    }
    void keep_below(uint32_t id) { rebuild(mask_ + 1, id); }

private:
    static void write(uint32_t* slot, uint64_t key, uint32_t id) {
        slot[0] = static_cast<uint32_t>(key);
        slot[1] = static_cast<uint32_t>(key >> 32);
        slot[2] = id;
    }
    void rebuild(size_t capacity, uint32_t below) {
        std::vector<uint32_t> old(3 * capacity, 0);
        old.swap(slots_);
        mask_ = capacity - 1;
        used_ = 0;
        for (size_t i = 0; i < old.size(); i += 3) {
            const uint64_t key = KeyTableView::slot_key(&old[i]);
            if (!key || old[i + 2] >= below) continue;
            uint64_t at = key & mask_;
            while (KeyTableView::slot_key(&slots_[3 * at])) at = (at + 1) & mask_;
            write(&slots_[3 * at], key, old[i + 2]);
            ++used_;
        }
    }
    std::vector<uint32_t> slots_;
    uint64_t mask_ = 0, used_ = 0;
};

// Strings by number: all bytes in one run, with offsets.
class StringPool {
public:
    size_t size() const { return offsets_.size() - 1; }
    std::string_view operator[](size_t k) const { return {bytes_.data() + offsets_[k], offsets_[k + 1] - offsets_[k]}; }
    void add(const char* text, size_t length) {
        bytes_.insert(bytes_.end(), text, text + length);
        offsets_.push_back(bytes_.size());
    }
    void keep(size_t count) {
        offsets_.resize(count + 1);
        bytes_.resize(offsets_.back());
    }
    const std::vector<char>& bytes() const { return bytes_; }
    const std::vector<uint64_t>& offsets() const { return offsets_; }

private:
    std::vector<char> bytes_;
    std::vector<uint64_t> offsets_{0};
};

// Strings to numbers in order of first appearance.
class Interner {
public:
    size_t size() const { return names_.size(); }
    const StringPool& names() const { return names_; }
    const KeyTable& table() const { return table_; }
    uint32_t add(const char* text, size_t length) { return add(key_of(text, length), text, length); }
    uint32_t add(uint64_t key, const char* text, size_t length) {
        const auto fresh = static_cast<uint32_t>(names_.size());
        const uint32_t id = table_.find_or_add(key, fresh);
        if (id == fresh) names_.add(text, length);
        return id;
    }
    // name(): called for the string where `key` is new.
    template <class Name> uint32_t add(uint64_t key, Name name) {
        const auto fresh = static_cast<uint32_t>(names_.size());
        const uint32_t id = table_.find_or_add(key, fresh);
        if (id == fresh) {
            const auto text = name();
            names_.add(text.data(), text.size());
        }
        return id;
    }
    // Forgets all but the first `count` strings.
    void keep(size_t count) {
        if (count == size()) return;
        names_.keep(count);
        table_.keep_below(static_cast<uint32_t>(count));
    }
    // The key of each string.
    std::vector<uint64_t> keys() const {
        std::vector<uint64_t> out(size());
        const std::vector<uint32_t>& slots = table_.slots();
        for (size_t k = 0; k < slots.size(); k += 3)
            if (const uint64_t key = KeyTableView::slot_key(&slots[k])) out[slots[k + 2]] = key;
        return out;
    }
    uint32_t find(const char* text, size_t length) const { return table_.view().find(key_of(text, length)); }

private:
    KeyTable table_;
    StringPool names_;
};

}  // namespace dovetail
