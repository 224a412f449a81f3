// The keys of summary.json, said once for writing and reading.
#pragma once
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json_read.h"
#include "reports/summary.h"

namespace lw {

/// Writes the members of a struct into a JSON object. Absent values are null, except for sparse keys, which
/// are left out.
struct FieldWriter {
  Json& json;

  template <class T>
  void operator()(const char* key, const T& value) {
    json[key] = encode(value);
  }
  template <class T>
  void sparse(const char* key, const T& value) {
    if (!(value == T())) json[key] = encode(value);
  }
  template <class T>
  void word(const char* key, const T& value, std::string_view (*name)(T), std::initializer_list<T>) {
    json[key] = name(value);
  }

  static Json encode(double value) {
    LW_CHECK(std::isfinite(value), "a number in summary.json must be finite");
    return value;
  }
  static Json encode(const Bin& bin) { return Json::array({bin.low, bin.high}); }
  static Json encode(const Baselines& baselines) {
    Json object = Json::object();
    for (const auto& [name, value] : baselines) object[name] = encode(value);
    return object;
  }
  static Json encode(const std::vector<SeedValue>& seeds);
  static Json encode(const std::vector<AttentionMemory>& lengths);
  static Json encode(const std::vector<std::pair<int64_t, std::optional<int64_t>>>& by_seed);
  template <class T>
  static Json encode(const std::optional<T>& value) {
    return value ? encode(*value) : Json(nullptr);
  }
  template <class T>
  static Json encode(const T& value) {
    return value;
  }
};

/// Reads them back, strictly.
struct FieldReader {
  const Json& json;
  const std::string& place;

  template <class T>
  void operator()(const char* key, T& value) {
    if (!json.contains(key)) json_get<Json>(json, key, place);  // throws
    decode(key, json.at(key), value);
  }
  template <class T>
  void sparse(const char* key, T& value) {
    if (json.contains(key)) decode(key, json.at(key), value);
  }
  template <class T>
  void word(const char* key, T& value, std::string_view (*name)(T), std::initializer_list<T> all) {
    const auto found = json_get<std::string>(json, key, place);
    for (const T candidate : all)
      if (name(candidate) == found) return void(value = candidate);
    throw Error(ErrorKind::kInput, place + ": " + key + ": found '" + found + "'");
  }

  void decode(const char* key, const Json& from, Bin& bin) {
    if (!from.is_array() || from.size() != 2 || !from[0].is_number_integer() || !from[1].is_number_integer())
      throw Error(ErrorKind::kInput, place + ": " + key + ": found " + from.dump() + "; allowed: [low, high)");
    bin = {from[0].get<int64_t>(), from[1].get<int64_t>()};
  }
  void decode(const char* key, const Json& from, Baselines& baselines) {
    for (const auto& [name, value] : from.items()) {
      double number = 0;
      decode(key, value, number);
      baselines.emplace_back(name, number);
    }
  }
  void decode(const char* key, const Json& from, std::vector<SeedValue>& seeds);
  void decode(const char* key, const Json& from, std::vector<AttentionMemory>& lengths);
  void decode(const char* key, const Json& from, std::vector<std::pair<int64_t, std::optional<int64_t>>>& by_seed);
  template <class T>
  void decode(const char* key, const Json& from, std::optional<T>& value) {
    if (from.is_null()) return value.reset();
    decode(key, from, value.emplace());
  }
  template <class T>
  void decode(const char* key, const Json& from, T& value) {
    if (!JsonFits<T>::check(from) || (std::is_same_v<T, std::string> && !from.is_string()))
      throw Error(ErrorKind::kInput,
                  place + ": " + key + ": found " + from.dump() + "; allowed: another type of value");
    value = from.get<T>();
  }
};

// One list of keys a type. `T` is const when writing.

void fields(auto& io, auto& a) requires std::is_same_v<std::remove_cvref_t<decltype(a)>, AttentionMemory> {
  io("length", a.length);
  io("peak_bytes", a.peak_bytes);
}

void fields(auto& io, auto& options) requires std::is_same_v<std::remove_cvref_t<decltype(options)>, SummaryOptions> {
  io("bar", options.bar);
  io("margin", options.margin);
  io("distance_edges", options.distance_edges);
}

void fields(auto& io, auto& c) requires std::is_same_v<std::remove_cvref_t<decltype(c)>, Cell> {
  io("setting", c.setting);
  io("suite", c.suite);
  io("metric", c.metric);
  io("length", c.length);
  io("distance", c.distance);
  io("depth", c.depth);
  io.sparse("depth_width", c.depth_width);
  io.sparse("offset", c.offset);
  io("in_length", c.in_length);
  io("unit", c.unit);
  io("n", c.n);
  io("k", c.k);
  io("value", c.value);
  io("low", c.low);
  io("high", c.high);
  io.sparse("interval", c.interval);
  io("clusters", c.clusters);
  io("effective_n", c.effective_n);
  io("nll", c.nll);
  io("chance", c.chance);
  io("baselines", c.baselines);
  io("detectable", c.detectable);
  io("n_total", c.n_total);
  io("n_scored", c.n_scored);
  io("n_too_long", c.n_too_long);
  io("n_no_position", c.n_no_position);
  io("n_failed", c.n_failed);
  io.sparse("reason", c.reason);
}

void fields(auto& io, auto& s) requires std::is_same_v<std::remove_cvref_t<decltype(s)>, SeedValue> {
  io("seed", s.seed);
  io("learned", s.learned);
  io("n", s.n);
  io("value", s.value);
  io("low", s.low);
  io("high", s.high);
  io.sparse("reason", s.reason);
}

void fields(auto& io, auto& p) requires std::is_same_v<std::remove_cvref_t<decltype(p)>, Pooled> {
  io("variant", p.variant);
  io("suite", p.suite);
  io("metric", p.metric);
  io("length", p.length);
  io("distance", p.distance);
  io("depth", p.depth);
  io.sparse("depth_width", p.depth_width);
  io.sparse("offset", p.offset);
  io("in_length", p.in_length);
  io("seeds_total", p.seeds_total);
  io("seeds_learned", p.seeds_learned);
  io("seeds_measured", p.seeds_measured);
  io("value", p.value);
  io("low", p.low);
  io("high", p.high);
  io.sparse("interval", p.interval);
  io("chance", p.chance);
  io("baselines", p.baselines);
  io("seeds", p.seeds);
  io("n", p.n);
  io("n_total", p.n_total);
  io("n_scored", p.n_scored);
  io.sparse("reason", p.reason);
}

void fields(auto& io, auto& e) requires std::is_same_v<std::remove_cvref_t<decltype(e)>, EffectiveLength> {
  io("variant", e.variant);
  io("suite", e.suite);
  io("metric", e.metric);
  io("bar", e.bar);
  io("chance", e.chance);
  io("train_length", e.train_length);
  io("shortest", e.shortest);
  io("longest", e.longest);
  io("proven", e.proven);
  io("point", e.point);
  io("not_refuted", e.not_refuted);
  io("crossing", e.crossing);
  io("seeds_learned", e.seeds_learned);
  io("seeds_total", e.seeds_total);
  io("by_seed", e.by_seed);
  io.sparse("reason", e.reason);
}

void fields(auto& io, auto& c) requires std::is_same_v<std::remove_cvref_t<decltype(c)>, Curve> {
  io("variant", c.variant);
  io("suite", c.suite);
  io("metric", c.metric);
  io("in_length", c.in_length);
  io("beyond", c.beyond);
}

void fields(auto& io, auto& c) requires std::is_same_v<std::remove_cvref_t<decltype(c)>, Comparison> {
  io("variant", c.variant);
  io("baseline", c.baseline);
  io("suite", c.suite);
  io("metric", c.metric);
  io("scope", c.scope);
  io("length", c.length);
  io("in_length", c.in_length);
  io("seeds", c.seeds);
  io("n", c.n);
  io("a", c.a);
  io("b", c.b);
  io("c", c.c);
  io("d", c.d);
  io("baseline_value", c.baseline_value);
  io("value", c.value);
  io("difference", c.difference);
  io("low", c.low);
  io("high", c.high);
  io("p", c.p);
  io("p_holm", c.p_holm);
  io("detectable", c.detectable);
  io("unpaired", c.unpaired);
  io.sparse("verdict", c.verdict);
  io.sparse("reason", c.reason);
}

void fields(auto& io, auto& item) requires std::is_same_v<std::remove_cvref_t<decltype(item)>, ProtocolItem> {
  using State = ProtocolItem::State;
  io("key", item.key);
  io("text", item.text);
  io.word("state", item.state, state_name, {State::kMet, State::kMissed, State::kAbsent});
  io("why", item.why);
}

void fields(auto& io, auto& claim) requires std::is_same_v<std::remove_cvref_t<decltype(claim)>, Claim> {
  using Tone = Claim::Tone;
  io.word("tone", claim.tone, tone_name, {Tone::kGood, Tone::kPrice, Tone::kBad, Tone::kNote});
  io("headline", claim.headline);
  io("text", claim.text);
}

void fields(auto& io, auto& cost) requires std::is_same_v<std::remove_cvref_t<decltype(cost)>, Cost> {
  io("setting", cost.setting);
  io("probes", cost.probes);
  io("tokens", cost.tokens);
  io("targets", cost.targets);
  io("parameters", cost.parameters);
  io("train_steps", cost.train_steps);
  io.sparse("attention_memory", cost.memory.attention);
  io.sparse("key_cache_bytes_per_token", cost.memory.key_cache_bytes_per_token);
  io.sparse("memory_growth", cost.memory_growth);
}

}  // namespace lw
