// How sequences are laid out for a hidden Markov model. Sequences are sorted by length and cut into chunks; within a
// chunk, rows run over time first: the tokens at the same place of all its sequences stand together, so that a step of
// the recursion is one product over all of them. Chunks form waves; all of this follows from the data alone.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace dovetail {

constexpr size_t kChunkTokens = 768, kChunkSequences = 16, kLongestChunk = 16384, kWaveTokens = 24576;

struct HmmChunk {
    size_t first_sequence, end_sequence;  // in sorted order
    size_t first_row, end_row;
    size_t
        first_step;  // among `steps`: the chunk's rows of time t are [steps[first_step + t], steps[first_step + t + 1])
    size_t n_steps;
};

struct HmmWave {
    size_t first_chunk, end_chunk;
    size_t first_row, end_row;
};

struct HmmPlan {
    size_t n_tokens, n_sequences, n_words;
    std::vector<uint32_t> sequence;  // sorted order -> number of the sequence
    std::vector<uint32_t> token;     // row -> token
    std::vector<uint32_t> word;      // row -> word
    std::vector<uint32_t> by_word;   // rows of each wave, sorted by word and then by row
    std::vector<uint64_t> steps;
    std::vector<HmmChunk> chunks;
    std::vector<HmmWave> waves;

    HmmPlan(const int32_t* words, size_t tokens, const uint64_t* bounds, size_t sequences, size_t vocabulary)
        : n_tokens(tokens), n_sequences(sequences), n_words(vocabulary) {
        for (size_t s = 0; s < sequences; ++s)
            if (bounds[s + 1] > bounds[s]) sequence.push_back(static_cast<uint32_t>(s));
        const auto length = [&](uint32_t s) { return bounds[s + 1] - bounds[s]; };
        std::stable_sort(sequence.begin(), sequence.end(),
                         [&](uint32_t a, uint32_t b) { return length(a) > length(b); });
        token.reserve(tokens), word.reserve(tokens);
        for (size_t first = 0; first < sequence.size();) {
            size_t end = first, held = 0;
            while (end < sequence.size() &&
                   !(held >= kLongestChunk || (held >= kChunkTokens && end - first >= kChunkSequences)))
                held += length(sequence[end++]);
            add_chunk(words, bounds, first, end);
            first = end;
        }
        cut_waves();
    }

private:
    void add_chunk(const int32_t* words, const uint64_t* bounds, size_t first, size_t end) {
        HmmChunk chunk{first, end, token.size(), 0, steps.size(), 0};
        chunk.n_steps = bounds[sequence[first] + 1] - bounds[sequence[first]];
        size_t going = end - first;
        for (size_t t = 0; t < chunk.n_steps; ++t) {
            steps.push_back(token.size());
            while (bounds[sequence[first + going - 1] + 1] - bounds[sequence[first + going - 1]] <= t) --going;
            for (size_t b = 0; b < going; ++b) {
                token.push_back(static_cast<uint32_t>(bounds[sequence[first + b]] + t));
                word.push_back(static_cast<uint32_t>(words[token.back()]));
            }
        }
        steps.push_back(token.size());
        chunk.end_row = token.size();
        chunks.push_back(chunk);
    }

    void cut_waves() {
        by_word.resize(token.size());
        std::iota(by_word.begin(), by_word.end(), 0u);
        for (size_t first = 0; first < chunks.size();) {
            HmmWave wave{first, first, chunks[first].first_row, chunks[first].first_row};
            while (wave.end_chunk < chunks.size() && wave.end_row - wave.first_row < kWaveTokens)
                wave.end_row = chunks[wave.end_chunk++].end_row;
            std::stable_sort(by_word.begin() + wave.first_row, by_word.begin() + wave.end_row,
                             [&](uint32_t a, uint32_t b) { return word[a] < word[b]; });
            waves.push_back(wave);
            first = wave.end_chunk;
        }
    }
};

}  // namespace dovetail
