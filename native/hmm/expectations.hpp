// Expected counts, posteriors and likelihoods of a hidden Markov model over all sequences.
//
// A wave of chunks is worked on at a time. Chunks share nothing; their posteriors are then added up word by word, each
// word's rows in fixed order by whichever thread has the word, and their other sums are added in the order of the
// chunks. So the result is the same bit for bit for any number of threads.
#pragma once
#include <memory>
#include <mutex>

#include "hmm/chunk.hpp"

namespace dovetail {

struct HmmCounts {
    std::vector<double> start, transitions, emissions;  // [K], [K x K], [V x K]
    std::vector<std::vector<double>> codes;             // for each table of costs, [codes x K]
    std::vector<double> log_likelihood;                 // of each sequence
};

template <class R> class HmmExpectations {
public:
    HmmExpectations(const HmmPlan& plan, const HmmParameters& parameters, const HmmCosts& costs, int threads)
        : plan_(plan),
          parameters_(parameters),
          costs_(costs),
          threads_(threads),
          tables_(parameters, plan.n_words, costs, threads),
          K_(tables_.K),
          Kp_(tables_.Kp) {
        for (int k = 0; k < std::max(1, threads); ++k) passes_.emplace_back(plan, tables_);
    }

    std::vector<double> log_likelihoods() {
        std::vector<double> out(plan_.n_sequences, 0.0);
        parallel(plan_.chunks.size(), threads_, [&](size_t c, size_t worker) {
            const FlushTiny flush;
            const HmmChunk& chunk = plan_.chunks[c];
            if (passes_[worker].forward(chunk)) return put(out, chunk, passes_[worker].log_likelihood);
            HmmChunkPass<double> exact(plan_, exact_tables());
            exact.forward(chunk);
            put(out, chunk, exact.log_likelihood);
        });
        return out;
    }

    // out [tokens x K].
    std::vector<double> posteriors(R* out) {
        std::vector<double> found(plan_.n_sequences, 0.0);
        parallel(plan_.chunks.size(), threads_, [&](size_t c, size_t worker) {
            const FlushTiny flush;
            const HmmChunk& chunk = plan_.chunks[c];
            Array<R> gamma((chunk.end_row - chunk.first_row) * Kp_);
            run(chunk, worker, gamma.data(), nullptr, found);
            for (size_t r = chunk.first_row; r < chunk.end_row; ++r)
                std::copy_n(&gamma[(r - chunk.first_row) * Kp_], K_, out + size_t{plan_.token[r]} * K_);
        });
        return found;
    }

    HmmCounts counts() {
        HmmCounts out;
        const size_t V = plan_.n_words, K = K_;
        out.log_likelihood.assign(plan_.n_sequences, 0.0);
        out.start.assign(K, 0.0), out.transitions.assign(K * K, 0.0), out.emissions.assign(V * K, 0.0);
        for (const HmmCost& cost : costs_.tables) out.codes.emplace_back(cost.n_codes * K, 0.0);
        Array<R> gamma;
        std::vector<std::vector<double>> transitions;
        for (const HmmWave& wave : plan_.waves) {
            const size_t rows = wave.end_row - wave.first_row, chunks = wave.end_chunk - wave.first_chunk;
            if (gamma.size() < rows * Kp_) gamma.resize(rows * Kp_);
            if (transitions.size() < chunks) transitions.resize(chunks);
            parallel(chunks, threads_, [&](size_t c, size_t worker) {
                const FlushTiny flush;
                const HmmChunk& chunk = plan_.chunks[wave.first_chunk + c];
                transitions[c].assign(K * K, 0.0);
                run(chunk, worker, &gamma[(chunk.first_row - wave.first_row) * Kp_], transitions[c].data(),
                    out.log_likelihood);
            });
            for (size_t c = 0; c < chunks; ++c) {
                for (size_t k = 0; k < K * K; ++k) out.transitions[k] += transitions[c][k];
                const HmmChunk& chunk = plan_.chunks[wave.first_chunk + c];
                for (size_t r = chunk.first_row; r < plan_.steps[chunk.first_step + 1]; ++r)
                    for (size_t k = 0; k < K; ++k) out.start[k] += gamma[(r - wave.first_row) * Kp_ + k];
            }
            add_wave(wave, gamma.data(), out);
        }
        return out;
    }

private:
    const HmmPlan& plan_;
    const HmmParameters& parameters_;
    const HmmCosts& costs_;
    const int threads_;
    const HmmTables<R> tables_;
    const int K_, Kp_;
    std::vector<HmmChunkPass<R>> passes_;
    std::unique_ptr<HmmTables<double>> exact_;
    std::once_flag exact_made_;

    const HmmTables<double>& exact_tables() {
        std::call_once(exact_made_,
                       [&] { exact_ = std::make_unique<HmmTables<double>>(parameters_, plan_.n_words, costs_, 1); });
        return *exact_;
    }

    void put(std::vector<double>& out, const HmmChunk& chunk, const std::vector<double>& values) const {
        for (size_t b = 0; b < values.size(); ++b) out[plan_.sequence[chunk.first_sequence + b]] = values[b];
    }

    // Posteriors of a chunk, and its expected transitions [K x K] if asked for.
    void run(const HmmChunk& chunk, size_t worker, R* gamma, double* transitions, std::vector<double>& log_likelihood) {
        HmmChunkPass<R>& pass = passes_[worker];
        if (pass.forward(chunk) && pass.backward(gamma, transitions != nullptr)) {
            put(log_likelihood, chunk, pass.log_likelihood);
            if (transitions) weigh(pass.transitions, tables_, transitions);
            return;
        }
        HmmChunkPass<double> exact(plan_, exact_tables());
        Array<double> found((chunk.end_row - chunk.first_row) * Kp_);
        exact.forward(chunk);
        exact.backward(found.data(), transitions != nullptr);
        for (size_t k = 0; k < found.size(); ++k) gamma[k] = static_cast<R>(found[k]);
        put(log_likelihood, chunk, exact.log_likelihood);
        if (transitions) weigh(exact.transitions, exact_tables(), transitions);
    }
    template <class S> void weigh(const Array<S>& sums, const HmmTables<S>& tables, double* transitions) const {
        for (int i = 0; i < K_; ++i)
            for (int j = 0; j < K_; ++j) {
                const S p = tables.transition[size_t(i) * Kp_ + j];
                transitions[size_t(i) * K_ + j] = p > 0 ? double(p) * double(sums[size_t(i) * Kp_ + j]) : 0.0;
            }
    }

    void add_wave(const HmmWave& wave, const R* gamma, HmmCounts& out) {
        const size_t parts = 16, n = wave.end_row - wave.first_row;
        const uint32_t* rows = plan_.by_word.data() + wave.first_row;
        const auto cut = [&](size_t part) {  // between two words
            size_t at = n * part / parts;
            while (at > 0 && at < n && plan_.word[rows[at]] == plan_.word[rows[at - 1]]) ++at;
            return at;
        };
        const size_t blocks = costs_.tables.empty() ? 0 : 4;
        const auto row = [&](size_t block) { return wave.first_row + n * block / blocks; };
        std::vector<std::vector<Array<R>>> by_code(blocks);
        parallel(parts + blocks, threads_, [&](size_t task, size_t) {
            if (task >= parts)
                return add_codes(wave, row(task - parts), row(task - parts + 1), gamma, by_code[task - parts]);
            for (size_t at = cut(task), end = cut(task + 1); at < end;) {
                const uint32_t word = plan_.word[rows[at]];
                size_t last = at;
                while (last < end && plan_.word[rows[last]] == word) ++last;
                add_rows(rows + at, rows + last, gamma, wave.first_row, &out.emissions[size_t{word} * K_]);
                at = last;
            }
        });
        for (const auto& block : by_code)
            for (size_t t = 0; t < block.size(); ++t)
                for (size_t c = 0; c < costs_.tables[t].n_codes; ++c)
                    for (int k = 0; k < K_; ++k) out.codes[t][c * K_ + k] += block[t][c * Kp_ + k];
    }
    // Up to 64 rows are added in the precision they have, then to the sum in double precision.
    void add_rows(const uint32_t* row, const uint32_t* end, const R* gamma, size_t first, double* sum) const {
        for (; row < end; row += 64) {
            const uint32_t* until = std::min(end, row + 64);
            int k = 0;
            for (; k + kGroups * kWidth<R> <= Kp_; k += kGroups * kWidth<R>)
                add_columns<kGroups>(row, until, gamma, first, k, sum);
            for (; k < Kp_; k += kWidth<R>) add_columns<1>(row, until, gamma, first, k, sum);
        }
    }
    template <int G>
    void add_columns(const uint32_t* row, const uint32_t* end, const R* gamma, size_t first, int k, double* sum) const {
        const size_t Kp = Kp_;
        Wide<R> part[G] = {};
        for (; row < end; ++row)
#pragma GCC unroll 8
            for (int g = 0; g < G; ++g) part[g] += load_wide(gamma + (*row - first) * Kp + k + g * kWidth<R>);
        R some[G * kWidth<R>];
        for (int g = 0; g < G; ++g) store(some + g * kWidth<R>, part[g]);
        const int n = std::min(G * kWidth<R>, K_ - k);
        for (int i = 0; i < n; ++i) sum[k + i] += some[i];
    }
    // Sums by the codes of all tables over some rows, in the precision that these have.
    void add_codes(const HmmWave& wave, size_t first, size_t end, const R* gamma, std::vector<Array<R>>& sums) const {
        const size_t Kp = Kp_, n = costs_.tables.size();
        sums.resize(n);
        for (size_t t = 0; t < n; ++t) sums[t].assign(costs_.tables[t].n_codes * Kp, R(0));
        for (size_t r = first; r < end; ++r) {
            const size_t token = plan_.token[r];
            const R* each = gamma + (r - wave.first_row) * Kp;
            for (size_t t = 0; t < n; ++t) {
                const int32_t code = costs_.tables[t].codes[token];
                if (code < 0) continue;
                R* sum = sums[t].data() + static_cast<size_t>(code) * Kp;
                for (size_t k = 0; k < Kp; k += kWidth<R>) store(sum + k, load_wide(sum + k) + load_wide(each + k));
            }
        }
    }
};

}  // namespace dovetail
