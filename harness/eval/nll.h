// The loss of a text, by position inside windows of one length.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lw {

class Transformer;

struct NllOptions {
  int64_t context = 0;  // tokens in a window
  int64_t stride = 0;   // tokens between the starts of windows; 0: the context, so that windows do not overlap
  int64_t chunks = 0;   // windows at most; 0: as many as the text fills
  /// Replaces the first token of each window, which is then neither seen nor scored, as llama.cpp's perplexity does
  /// where the tokenizer puts BOS before a text.
  std::optional<int64_t> bos;
};

/// Sums of one position over windows. Position p scores token p + 1, given tokens 0 .. p.
struct PositionNll {
  double sum = 0;     // nats
  int64_t n = 0;      // tokens scored
  int64_t bytes = 0;  // of the text behind them
  [[nodiscard]] double mean() const { return sum / double(n); }
  /// Comparable across tokenizers, where nats a token are not.
  [[nodiscard]] double nats_a_byte() const { return sum / double(bytes); }
  void add(const PositionNll& more) { sum += more.sum, n += more.n, bytes += more.bytes; }
};

struct NllResult {
  std::vector<PositionNll> positions;  // context - 1 of them
  int64_t windows = 0;
  int64_t unused = 0;    // tokens at the end that no window covers
  int64_t unscored = 0;  // tokens inside windows, or between two, without a loss: the first of a window has none
  /// Of another text, with windows of the same length.
  void add(const NllResult& more);
};

/// The sum over all tokens at the positions [begin, end). @throws when no token was scored there.
[[nodiscard]] PositionNll pooled(const NllResult& result, size_t begin, size_t end);

/// Cuts windows from `ids` and scores them one by one. With a stride below the context, each token is scored once, in
/// the first window that holds it.
/// @param bytes of the text behind each id; empty: not counted.
/// @throws Error(kInput) for a text shorter than one window or an id past the vocabulary, and for an
/// encoder and for positions that the scheme does not define; Error(kRuntime) for a loss that is not finite, with the
/// window and, where keys can be cached, the first layer whose keys or values are not finite.
NllResult nll_by_position(const std::shared_ptr<Transformer>& model, const std::vector<int64_t>& ids,
                          const NllOptions& options, const std::function<void()>& window_done,
                          std::span<const int64_t> bytes = {});

}  // namespace lw
