#include "harness/formats/gguf.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/formats/byte_reader.h"
#include "harness/formats/dtypes.h"
#include "harness/formats/file_kind.h"

namespace lw {
namespace {

constexpr uint32_t kDefaultAlignment = 32, kLargestAlignment = 65536;
constexpr uint32_t kMostDimensions = 4;
constexpr size_t kLongestName = 63;
constexpr uint64_t kSmallestKey = 8 + 1 + 4 + 1, kSmallestTensor = 8 + 1 + 4 + 8 + 4 + 8;  // bytes of an entry

[[noreturn]] void fail(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kInput, place + ": " + what);
}

void read_metadata(ByteReader& in, uint64_t count, GgufContents& out) {
  for (uint64_t i = 0; i < count; ++i) {
    const std::string number = text("metadata key ", i), key = read_gguf_text(in, number);
    if (key.empty()) fail(in.place(), number + ": found an empty key; allowed: a name");
    const std::string at = printable(key);
    if (out.metadata.find(key) != out.metadata.end()) fail(in.place(), at + ": found twice; each key may stand once");
    out.metadata.emplace(key, read_gguf_value(in, at));
  }
}

/// Reads magic, version and the two counts.
std::pair<uint64_t, uint64_t> read_start(ByteReader& in, std::span<const std::byte> bytes, GgufContents& out) {
  if (bytes.size() < 4 || in.take(4, "the magic number") != "GGUF") {
    const std::string kind = recognised_kind(bytes);
    fail(in.place(), "found " + (kind.empty() ? "no GGUF file: it does not begin with 'GGUF'" : kind));
  }
  out.version = in.read<uint32_t>("the version");
  if ((out.version & 0xFFFFU) == 0 && out.version != 0)
    fail(in.place(), "found a big-endian GGUF file, which is not supported; convert it to little endian");
  if (out.version != 2 && out.version != 3) fail(in.place(), found_what("GGUF version ", out.version).allowed("2, 3"));
  const auto tensors = in.read<uint64_t>("the number of tensors"), keys = in.read<uint64_t>("the number of keys");
  if (keys > in.left() / kSmallestKey)
    fail(in.place(),
         text("found ", keys, " metadata keys, which ", in.left(), " bytes cannot hold; cut short, or damaged?"));
  return {tensors, keys};
}

uint64_t alignment_of(const GgufContents& contents, const std::string& place) {
  const auto stated = contents.metadata.find("general.alignment");
  if (stated == contents.metadata.end()) return kDefaultAlignment;
  const GgufValue& value = stated->second;
  const std::string at = place + ": general.alignment";
  if (value.type != GgufValue::Type::kU32 || value.is_array)
    fail(at, found_what("a value of type ", gguf_type_name(value.type)).allowed("u32"));
  const uint64_t alignment = std::get<GgufValue::Naturals>(value.values)[0];
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > kLargestAlignment)
    fail(at, found(alignment).allowed("a power of two up to ", kLargestAlignment));
  return alignment;
}

/// A tensor's place as the file states it, and the bytes that it must have.
struct Stated {
  GgufTensor tensor;
  uint64_t offset = 0, bytes = 0;
};

const GgmlType* read_ggml_type(ByteReader& in, const std::string& at) {
  const auto id = in.read<uint32_t>(at);
  const GgmlType* type = ggml_type(id);
  if (type == nullptr)
    fail(in.place(), text(at, ": found tensor type ", id,
                          ", which is unknown (withdrawn, or newer than this program); readable as weights: ",
                          readable_ggml_types()));
  if (type->block == 0)
    throw Error(ErrorKind::kInput, text(in.place(), ": ", at, ": found type ", type->name,
                                        "; readable as weights: ", readable_ggml_types()));
  return type;
}

Stated read_tensor(ByteReader& in, uint64_t index) {
  Stated out;
  const std::string number = text("tensor ", index);
  out.tensor.name = read_gguf_text(in, number);
  if (out.tensor.name.empty() || out.tensor.name.size() > kLongestName)
    fail(in.place(),
         number + ": " + found_what("a name of ", out.tensor.name.size(), " bytes").allowed("1 to ", kLongestName));
  const std::string at = printable(out.tensor.name);
  const auto dimensions = in.read<uint32_t>(at);
  if (dimensions < 1 || dimensions > kMostDimensions)
    fail(in.place(), at + ": " + found(dimensions, " dimensions").allowed("1 to ", kMostDimensions));
  for (uint32_t i = 0; i < dimensions; ++i) {
    const auto size = in.read<uint64_t>(at);
    if (size < 1 || size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      fail(in.place(), at + ": " + found_what("a dimension of ", size).allowed("1 or more, as the file holds"));
    out.tensor.shape.insert(out.tensor.shape.begin(), static_cast<int64_t>(size));
  }
  const GgmlType* type = read_ggml_type(in, at);
  out.tensor.type = type;
  out.offset = in.read<uint64_t>(at);
  const auto count = element_count(out.tensor.shape);
  if (!count) fail(in.place(), at + ": found shape " + shape_text(out.tensor.shape) + ", which no file can hold");
  const auto row = static_cast<uint64_t>(out.tensor.shape.back());
  if (row % type->block != 0)
    fail(in.place(),
         text(at, ": found rows of ", row, " elements; allowed for ", type->name, ": multiples of ", type->block));
  if (*count / type->block > std::numeric_limits<uint64_t>::max() / type->bytes)
    fail(in.place(), at + ": found shape " + shape_text(out.tensor.shape) + ", which no file can hold");
  out.bytes = *count / type->block * type->bytes;
  return out;
}

/// Gives each tensor its bytes: they lie in order, each at the next aligned offset.
void place_tensors(std::vector<Stated>& stated, std::span<const std::byte> data, uint64_t alignment,
                   const std::string& place, GgufContents& out) {
  uint64_t next = 0;  // never beyond the data by more than the alignment, so that sums cannot overflow
  for (Stated& s : stated) {
    const std::string at = place + ": " + printable(s.tensor.name);
    if (s.offset != next)
      fail(at, found_what("offset ", s.offset)
                   .allowed(next, ", where the tensor before it ends (aligned to ", alignment, ")"));
    if (next > data.size() || s.bytes > data.size() - next)
      fail(at, text("found ", s.bytes, " bytes at offset ", next, " of ", data.size(),
                    " bytes of data; cut short, or damaged?"));
    s.tensor.bytes = data.subspan(next, s.bytes);
    next = (next + s.bytes + alignment - 1) / alignment * alignment;
    out.tensors.push_back(std::move(s.tensor));
  }
}

}  // namespace

GgufContents parse_gguf(std::span<const std::byte> bytes, const std::string& place) {
  ByteReader in(bytes, place);
  GgufContents out;
  const auto [tensors, keys] = read_start(in, bytes, out);
  read_metadata(in, keys, out);
  const uint64_t alignment = alignment_of(out, place);
  if (tensors > in.left() / kSmallestTensor)
    fail(place, text("found ", tensors, " tensors, which ", in.left(), " bytes cannot hold; cut short, or damaged?"));
  std::vector<Stated> stated;
  std::set<std::string> names;
  for (uint64_t i = 0; i < tensors; ++i) {
    stated.push_back(read_tensor(in, i));
    if (!names.insert(stated.back().tensor.name).second)
      fail(place, printable(stated.back().tensor.name) + ": found twice; each tensor may stand once");
  }
  const uint64_t begin = (in.position() + alignment - 1) / alignment * alignment;
  place_tensors(stated, bytes.subspan(std::min<uint64_t>(begin, bytes.size())), alignment, place, out);
  return out;
}

GgufFile::GgufFile(const std::filesystem::path& path)
    : file_(path), contents_(parse_gguf(file_.bytes(), file_.place())) {}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = contents_.metadata.find(key);
  return found == contents_.metadata.end() ? nullptr : &found->second;
}

}  // namespace lw
