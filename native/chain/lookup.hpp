// From keys of features to the numbers that a model has for them.
#pragma once
#include "chain/model.hpp"
#include "features/dataset.hpp"

namespace dovetail {

// Looks up the features of tokens and adds the known ones to a batch. Look-ups wait until their slots, asked for in
// advance, have arrived from memory.
class Lookup {
public:
    Lookup(const Model& model, Features& x) : model_(model), x_(x) {}
    void add(uint64_t key, float value) {
        __builtin_prefetch(model_.table.home(key));
        waiting_.push_back({key, value});
    }
    void end_token() {
        ends_.push_back(waiting_.size());
        if (waiting_.size() >= kMost) settle();
    }
    void settle() {
        size_t k = 0;
        for (size_t end : ends_) {
            for (; k < end; ++k) {
                const uint32_t id = model_.table.find(waiting_[k].key);
                if (id < model_.n_features()) x_.add(id, waiting_[k].value);
            }
            x_.end_token();
        }
        waiting_.clear(), ends_.clear();
    }
    void end_sequence() {
        settle();
        x_.end_sequence();
    }

private:
    static constexpr size_t kMost = 256;
    struct Waiting {
        uint64_t key;
        float value;
    };
    const Model& model_;
    Features& x_;
    std::vector<Waiting> waiting_;
    std::vector<size_t> ends_;
};

}  // namespace dovetail
