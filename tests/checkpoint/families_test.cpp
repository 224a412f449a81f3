// Every family against transformers: logits of tiny random checkpoints, below and beyond their original length,
// in one pass, token by token with a cache, and in tiles.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "tests/checkpoint/fixtures.h"
#include "tests/support.h"

using namespace lw;
using namespace lw::checkpoint_test;

namespace {

constexpr double kTolerance = 2e-5;  // float32 on both sides, and logits of order 1

/// Larger fixtures have larger logits, and float32 rounds in proportion.
double tolerance_for(const at::Tensor& expected) {
  if (std::getenv("LW_FAMILIES") == nullptr) return kTolerance;
  return kTolerance * std::max(1.0, expected.abs().max().item<double>());
}

at::Tensor positions(int64_t begin, int64_t count) { return at::arange(begin, begin + count, at::kLong).unsqueeze(0); }

at::Tensor output_of(const Transformer& model, const at::Tensor& hidden) {
  return model.config().head ? model.logits(hidden) : hidden;
}

double apart(const at::Tensor& a, const at::Tensor& b) { return (a - b).abs().max().item<double>(); }

at::Tensor picked(const at::Tensor& x_1TV, const std::vector<int64_t>& at) {
  return x_1TV.squeeze(0).index_select(0, at::tensor(at, at::kLong));
}

/// [1, T, V] in chunks of 5 tokens, each seeing the others through the cache alone.
at::Tensor with_cache(Transformer& model, const at::Tensor& tokens_1T, const at::Tensor& memory = {}) {
  Cache cache;
  std::vector<at::Tensor> out;
  for (int64_t begin = 0; begin < tokens_1T.size(1); begin += 5) {
    const int64_t n = std::min<int64_t>(5, tokens_1T.size(1) - begin);
    out.push_back(model.hidden(tokens_1T.narrow(1, begin, n), positions(begin, n), &cache, 0, {}, memory));
  }
  return at::cat(out, 1);
}

/// The worst difference of a decoder or encoder at one length, over all ways to compute.
double worst(Transformer& model, const at::Tensor& tokens_1T, const std::vector<int64_t>& at,
             const at::Tensor& expected) {
  const int64_t length = tokens_1T.size(1);
  const auto pos_1T = positions(0, length);
  double out = apart(picked(output_of(model, model.hidden(tokens_1T, pos_1T)), at), expected);
  out = std::max(out, apart(picked(output_of(model, model.hidden(tokens_1T, pos_1T, nullptr, 7)), at), expected));
  const auto only = at::tensor(at, at::kLong).unsqueeze(0);
  out = std::max(out, apart(output_of(model, model.hidden(tokens_1T, pos_1T, nullptr, 0, only)).squeeze(0), expected));
  if (model.config().causal() && model.encoding().key_cache() != KeyCache::kNone)
    out = std::max(out, apart(picked(output_of(model, with_cache(model, tokens_1T)), at), expected));
  return out;
}

double worst_of(EncoderDecoder& model, const at::Tensor& tokens_1T, const std::vector<int64_t>& at,
                const at::Tensor& expected) {
  const int64_t length = tokens_1T.size(1);
  const auto memory = model.encode(tokens_1T.narrow(1, 0, length - 5));  // as the fixtures were made
  const double full = apart(picked(model.logits(model.hidden(tokens_1T, positions(0, length), memory)), at), expected);
  return std::max(full, apart(picked(model.logits(with_cache(model.decoder(), tokens_1T, memory)), at), expected));
}

/// LW_TELL prints the figures that the tolerance hides.
void tell(const std::string& name, double difference) {
  if (std::getenv("LW_TELL") != nullptr) std::printf("%-32s %.2g\n", name.c_str(), difference);
}

}  // namespace

TEST_CASE("every family gives transformers' logits", "[families][parity]") {
  at::NoGradGuard no_grad;
  for (const auto& c : fixtures().cases) {
    INFO(c.name);
    const Checkpoint checkpoint = open_case(c);
    double difference = 0, allowed = 1;
    for (const auto& [length, at] : c.lengths) {
      const auto tokens_1T = fixtures().tokens_T.narrow(0, 0, length).unsqueeze(0);
      const auto expected = fixtures().expected->read(c.name + "." + std::to_string(length));
      if (checkpoint.model.encoder.empty())
        difference = std::max(difference, worst(*load_transformer(checkpoint), tokens_1T, at, expected));
      else
        difference = std::max(difference, worst_of(*load_encoder_decoder(checkpoint), tokens_1T, at, expected));
      allowed = std::min(allowed, tolerance_for(expected));
    }
    tell(c.name, difference);
    CHECK(difference <= allowed);
  }
}

TEST_CASE("every family has a fixture", "[families]") {
  std::set<std::string> seen;
  for (const auto& c : fixtures().cases) seen.insert(c.family());
  for (const auto* family : families()) {
    INFO(family->name);
    CHECK(seen.count(std::string(family->name)) == 1);
  }
}

TEST_CASE("only Gemma is lost without a token for the beginning", "[families]") {
  for (const auto* family : families()) {
    INFO(family->name);
    CHECK(family->needs_bos == (family->name.substr(0, 5) == "gemma"));
  }
}

TEST_CASE("a family that llama.cpp stores says how its metadata are read", "[families]") {
  for (const auto* family : families()) {
    INFO(family->name);
    CHECK((family->from_gguf != nullptr) == !family->architecture.empty());
    CHECK(family->export_as != nullptr);
  }
}
