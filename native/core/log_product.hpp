// Products of more factors than fit the range of numbers.
#pragma once
#include "core/elementary.hpp"

namespace dovetail {

// log of a product of many factors, taking logarithms only now and then.
class LogProduct {
public:
    void times(double factor) {
        product_ *= factor;
        if (!(product_ > 1e-200 && product_ < 1e200)) flush();
    }
    void plus(double log_factor) { log_ += log_factor; }
    double log() {
        flush();
        return log_;
    }

private:
    void flush() {
        log_ += portable::log(product_);
        product_ = 1.0;
    }
    double log_ = 0.0, product_ = 1.0;
};

}  // namespace dovetail
