// Refuses encoders, for the schemes whose distances mean nothing for keys ahead of the query.
#pragma once
#include <string>

namespace lw {

class ConfigNode;
struct ModelShape;

/// @throws Error(kConfig) at `scheme` when the model has no causal mask.
void require_causal(const ConfigNode& options, const ModelShape& shape, const std::string& scheme);

}  // namespace lw
