#include "encodings/parts/causal_only.h"

#include "encodings/model_shape.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {

void require_causal(const ConfigNode& options, const ModelShape& shape, const std::string& scheme) {
  options.require(shape.causal, "scheme",
                  found(scheme, " in an encoder").allowed("a decoder, whose queries see no later key"));
}

}  // namespace lw
