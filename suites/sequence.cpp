#include "suites/sequence.h"

#include <cmath>

namespace lw {

std::vector<Token> filler_sequence(int64_t body, int64_t first, int64_t count, Rng& rng, const Vocabulary& vocabulary) {
  std::vector<Token> tokens;
  if (vocabulary.begin) tokens.push_back(*vocabulary.begin);
  for (int64_t i = 0; i < body; ++i) tokens.push_back(vocabulary.symbols[size_t(first + rng.below(count))]);
  return tokens;
}

Rng probe_stream(const ProbeRequest& request, int64_t index) {
  return request.stream.stream(uint64_t(request.length)).stream(uint64_t(index));
}

int64_t offset_at(double depth, int64_t body) { return std::llround(depth * double(body - 1)); }

}  // namespace lw
