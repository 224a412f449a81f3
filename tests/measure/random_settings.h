// Random position settings: every scheme whose properties depend on where its switches, windows and steps lie.
#pragma once
#include <string>
#include <vector>

#include "harness/base/rng.h"
#include "harness/base/text.h"

namespace lw::model_test {

/// Draws `position:` blocks for a head of 8 channels and two layers. Some are refused, as some of a user's are.
class RandomSettings {
 public:
  explicit RandomSettings(uint64_t seed) : rng_(seed) {}

  std::string next() {
    const std::string position = scheme();
    return rng_.below(4) == 0 ? position + ", query_temperature: {" + temperature() + "}" : position;
  }
  int64_t train_length() { return one_of<int64_t>({1, 8, 32, 128, 1000}); }

 private:
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[size_t(rng_.below(values.size()))];
  }
  /// 1 to some millions, any size as likely.
  int64_t tokens() { return int64_t{1} << rng_.below(22) | int64_t(rng_.below(7)); }
  int64_t window() { return 1 + int64_t(rng_.below(40)); }
  std::string factor() { return one_of<std::string>({"1", "1.5", "2", "8", "40"}); }
  std::string list() { return one_of<std::string>({"[1, 1, 1, 1]", "[1, 1, 2, 9]", "[2, 2, 2, 2]", "[0.9, 1, 3, 4]"}); }
  std::string original() { return rng_.below(4) == 0 ? "" : text(", original_max_position_embeddings: ", tokens()); }

  std::string method() {
    const std::string at = original();
    switch (rng_.below(12)) {
      case 0:
        return "rope_type: dynamic, factor: " + factor() + at;
      case 1:
        return "rope_type: dynamic_linear" + at;
      case 2:
        return "rope_type: dynamic_part_ntk" + at;
      case 3:
        return "rope_type: dynamic_yarn" + at;
      case 4:
        return text("rope_type: dynamic_yarn, ratio: model_file, max_position_embeddings: ", tokens(), at);
      case 5:
        return "rope_type: dynamic_longrope, factor: " + factor() + ", long_factor: " + list() + at;
      case 6:
        return "rope_type: dynamic_longrope, attention_factor: 1, factor: " + factor() + ", long_factor: " + list() +
               at;
      case 7:
        return "rope_type: longrope, factor: " + factor() + ", short_factor: " + list() + ", long_factor: " + list() +
               at;
      case 8:
        return text("rope_type: dynamic, factor: ", factor(), ", declared_length: ", tokens(), at);
      case 9:
        return "rope_type: composed, first: {rope_type: llama3, factor: 4" + at +
               "}, then: {rope_type: dynamic, factor: " + factor() + original() + "}";
      case 10:
        return "rope_type: yarn, factor: " + factor() + at;
      default:
        return "rope_type: linear, factor: " + factor();
    }
  }

  std::string rope() {
    return text(", rope_theta: ", one_of<std::string>({"5", "100", "10000", "1000000"}), ", scaling: {", method(), "}");
  }

  std::string temperature() {
    switch (rng_.below(4)) {
      case 0:
        return text("kind: log_n, original_max_position_embeddings: ", tokens() + 1);
      case 1:
        return text("kind: mistral4, original_max_position_embeddings: ", tokens());
      case 2:
        return text("kind: llama4, floor_scale: ", 1 + rng_.below(1 << 18));
      default:
        return "kind: scalable_softmax";
    }
  }

  std::string scheme() {
    switch (rng_.below(14)) {
      case 0:
        return "scheme: xpos" + rope();
      case 1:
        return text("scheme: rerope, window: ", window()) + rope();
      case 2:
        return text("scheme: leaky_rerope, k: 3, window: ", window()) + rope();
      case 3:
        return text("scheme: self_extend, group_size: ", 1 + rng_.below(70), ", window: ", window()) + rope();
      case 4:
        return text("scheme: dca, chunk_size: ", 1 + window(), ", local_window: ", rng_.below(3)) + rope();
      case 5:
        return text("scheme: dca, chunk_size: 6, local_window: 2, length_temperature: chunk_llama", original());
      case 6:
        return text("scheme: streaming, sinks: ", rng_.below(40), ", window: ", window()) + rope();
      case 7:
        return text("scheme: fire, threshold: ", tokens());
      case 8:
        return text("scheme: learned, init_std: ", one_of<std::string>({"0", "0.02"}),
                    ", positions: ", 1 + tokens() % 5000);
      case 9:
        return "scheme: layered, layers: [a, b], kinds: {a: {scheme: alibi}, b: {scheme: rope" + rope() + "}}";
      case 10:
        return "scheme: " + one_of<std::string>({"none", "alibi", "sinusoidal", "t5", "cope", "kerple", "shaw"});
      default:
        return "scheme: rope" + rope();
    }
  }

  Rng rng_;
};

}  // namespace lw::model_test
