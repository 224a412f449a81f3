#include "harness/formats/safetensors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/formats/dtypes.h"
#include "harness/formats/file_kind.h"

namespace lw {
namespace {

constexpr uint64_t kHeaderLimit = 100'000'000;  // as in the reference implementation

[[noreturn]] void fail(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kInput, place + ": " + what);
}

/// The header's text, once its size is known to be possible.
std::string_view header_of(std::span<const std::byte> bytes, const std::string& place) {
  uint64_t size = 0;
  const auto refuse = [&](const std::string& what) {
    const std::string kind = recognised_kind(bytes);
    fail(place, "found " + (kind.empty() ? what : kind));
  };
  if (bytes.size() < 8) refuse(text(bytes.size(), " bytes; too short for safetensors"));
  std::memcpy(&size, bytes.data(), 8);
  if (size > bytes.size() - 8)
    refuse(text("a header of ", size, " bytes in a file of ", bytes.size(), "; not safetensors, or cut short"));
  if (size > kHeaderLimit) fail(place, found_what("a header of ", size, " bytes").allowed(kHeaderLimit, " or fewer"));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8, size);
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '{') fail(place, "found no object in the header");
  return text;
}

/// Bytes that a dtype and a shape need.
uint64_t bytes_needed(const SafetensorsEntry& entry, const std::string& at) {
  const auto bits = dtype_bits(entry.dtype);
  if (!bits)
    fail(at, "dtype: " + found(printable(entry.dtype), ", which is not known here").allowed(join(dtype_names())));
  const auto count = element_count(entry.shape);
  if (!count || *count > std::numeric_limits<uint64_t>::max() / *bits)
    fail(at, "shape: found sizes that no file can hold");
  if (*count * *bits % 8 != 0)
    fail(at, "shape: " + found(*count, " elements of ", *bits, " bits").allowed("a whole number of bytes"));
  return *count * *bits / 8;
}

struct Part {  // the range of one tensor
  uint64_t begin, end;
  std::string name;
};

/// One tensor of the header, checked by itself.
SafetensorsEntry read_entry(const std::string& name, const SortedJson& value, std::span<const std::byte> data,
                            std::vector<Part>& parts, const std::string& at) {
  if (!value.is_object()) fail(at, found_what(json_shown(value)).allowed("an object"));
  SafetensorsEntry entry{
      name, json_get<std::string>(value, "dtype", at), json_get<std::vector<int64_t>>(value, "shape", at), {}};
  const auto offsets = json_get<std::vector<uint64_t>>(value, "data_offsets", at);
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    fail(at, "data_offsets: " + found_what(json_shown(value["data_offsets"])).allowed("begin and end"));
  if (offsets[1] > data.size())
    fail(at, text("data_offsets: found bytes outside the file (", data.size(), " bytes of data); cut short?"));
  const uint64_t needed = bytes_needed(entry, at);
  if (needed != offsets[1] - offsets[0])
    fail(at, text("data_offsets: found ", offsets[1] - offsets[0], " bytes; its shape and dtype need ", needed));
  entry.bytes = data.subspan(offsets[0], needed);
  parts.push_back({offsets[0], offsets[1], name});
  return entry;
}

/// Tensors lie end to end over all the data: no gaps, no bytes that two tensors share.
void require_cover(std::vector<Part> parts, uint64_t size, const std::string& place) {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t covered = 0;
  for (const Part& part : parts) {
    if (part.begin != covered)
      fail(place + ": " + printable(part.name),
           text("data_offsets: found ", part.begin > covered ? "a gap before it" : "bytes of another tensor",
                " (begin ", part.begin, ", the tensor before it ends at ", covered, "); tensors lie end to end"));
    covered = part.end;
  }
  if (covered != size) fail(place, text("found ", size, " bytes of data of which tensors cover ", covered));
}

}  // namespace

std::string safetensors_bytes(std::vector<SafetensorsEntry> entries,
                              const std::map<std::string, std::string>& metadata) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  size_t offset = 0;
  for (const auto& e : entries) {
    header[e.name] = Json{{"dtype", e.dtype}, {"shape", e.shape}, {"data_offsets", {offset, offset + e.bytes.size()}}};
    offset += e.bytes.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // tensors start on a multiple of eight
  std::string file(8, '\0');
  const auto size = static_cast<uint64_t>(text.size());
  std::memcpy(file.data(), &size, 8);
  file += text;
  for (const auto& e : entries) file.append(reinterpret_cast<const char*>(e.bytes.data()), e.bytes.size());
  return file;
}

void write_safetensors(const std::filesystem::path& path, std::vector<SafetensorsEntry> entries,
                       const std::map<std::string, std::string>& metadata) {
  write_file(path, safetensors_bytes(std::move(entries), metadata));
}

SafetensorsContents parse_safetensors(std::span<const std::byte> bytes, const std::string& place) {
  const std::string_view text = header_of(bytes, place);
  const SortedJson header = parse_sorted_json(text, place);
  const auto data = bytes.subspan(8 + text.size());
  SafetensorsContents contents;
  std::vector<Part> parts;
  for (const auto& [name, value] : header.items()) {
    if (name != "__metadata__") {
      contents.entries.push_back(read_entry(name, value, data, parts, place + ": " + printable(name)));
      continue;
    }
    if (value.is_null()) continue;
    const std::string at = place + ": __metadata__";
    if (!value.is_object()) fail(at, found_what(json_shown(value)).allowed("an object of texts"));
    for (const auto& [key, entry] : value.items()) contents.metadata[key] = json_get<std::string>(value, key, at);
  }
  require_cover(std::move(parts), data.size(), place);
  return contents;
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : file_(path), contents_(parse_safetensors(file_.bytes(), file_.place())) {}

}  // namespace lw
