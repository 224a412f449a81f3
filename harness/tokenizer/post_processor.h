// The post-processor of a tokenizer.json: what is put before and after a text.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/json.h"

namespace lw {

struct Surround {
  std::vector<int64_t> prefix;
  std::vector<int64_t> suffix;
};

/// @param json null for none. @throws Error naming what is not understood.
Surround read_post_processor(const Json& json, const std::string& place, const std::string& path);

}  // namespace lw
