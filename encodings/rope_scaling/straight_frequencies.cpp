#include "encodings/rope_scaling/straight_frequencies.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/base/numbers.h"
#include "harness/base/tree.h"

namespace lw {
namespace {

using Wide = long double;
const Wide kTurn = 2 * acosl(-1.0L);  // radians

/// A rope section as plain numbers.
class Section {
 public:
  Section(const Tree& position, const ModelShape& shape, int64_t length)
      : position_(position), scaling_(position.find("scaling")), head_width_(shape.head_width), length_(length) {}

  std::string type() const {
    const std::string type = scaling_ == nullptr ? "" : scaling_->text_of("rope_type");
    return type.empty() ? "default" : type;
  }
  bool has(const char* key) const { return scaling_ != nullptr && !scaling_->text_of(key).empty(); }
  bool is_false(const char* key) const { return has(key) && scaling_->text_of(key) == "false"; }
  Wide number(const char* key, Wide fallback = 0) const {
    return has(key) ? Wide(parse_number(scaling_->text_of(key)).value_or(0)) : fallback;
  }
  Wide of_list(const char* key, size_t i) const {
    const Tree* list = scaling_->find(key);
    return list == nullptr || i >= list->items.size() ? 0 : Wide(parse_number(list->items[i].text).value_or(0));
  }
  Wide theta() const { return of_position("rope_theta", 10000); }
  Wide share() const { return of_position("partial_rotary_factor", 1); }
  Wide head_width() const { return Wide(head_width_); }
  /// Channels that rotate.
  Wide rotated() const { return truncl(head_width() * share() + 1e-9L); }
  Wide original() const { return number("original_max_position_embeddings"); }
  Wide factor() const { return number("factor", number("max_position_embeddings") / original()); }
  /// Current length over original length, 1 or more.
  Wide ratio() const { return std::max<Wide>(1, number("declared_length", Wide(length_)) / original()); }

 private:
  Wide of_position(const char* key, Wide fallback) const {
    const std::string text = position_.text_of(key);
    return text.empty() ? number(key, fallback) : Wide(parse_number(text).value_or(0));
  }

  const Tree& position_;
  const Tree* scaling_;
  int64_t head_width_, length_;
};

/// YaRN's find_correction_dim: the pair, as a real number, that turns so often over the original length.
Wide pair_that_turns(const Section& s, Wide turns) {
  return s.rotated() * logl(s.original() / (turns * kTurn)) / (2 * logl(s.theta()));
}

/// YaRN: 1 where a pair is kept, 0 where it is interpolated.
Wide kept_by_index(const Section& s, Wide pair) {
  const auto beta = [&](const char* key, Wide fallback) { return s.number(key) == 0 ? fallback : s.number(key); };
  Wide low = pair_that_turns(s, beta("beta_fast", 32)), high = pair_that_turns(s, beta("beta_slow", 1));
  if (!s.is_false("truncate")) low = floorl(low), high = ceill(high);
  const Wide end = s.rotated() - 1;
  low = std::min(std::max<Wide>(low, 0), end);
  high = std::max(std::min(std::max<Wide>(high, 0), end), low + 0.001L);
  return 1 - std::min<Wide>(1, std::max<Wide>(0, (pair - low) / (high - low)));
}

/// A mix of the plain and the interpolated frequency.
Wide mixed(Wide kept, Wide plain, Wide factor) { return kept * plain + (1 - kept) * plain / factor; }

/// 0 below `low` turns over the original length, 1 above `high`.
Wide kept_by_turns(const Section& s, Wide plain, Wide low, Wide high) {
  const Wide turns = s.original() * plain / kTurn;
  if (turns <= low) return 0;
  return turns >= high ? 1 : (turns - low) / (high - low);
}

/// A base that slows the last pair by `stretch` and the first not at all.
Wide ntk(const Section& s, Wide pair, Wide stretch) {
  const Wide base = s.theta() * powl(stretch, s.rotated() / (s.rotated() - 2));
  return powl(base, -2 * pair / s.rotated());
}

std::optional<Wide> frequency(const Section& s, size_t index) {
  const std::string type = s.type();
  const auto pair = Wide(index);
  const Wide plain = powl(s.theta(), -2 * pair / s.rotated());
  if (type == "default") return plain;
  if (type == "linear") return plain / s.factor();
  if (type == "ntk") return ntk(s, pair, s.number("alpha"));
  if (type == "ntk_kexue")
    return plain / powl(s.factor(), powl((pair + 1) / (s.rotated() / 2), s.number("mixed_b", 1)));
  if (type == "dynamic") return ntk(s, pair, s.factor() * s.ratio() - (s.factor() - 1));
  if (type == "dynamic_linear") return plain / s.ratio();
  if (type == "yarn" || type == "by_parts_index") return mixed(kept_by_index(s, pair), plain, s.factor());
  if (type == "by_parts_turns")
    return mixed(kept_by_turns(s, plain, s.number("alpha", 1), s.number("beta", 32)), plain, s.factor());
  if (type == "llama3") {
    const Wide low = s.number("low_freq_factor", 1), high = s.number("high_freq_factor", 4);
    return mixed(kept_by_turns(s, plain, low, high), plain, s.factor());
  }
  if (type == "longrope") return plain / s.of_list(s.ratio() > 1 ? "long_factor" : "short_factor", index);
  if (type == "factors") return plain / s.of_list("factors", index);
  if (type == "proportional") {
    const bool rotates = pair < floorl(s.share() * s.head_width() / 2 + 1e-9L);
    return rotates ? powl(s.theta(), -2 * pair / s.head_width()) / s.number("factor", 1) : 0;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<double>> straight_frequencies(const Tree& position, const ModelShape& shape, int64_t length) {
  const Section s(position, shape, length);
  const Wide channels = s.type() == "proportional" ? s.head_width() : s.rotated();
  std::vector<double> out;
  for (size_t i = 0; i < size_t(channels) / 2; ++i) {
    const auto found = frequency(s, i);
    if (!found) return std::nullopt;
    out.push_back(double(*found));
  }
  return out;
}

}  // namespace lw
