#include "harness/tokenizer/post_processor.h"

#include <iterator>
#include <map>

#include "harness/base/json_fields.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"

namespace lw {
namespace {

std::map<std::string, std::vector<int64_t>> read_special_tokens(JsonFields& fields) {
  std::map<std::string, std::vector<int64_t>> ids;
  const Json* tokens = fields.take("special_tokens");
  if (tokens == nullptr) return ids;
  if (!tokens->is_object()) fields.fail("special_tokens", found_what(short_dump(*tokens)).allowed("an object"));
  for (const auto& [name, entry] : tokens->items()) {
    JsonFields token(entry, fields.place(), fields.path() + ".special_tokens." + name);
    token.text("id");
    token.take("tokens");
    const Json* list = token.take("ids");
    if (list == nullptr || !JsonFits<std::vector<int64_t>>::check(*list))
      token.fail("ids", "found no list of ids; allowed: whole numbers");
    ids[name] = list->get<std::vector<int64_t>>();
    token.finish();
  }
  return ids;
}

// The template for one text: special tokens around the sequence A.
Surround read_template(JsonFields& fields) {
  const auto ids = read_special_tokens(fields);
  fields.take("pair");  // for pairs of texts, which are not used here
  Surround surround;
  int sequences = 0;
  for (JsonFields& piece : fields.objects("single")) {
    const Json* special = piece.take("SpecialToken");
    const Json* sequence = piece.take("Sequence");
    piece.finish();
    if ((special == nullptr) == (sequence == nullptr))
      piece.fail("SpecialToken", "found no piece; allowed: one of SpecialToken, Sequence");
    JsonFields inner(special != nullptr ? *special : *sequence, fields.place(), piece.path());
    const std::string id = inner.text("id");
    inner.integer("type_id");
    inner.finish();
    if (sequence != nullptr) {
      if (id != "A" || ++sequences > 1) inner.fail("id", found(id).allowed("the sequence A, once"));
      continue;
    }
    const auto found = ids.find(id);
    if (found == ids.end()) inner.fail("id", "found '" + id + "', which is not in special_tokens");
    auto& side = sequences == 0 ? surround.prefix : surround.suffix;
    side.insert(side.end(), found->second.begin(), found->second.end());
  }
  if (sequences == 0) fields.fail("single", "found no sequence; allowed: the sequence A, once");
  return surround;
}

// "cls": ["[CLS]", 101]
int64_t read_named_id(JsonFields& fields, const char* key) {
  const Json* pair = fields.take(key);
  if (pair == nullptr || !pair->is_array() || pair->size() != 2 || !JsonFits<int64_t>::check((*pair)[1]))
    fields.fail(key, "found no [token, id]; allowed: a pair");
  return (*pair)[1].get<int64_t>();
}

Surround read_cls_sep(JsonFields& fields) {
  const int64_t cls = read_named_id(fields, "cls");
  return {{cls}, {read_named_id(fields, "sep")}};
}

Surround read_post_sequence(JsonFields& fields, const Json& json) {
  Surround all;
  const size_t count = fields.objects("processors").size();
  for (size_t i = 0; i < count; ++i) {
    const Surround one =
        read_post_processor(json["processors"][i], fields.place(), text(fields.path(), ".processors[", i, "]"));
    all.prefix.insert(all.prefix.begin(), one.prefix.begin(), one.prefix.end());
    all.suffix.insert(all.suffix.end(), one.suffix.begin(), one.suffix.end());
  }
  return all;
}

}  // namespace

Surround read_post_processor(const Json& json, const std::string& place, const std::string& path) {
  if (json.is_null()) return {};
  JsonFields fields(json, place, path);
  const std::string type = fields.text("type");
  Surround surround;
  if (type == "TemplateProcessing") {
    surround = read_template(fields);
  } else if (type == "BertProcessing") {
    surround = read_cls_sep(fields);
  } else if (type == "RobertaProcessing") {
    surround = read_cls_sep(fields);
    for (const char* unused : {"trim_offsets", "add_prefix_space"}) fields.flag(unused, true);
  } else if (type == "ByteLevel") {  // adds nothing
    for (const char* unused : {"add_prefix_space", "trim_offsets", "use_regex"}) fields.flag(unused, true);
  } else if (type == "Sequence") {
    surround = read_post_sequence(fields, json);
  } else {
    fields.fail("type",
                found(type).allowed("BertProcessing, ByteLevel, RobertaProcessing, Sequence, TemplateProcessing"));
  }
  fields.finish();
  return surround;
}

}  // namespace lw
