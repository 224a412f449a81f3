// Loss by position on real text. The windows of a file are spread over it, and where one begins depends on its index
// alone: at 0, then at 1/2, at 1/4 and 3/4, at odd eighths ... of the text. So more lengths or more windows never
// change a probe. A probe of length T is the first T tokens of its window, so that all lengths read the same texts. The
// number of a length is the loss of the second half of its windows, whose tokens have at least half of the length
// before them, as in llama.cpp's perplexity: a mean over whole windows would hide what happens at their ends. Where the
// model has a begin token, it replaces the first token of each window, as there, so that the length and the scored
// tokens stay the same.
#include <algorithm>
#include <bit>

#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/problem.h"
#include "harness/base/text.h"
#include "suites/suite.h"
#include "suites/text/text_file.h"

namespace lw {
namespace {

/// index / 2^k with its binary digits mirrored (van der Corput): 0, 1/2, 1/4, 3/4, 1/8 ... of `tokens`.
int64_t window_begin(int64_t tokens, int64_t index) {
  uint64_t numerator = 0, denominator = 1;
  for (auto rest = uint64_t(index); rest > 0; rest /= 2) {
    numerator = 2 * numerator + rest % 2;
    denominator *= 2;
  }
  return int64_t(uint64_t(tokens) * numerator / denominator);
}

/// Tokens from the begin of a window to that of the next one in the text, at least, when there are `probes` windows.
int64_t window_spacing(int64_t tokens, int64_t probes) { return tokens / int64_t(std::bit_ceil(uint64_t(probes))); }

class BoundTextNll final : public BoundSuite {
 public:
  BoundTextNll(const Suite& suite, std::vector<Token> tokens, std::optional<Token> begin, ProbeRange range,
               int64_t per_octave)
      : BoundSuite(suite), tokens_(std::move(tokens)), begin_(begin), range_(range), per_octave_(per_octave) {}

  const std::vector<Token>* text_tokens() const override { return &tokens_; }

  Probe make(const ProbeRequest& request) const override {
    LW_CHECK(!request.training, "a model that reads text is not trained here");
    LW_CHECK(request.length <= range_.longest && request.index < range_.probes, "bind() gets the range of all probes");
    const auto first = tokens_.begin() + window_begin(int64_t(tokens_.size()), request.index);
    Probe p;
    p.tokens.assign(first, first + request.length);
    if (begin_) p.tokens.front() = *begin_;
    for (const int64_t distance : scored(request.length))
      p.targets.push_back({distance + 1, p.tokens[size_t(distance + 1)], distance, {}, distance < request.length / 2});
    p.group = text("window-", request.index);
    return p;
  }

 private:
  /// The distances, from the first token, of the tokens before a scored one: all of 0 to length - 2, or the same few at
  /// every length, in the middle of equal parts of each [2^k, 2^(k+1)).
  std::vector<int64_t> scored(int64_t length) const {
    std::vector<int64_t> out = {0};
    for (int64_t low = 1; low < length - 1; low *= 2) {
      const int64_t count = per_octave_ == 0 ? low : std::min(per_octave_, low);
      for (int64_t j = 0; j < count; ++j)
        if (const int64_t distance = low + (2 * j + 1) * low / (2 * count); distance < length - 1)
          out.push_back(distance);
    }
    return out;
  }

  std::vector<Token> tokens_;
  std::optional<Token> begin_;
  ProbeRange range_;
  int64_t per_octave_;
};

class TextNll final : public Suite {
 public:
  TextNll(std::string path, TextFile file, int64_t per_octave)
      : Suite({.min_length = 2, .causal_only = true, .needs_text = true, .content_key = file.hash}),
        path_(std::move(path)),
        file_(std::move(file)),
        per_octave_(per_octave) {}

  std::unique_ptr<BoundSuite> bind(const Vocabulary& vocabulary, const ProbeRange& range) const override {
    LW_CHECK(vocabulary.text != nullptr, "needs a model with a tokenizer");
    auto tokens = vocabulary.text->encode(file_.text);
    const auto have = int64_t(tokens.size());
    if (have < range.longest)
      throw OptionError("lengths", found_what(format_grouped(range.longest))
                                       .allowed("up to ", format_grouped(have), ", the tokens of '", path_, "'"));
    if (window_spacing(have, range.probes) < range.longest)
      throw OptionError(
          "probes",
          found_what(format_grouped(range.probes), " windows of ", format_grouped(range.longest), " tokens (",
                     format_grouped(range.probes * range.longest), ")")
              .allowed("up to ", format_grouped(int64_t(std::bit_floor(uint64_t(have / range.longest)))),
                       ", the power of two that fits '", path_, "' with its ", format_grouped(have), " tokens"));
    return std::make_unique<BoundTextNll>(*this, std::move(tokens), vocabulary.begin, range, per_octave_);
  }

 private:
  std::string path_;
  TextFile file_;
  int64_t per_octave_;
};

}  // namespace

extern const SuiteInfo text_nll_suite{
    "text_nll",
    "loss on real text in the second half of a window, and by position; for checkpoints",
    "cf. Press et al. 2022, arXiv:2108.12409, section 2; Chen et al. 2023, arXiv:2306.15595, section "
    "3.2",
    {},
    [](ConfigNode& o) -> std::unique_ptr<Suite> {
      const std::string path = o.str("text", "file of UTF-8 text, relative to where the program runs");
      const int64_t per_octave =
          o.integer("per_octave", 0, {0, 1 << 20},
                    "at most this many tokens are scored between one power of two and the next; 0 scores every token");
      return std::make_unique<TextNll>(path, read_text_file(o, "text", path), per_octave);
    }};
}  // namespace lw
