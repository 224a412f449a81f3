// What there is to know about each position scheme and RoPE scaling, as JSON and as the page docs/encodings.md.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lw {

/// One object a scheme: name summary source golden options models, and what the position card measures of its
/// plain setting: applies_to learned shift_invariant cache max_positions.
nlohmann::ordered_json encodings_json();
/// The same for RoPE scalings; `depends_on_length` in place of most measurements, since they are those of rope.
nlohmann::ordered_json scalings_json();

/// The whole page: a table over all, then each with its options.
std::string encodings_markdown();
std::string scalings_markdown();

}  // namespace lw
