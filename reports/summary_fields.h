// The keys of summary.json and of tables/*.csv, one list a type. What is read back, too, takes `auto`, const when
// writing.
#pragma once
#include <string>

#include "harness/results/fields.h"
#include "reports/summary.h"

namespace lw {

void fields(auto& io, FieldsOf<AttentionMemory> auto& a) {
  io("length", a.length);
  io("peak_bytes", a.peak_bytes);
}

void fields(auto& io, FieldsOf<SummaryOptions> auto& options) {
  io("bar", options.bar);
  io("margin", options.margin);
  io("distance_edges", options.distance_edges);
}

void fields(auto& io, const Cell& c) {
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
  io.sparse("bound_low", c.bound_low);
  io.sparse("bound_high", c.bound_high);
  io.sparse("unscored", c.unscored);
  io.sparse("reason", c.reason);
}

void fields(auto& io, const SeedValue& s) {
  io("seed", s.seed);
  io("learned", s.learned);
  io("n", s.n);
  io("value", s.value);
  io("low", s.low);
  io("high", s.high);
  io.sparse("reason", s.reason);
}

void fields(auto& io, const Pooled& p) {
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
  io.sparse("bound_low", p.bound_low);
  io.sparse("bound_high", p.bound_high);
  io.sparse("unscored", p.unscored);
  io.sparse("reason", p.reason);
}

void fields(auto& io, FieldsOf<SeedReach> auto& s) {
  io("seed", s.seed);
  io("point", s.point);
}

void fields(auto& io, FieldsOf<EffectiveLength> auto& e) {
  io("variant", e.variant);
  io("suite", e.suite);
  io("metric", e.metric);
  io("bar", e.bar);
  io("chance", e.chance);
  io("train_length", e.train_length);
  io("shortest", e.shortest);
  io("longest", e.longest);
  io("proven", e.proven);
  io("claimed", e.claimed);
  io("point", e.point);
  io("not_refuted", e.not_refuted);
  io("crossing", e.crossing);
  io("seeds_learned", e.seeds_learned);
  io("seeds_total", e.seeds_total);
  io("family", e.family);
  io("fewest", e.fewest);
  io("by_seed", e.by_seed);
  io.sparse("reason", e.reason);
}

void fields(auto& io, const Curve& c) {
  io("variant", c.variant);
  io("suite", c.suite);
  io("metric", c.metric);
  io("in_length", c.in_length);
  io("beyond", c.beyond);
}

void fields(auto& io, const SeedDifference& s) {
  io("seed", s.seed);
  io("difference", s.difference);
}

/// How sure a difference is: the same keys between settings and between runs.
void sureness_fields(auto& io, const Comparison& c) {
  const auto by = [&](const Finding& f, bool claims) {
    return carries_claims(c.scope) == claims ? f.p_adjusted : std::optional<double>();
  };
  io.sparse("about", std::string(about_name(c.about)));
  io("by_seed", c.by_seed);
  io("low", c.low);
  io("high", c.high);
  io("p", c.p);
  io("p_holm", by(c, true));
  io("p_bh", by(c, false));
  io.sparse("verdict", std::string(verdict_words(c.verdict)));
  const Finding w = c.on_weights.value_or(Finding{});
  io.sparse("weights_low", w.low);
  io.sparse("weights_high", w.high);
  io.sparse("weights_p", w.p);
  io.sparse("weights_p_holm", by(w, true));
  io.sparse("weights_p_bh", by(w, false));
  io.sparse("weights_verdict", std::string(verdict_words(w.verdict)));
}

void fields(auto& io, const Comparison& c) {
  io("variant", c.variant);
  io("baseline", c.baseline);
  io("suite", c.suite);
  io("metric", c.metric);
  io("scope", std::string(scope_name(c.scope)));
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
  sureness_fields(io, c);
  io("detectable", c.detectable);
  io("unpaired", c.unpaired);
  io("missing", c.missing);
  io.sparse("reason", c.reason);
}

void fields(auto& io, const ProtocolItem& item) {
  io("key", item.key);
  io("text", item.text);
  io("state", std::string(state_name(item.state)));
  io("why", item.why);
}

void fields(auto& io, const Claim& claim) {
  io("tone", std::string(tone_name(claim.tone)));
  io("headline", claim.headline);
  io("text", claim.text);
}

void fields(auto& io, FieldsOf<Cost> auto& cost) {
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
