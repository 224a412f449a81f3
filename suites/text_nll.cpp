// Loss by position on real text. Windows of one file, one behind the other and as long as the longest length; a
// probe of length T is the first T tokens of its window, so that lengths read the same texts. A length's own number is
// the loss of the second half of its windows, whose tokens all have half of the length or more before them, as in
// llama.cpp's perplexity: a mean over whole windows would hide what happens at their ends. Where the model has a
// begin token it stands in place of a window's first token, as there, so that both the length and what is judged are
// the same with it and without.
#include <algorithm>

#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/problem.h"
#include "suites/suite.h"
#include "suites/text/text_file.h"

namespace lw {
namespace {

class TextNll final : public Suite {
 public:
  TextNll(std::string path, TextFile file, int64_t per_octave)
      : path_(std::move(path)), file_(std::move(file)), per_octave_(per_octave) {}

  int64_t min_length() const override { return 2; }
  int64_t symbols() const override { return 0; }
  std::string symbol_name(int64_t index) const override { return "#" + std::to_string(index); }
  std::optional<double> chance() const override { return std::nullopt; }
  bool causal_only() const override { return true; }
  bool needs_text() const override { return true; }
  std::string content_key() const override { return file_.hash; }
  const std::vector<Token>* text_tokens() const override { return &tokens_; }

  void bind(const Vocabulary& vocabulary, int64_t longest, int64_t probes) override {
    LW_CHECK(vocabulary.text != nullptr, "asked of models with a tokenizer only");
    tokens_ = vocabulary.text->encode(file_.text);
    longest_ = longest;
    probes_ = probes;
    const auto have = static_cast<int64_t>(tokens_.size());
    if (have < longest)
      throw OptionError("lengths", "found " + format_grouped(longest) + "; allowed: up to " + format_grouped(have) +
                                       ", the tokens of '" + path_ + "'");
    if (have / longest < probes)
      throw OptionError("probes", "found " + format_grouped(probes) + " windows of " + format_grouped(longest) +
                                      " tokens (" + format_grouped(probes * longest) + "); allowed: up to " +
                                      format_grouped(have / longest) + ", '" + path_ + "' has " + format_grouped(have) +
                                      " tokens");
  }

  Probe make(const ProbeRequest& request, const Vocabulary& vocabulary) const override {
    LW_CHECK(longest_ > 0, "bind() comes before make()");
    LW_CHECK(!request.training, "a model that reads text is not trained here");
    LW_CHECK(request.length <= longest_ && request.index < probes_, "bind() was told of every probe");
    const auto first = tokens_.begin() + request.index * longest_;
    Probe p;
    p.tokens.assign(first, first + request.length);
    if (vocabulary.begin) p.tokens.front() = *vocabulary.begin;
    for (const int64_t distance : judged(request.length))
      p.targets.push_back({distance + 1, p.tokens[size_t(distance + 1)], distance, {}, distance < request.length / 2});
    p.group = "window-" + std::to_string(request.index);
    return p;
  }

 private:
  /// Distances to the first token from where a token is judged: each of 0 to length - 2, or the same ones at every
  /// length, in the middle of equal parts of each [2^k, 2^(k+1)).
  std::vector<int64_t> judged(int64_t length) const {
    std::vector<int64_t> out = {0};
    for (int64_t low = 1; low < length - 1; low *= 2) {
      const int64_t count = per_octave_ == 0 ? low : std::min(per_octave_, low);
      for (int64_t j = 0; j < count; ++j)
        if (const int64_t distance = low + (2 * j + 1) * low / (2 * count); distance < length - 1)
          out.push_back(distance);
    }
    return out;
  }

  std::string path_;
  TextFile file_;
  int64_t per_octave_, longest_ = 0, probes_ = 0;
  std::vector<Token> tokens_;
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
                    "at most this many tokens are judged between one power of two and the next; 0 judges every token");
      return std::make_unique<TextNll>(path, read_text_file(o, "text", path), per_octave);
    }};
}  // namespace lw
