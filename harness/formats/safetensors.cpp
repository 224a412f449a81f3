#include "harness/formats/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "harness/base/files.h"
#include "harness/base/json_read.h"

namespace lw {
namespace {
static_assert(std::endian::native == std::endian::little, "the format is little endian");

constexpr uint64_t kHeaderLimit = 100'000'000;  // as in the reference implementation

int64_t dtype_bytes(const std::string& dtype, const std::string& place) {
  static const std::map<std::string, int64_t> kSizes = {{"F64", 8},  {"I64", 8}, {"F32", 4}, {"I32", 4}, {"F16", 2},
                                                        {"BF16", 2}, {"I16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}};
  const auto found = kSizes.find(dtype);
  if (found == kSizes.end())
    throw Error(ErrorKind::kInput, place + ": dtype: found '" + dtype + "', which is not known here");
  return found->second;
}

/// Elements of a shape, refusing negative sizes and overflow.
uint64_t elements(const std::vector<int64_t>& shape, const std::string& place) {
  uint64_t n = 1;
  for (const int64_t s : shape) {
    if (s < 0 || (s > 0 && n > (uint64_t{1} << 48) / static_cast<uint64_t>(s)))
      throw Error(ErrorKind::kInput, place + ": shape: found sizes that no file can hold");
    n *= static_cast<uint64_t>(s);
  }
  return n;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::vector<SafetensorsEntry> entries,
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
  write_file(path, file);
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : bytes_(read_file(path)) {
  const std::string place = path.string();
  uint64_t size = 0;
  if (bytes_.size() < 8)
    throw Error(ErrorKind::kInput,
                place + ": found " + std::to_string(bytes_.size()) + " bytes; too short for safetensors");
  std::memcpy(&size, bytes_.data(), 8);
  if (size > kHeaderLimit || size > bytes_.size() - 8)
    throw Error(ErrorKind::kInput, place + ": found a header of " + std::to_string(size) + " bytes in a file of " +
                                       std::to_string(bytes_.size()) + "; not safetensors, or cut short");
  const Json header = parse_json(std::string_view(bytes_).substr(8, size), place);
  if (!header.is_object()) throw Error(ErrorKind::kInput, place + ": found no object in the header");
  const uint64_t data = 8 + size, room = bytes_.size() - data;
  std::map<uint64_t, uint64_t> parts;  // begin -> end
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      if (!value.is_object())
        throw Error(ErrorKind::kInput,
                    place + ": __metadata__: found " + value.dump() + "; allowed: an object of texts");
      for (const auto& [key, text] : value.items())
        metadata_[key] = json_get<std::string>(value, key.c_str(), place + ": __metadata__");
      continue;
    }
    const std::string at = place + ": " + name;
    SafetensorsEntry entry{
        name, json_get<std::string>(value, "dtype", at), json_get<std::vector<int64_t>>(value, "shape", at), {}};
    const auto offsets = json_get<std::vector<uint64_t>>(value, "data_offsets", at);
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > room)
      throw Error(ErrorKind::kInput, at + ": data_offsets: found bytes outside the file (" + std::to_string(room) +
                                         " bytes of data); cut short?");
    const uint64_t wanted = elements(entry.shape, at) * static_cast<uint64_t>(dtype_bytes(entry.dtype, at));
    if (wanted != offsets[1] - offsets[0])
      throw Error(ErrorKind::kInput, at + ": data_offsets: found " + std::to_string(offsets[1] - offsets[0]) +
                                         " bytes; its shape and dtype need " + std::to_string(wanted));
    entry.bytes = std::as_bytes(std::span(bytes_)).subspan(data + offsets[0], wanted);
    if (wanted > 0 && !parts.emplace(offsets[0], offsets[1]).second)
      throw Error(ErrorKind::kInput, at + ": data_offsets: found bytes that another tensor has too");
    entries_.push_back(std::move(entry));
  }
  uint64_t covered = 0;
  for (const auto& [begin, end] : parts) {
    if (begin != covered)
      throw Error(ErrorKind::kInput,
                  place + ": found " + (begin > covered ? "a gap" : "two tensors on the same bytes") + " at byte " +
                      std::to_string(begin > covered ? covered : begin) + " of the data; tensors lie end to end");
    covered = end;
  }
  if (covered != room)
    throw Error(ErrorKind::kInput, place + ": found " + std::to_string(room) +
                                       " bytes of data of which tensors cover " + std::to_string(covered));
}

}  // namespace lw
