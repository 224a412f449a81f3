#include "harness/formats/gguf_value.h"

#include <type_traits>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"

namespace lw {
namespace {

using Type = GgufValue::Type;

constexpr uint64_t kLongestText = uint64_t{1} << 30, kMostElements = uint64_t{1} << 30;

[[noreturn]] void fail(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kInput, place + ": " + what);
}

template <class Stored, class Values>
Values read_each(ByteReader& in, uint64_t count, const std::string& at) {
  Values values;
  values.reserve(count);
  for (uint64_t i = 0; i < count; ++i) values.push_back(in.read<Stored>(at));
  return values;
}

GgufValue::Naturals read_flags(ByteReader& in, uint64_t count, const std::string& at) {
  auto values = read_each<uint8_t, GgufValue::Naturals>(in, count, at);
  for (const uint64_t value : values)
    if (value > 1) fail(in.place(), at + ": " + found_what("the bool ", value).allowed("0, 1"));
  return values;
}

uint64_t smallest_size(Type type) {
  switch (type) {
    case Type::kU8:
    case Type::kI8:
    case Type::kBool:
      return 1;
    case Type::kU16:
    case Type::kI16:
      return 2;
    case Type::kU32:
    case Type::kI32:
    case Type::kF32:
      return 4;
    default:
      return 8;
  }
}

/// `count` elements of one type; the caller has compared their number with the bytes left.
void read_values(ByteReader& in, GgufValue& out, uint64_t count, const std::string& at) {
  switch (out.type) {
    case Type::kU8:
      out.values = read_each<uint8_t, GgufValue::Naturals>(in, count, at);
      return;
    case Type::kI8:
      out.values = read_each<int8_t, GgufValue::Wholes>(in, count, at);
      return;
    case Type::kU16:
      out.values = read_each<uint16_t, GgufValue::Naturals>(in, count, at);
      return;
    case Type::kI16:
      out.values = read_each<int16_t, GgufValue::Wholes>(in, count, at);
      return;
    case Type::kU32:
      out.values = read_each<uint32_t, GgufValue::Naturals>(in, count, at);
      return;
    case Type::kI32:
      out.values = read_each<int32_t, GgufValue::Wholes>(in, count, at);
      return;
    case Type::kF32:
      out.values = read_each<float, GgufValue::Numbers>(in, count, at);
      return;
    case Type::kBool:
      out.values = read_flags(in, count, at);
      return;
    case Type::kU64:
      out.values = read_each<uint64_t, GgufValue::Naturals>(in, count, at);
      return;
    case Type::kI64:
      out.values = read_each<int64_t, GgufValue::Wholes>(in, count, at);
      return;
    case Type::kF64:
      out.values = read_each<double, GgufValue::Numbers>(in, count, at);
      return;
    default: {
      GgufValue::Texts texts;
      texts.reserve(count);
      for (uint64_t i = 0; i < count; ++i) texts.push_back(read_gguf_text(in, at));
      out.values = std::move(texts);
    }
  }
}

Type read_type(ByteReader& in, const std::string& at) {
  const auto id = in.read<uint32_t>(at);
  if (id > static_cast<uint32_t>(Type::kF64))
    fail(in.place(), at + ": " + found_what("value type ", id).allowed("0 to 12"));
  return static_cast<Type>(id);
}

}  // namespace

std::string read_gguf_text(ByteReader& in, const std::string& what) {
  const auto size = in.read<uint64_t>(what);
  if (size > kLongestText)
    fail(in.place(), what + ": " + found_what("a text of ", size, " bytes").allowed(kLongestText, " or fewer"));
  return std::string(in.take(size, what));
}

GgufValue read_gguf_value(ByteReader& in, const std::string& key) {
  GgufValue value;
  value.type = read_type(in, key);
  if (value.type != Type::kArray) {
    read_values(in, value, 1, key);
    return value;
  }
  value.is_array = true;
  value.type = read_type(in, key);
  if (value.type == Type::kArray) fail(in.place(), key + ": found an array of arrays; allowed: scalars and texts");
  const auto count = in.read<uint64_t>(key);
  if (count > kMostElements || count > in.left() / smallest_size(value.type))
    fail(in.place(), text(key, ": found an array of ", count, " elements with ", in.left(),
                          " bytes left in the file; cut short, or damaged?"));
  read_values(in, value, count, key);
  return value;
}

size_t GgufValue::size() const {
  return std::visit([](const auto& list) { return list.size(); }, values);
}

std::string GgufValue::text() const {
  constexpr size_t kShown = 4;
  const auto one = [this](const auto& value) -> std::string {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, std::string>)
      return '"' + printable(value) + '"';
    else if constexpr (std::is_same_v<T, double>)
      return type == Type::kF32 ? format_float(static_cast<float>(value)) : format_number(value);
    else if (type == Type::kBool)
      return value != 0 ? "true" : "false";
    else
      return std::to_string(value);
  };
  return std::visit(
      [&](const auto& list) {
        if (!is_array) return one(list.at(0));
        std::string out = "[";
        for (size_t i = 0; i < list.size() && i < kShown; ++i) out += (i > 0 ? ", " : "") + one(list[i]);
        if (list.size() > kShown) out += lw::text(", ... (", list.size(), ")");
        return out + "]";
      },
      values);
}

std::string_view gguf_type_name(GgufValue::Type type) {
  static constexpr std::string_view kNames[] = {"u8",   "i8",   "u16",   "i16", "u32", "i32", "f32",
                                                "bool", "text", "array", "u64", "i64", "f64"};
  return kNames[static_cast<size_t>(type)];
}

}  // namespace lw
