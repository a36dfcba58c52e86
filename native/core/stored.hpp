// Numbers that were made here, or that stand in a file mapped into memory. Who maps it keeps it alive.
#pragma once
#include <cstddef>

#include "core/memory.hpp"

namespace dovetail {

template <class T> class Stored {
public:
    Stored() = default;
    Stored(const T* data, size_t size) : data_(data), size_(size) {}
    Stored(Stored&& other) noexcept { *this = std::move(other); }
    Stored& operator=(Stored&& other) noexcept {
        own_ = std::move(other.own_);  // a vector that moves keeps its place
        data_ = other.data_;
        size_ = other.size_;
        return *this;
    }
    size_t size() const { return size_; }
    bool empty() const { return !size_; }
    const T* data() const { return data_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    const T& operator[](size_t k) const { return data_[k]; }
    const T& back() const { return data_[size_ - 1]; }

    void reserve(size_t size) {
        own_.reserve(size);
        data_ = own_.data();
    }
    void push_back(T value) {
        own_.push_back(value);
        data_ = own_.data();
        size_ = own_.size();
    }

private:
    Array<T> own_;
    const T* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace dovetail
