// Tasks over threads. Which thread runs a task never changes a result: tasks share nothing.
#pragma once
#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace dovetail {

// Calls run(task, worker) for every task in [0, tasks), workers numbered from 0. The first error is rethrown.
template <class Run> void parallel(size_t tasks, int threads, Run run) {
    const size_t workers = std::max<size_t>(1, std::min<size_t>(tasks, static_cast<size_t>(std::max(1, threads))));
    if (workers == 1) {
        for (size_t task = 0; task < tasks; ++task) run(task, size_t{0});
        return;
    }
    std::atomic<size_t> next{0};
    std::vector<std::exception_ptr> errors(tasks);
    const auto work = [&](size_t worker) {
        for (size_t task = next++; task < tasks; task = next++) try {
                run(task, worker);
            } catch (...) {
                errors[task] = std::current_exception();
            }
    };
    std::vector<std::thread> others;
    try {
        for (size_t worker = 1; worker < workers; ++worker) others.emplace_back(work, worker);
    } catch (const std::system_error&) {  // no more threads to be had: those there are will do
    }
    work(0);
    for (auto& thread : others) thread.join();
    for (auto& error : errors)
        if (error) std::rethrow_exception(error);
}

}  // namespace dovetail
