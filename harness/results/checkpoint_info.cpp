#include "harness/results/checkpoint_info.h"

#include "harness/results/field_json.h"

namespace lw {

Json to_json(const CheckpointInfo& info) { return fields_to_json(info); }

CheckpointInfo checkpoint_info_from_json(const Json& json, const std::string& place) {
  CheckpointInfo info;
  FieldReader io(json, place);
  fields(io, info);
  return info;
}

}  // namespace lw
