// Quantised blocks of GGUF against values computed by ggml, and against the layouts' formulas.
#include "harness/formats/quants.h"

#include <set>

#include "harness/formats/gguf.h"
#include "tests/formats/support.h"

namespace lw::formats_test {
namespace {

std::vector<float> values_of(uint32_t id, const std::string& block) {
  const GgmlType& type = *ggml_type(id);
  const std::string shifted = "x" + block;  // an odd address
  std::vector<float> out(type.block);
  dequantise(type, bytes_of(shifted).subspan(1), out, "f: w");
  return out;
}

const std::string kOne = raw(uint16_t{0x3C00}), kTwo = raw(uint16_t{0x4000}), kHalf = raw(uint16_t{0x3800});

}  // namespace

TEST_CASE("every readable type gives ggml's own values bit for bit", "[formats]") {
  const auto path = real_data("quant-golden/quant-golden.gguf");
  if (!path) return;
  const GgufFile file(*path);
  std::map<std::string, const GgufTensor*> tensors;
  for (const auto& t : file.tensors()) tensors[t.name] = &t;
  std::set<std::string> same;
  for (const auto& [name, tensor] : tensors) {
    const size_t dot = name.find(".weight");
    if (dot == std::string::npos) continue;
    const std::string type = name.substr(0, dot);
    const GgufTensor& expected = *tensors.at(type + ".expected");
    CHECK(tensor->type->name == type);
    CHECK(tensor->shape == std::vector<int64_t>{2, 512});
    std::vector<float> out(1024);
    dequantise(*tensor->type, tensor->bytes, out, "f");
    INFO(type);
    CHECK(std::memcmp(out.data(), expected.bytes.data(), expected.bytes.size()) == 0);
    same.insert(type);
  }
  CHECK(same == std::set<std::string>{"F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K",
                                      "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS"});
}

TEST_CASE("blocks of 32: low nibbles first, high nibbles second", "[formats]") {
  std::string nibbles;
  for (int j = 0; j < 16; ++j) nibbles += static_cast<char>(j | (15 - j) << 4);
  const std::string fifths = raw(uint32_t{0x8000'0001});  // of values 0 and 31
  const auto q4_0 = values_of(2, kTwo + nibbles), q4_1 = values_of(3, kTwo + kHalf + nibbles);
  const auto q5_0 = values_of(6, kTwo + fifths + nibbles), q5_1 = values_of(7, kTwo + kHalf + fifths + nibbles);
  for (size_t j = 0; j < 32; ++j) {
    const int nibble = static_cast<int>(j < 16 ? j : 31 - j), five = nibble + (j == 0 || j == 31 ? 16 : 0);
    CHECK(q4_0[j] == static_cast<float>(2 * (nibble - 8)));
    CHECK(q4_1[j] == static_cast<float>(2 * nibble) + 0.5F);
    CHECK(q5_0[j] == static_cast<float>(2 * (five - 16)));
    CHECK(q5_1[j] == static_cast<float>(2 * five) + 0.5F);
  }
  const auto q8_0 = values_of(8, kHalf + std::string(31, '\xFF') + "\x7F");
  CHECK(q8_0[0] == -0.5F);
  CHECK(q8_0[31] == 63.5F);
}

TEST_CASE("blocks of 256: six-bit scales above 15 use the upper bits", "[formats]") {
  // Sub-block j has scale j + 40 and minimum 63 - j, packed into 12 bytes.
  std::string packed(12, '\0');
  const auto put = [&packed](size_t at, int value) { packed[at] = static_cast<char>(packed[at] | value); };
  for (size_t j = 0; j < 8; ++j) {
    const int scale = static_cast<int>(j) + 40, minimum = 63 - static_cast<int>(j);
    if (j < 4) {
      put(j, scale);
      put(j + 4, minimum);
    } else {
      put(j + 4, (scale & 15) | (minimum & 15) << 4);
      put(j - 4, scale >> 4 << 6);
      put(j, minimum >> 4 << 6);
    }
  }
  std::string nibbles(128, '\0');
  for (size_t i = 0; i < 128; ++i) nibbles[i] = static_cast<char>(i % 16 | (i * 7 % 16) << 4);
  std::string fifths(32, '\0');
  for (size_t l = 0; l < 32; ++l) fifths[l] = static_cast<char>(l % 2 == 0 ? 0b10100101 : 0b01011010);
  const auto q4 = values_of(12, kTwo + kHalf + packed + nibbles),
             q5 = values_of(13, kTwo + kHalf + packed + fifths + nibbles);
  for (size_t i = 0; i < 256; ++i) {
    const size_t sub = i / 32, l = i % 32, byte = sub / 2 * 32 + l;
    const size_t nibble = sub % 2 == 0 ? byte % 16 : byte * 7 % 16;
    const size_t fifth = ((l % 2 == 0 ? 0b10100101U : 0b01011010U) >> sub & 1U) * 16;
    const float step = 2.0F * static_cast<float>(sub + 40), least = 0.5F * static_cast<float>(63 - sub);
    CHECK(q4[i] == step * static_cast<float>(nibble) - least);
    CHECK(q5[i] == step * static_cast<float>(nibble + fifth) - least);
  }
}

TEST_CASE("Q6_K: four rows of 32 share bytes, scales are signed, the block scale comes last", "[formats]") {
  std::string low(128, '\0'), high(64, '\0'), scales(16, '\0');
  for (size_t i = 0; i < 128; ++i) low[i] = static_cast<char>(i * 37 % 256);
  for (size_t i = 0; i < 64; ++i) high[i] = static_cast<char>(i * 91 % 256);
  for (size_t i = 0; i < 16; ++i) scales[i] = static_cast<char>(static_cast<int>(i) * 9 - 60);
  const auto q6 = values_of(14, low + high + scales + kHalf);
  for (size_t i = 0; i < 256; ++i) {
    const size_t part = i / 128, row = i % 128 / 32, l = i % 32;
    const unsigned byte = static_cast<uint8_t>(low[part * 64 + row % 2 * 32 + l]);
    const unsigned nibble = row < 2 ? byte & 15U : byte >> 4;
    const unsigned top = static_cast<uint8_t>(high[part * 32 + l]) >> (2 * row) & 3U;
    const int value = static_cast<int>(nibble | top << 4) - 32, scale = static_cast<int>(i / 16) * 9 - 60;
    CHECK(q6[i] == 0.5F * static_cast<float>(scale) * static_cast<float>(value));
  }
}

TEST_CASE("Q2_K and Q3_K: eight sub-blocks share 32 bytes, two bits each", "[formats]") {
  std::string scales(16, '\0'), low(64, '\0'), third(32, '\0'), packed(12, '\0');
  for (size_t i = 0; i < 64; ++i) low[i] = static_cast<char>(i * 37 % 256);
  for (size_t i = 0; i < 32; ++i) third[i] = static_cast<char>(i * 59 % 256);
  for (size_t sub = 0; sub < 16; ++sub) {
    scales[sub] = static_cast<char>(sub | (15 - sub) << 4);
    const size_t scale = sub * 4 + 1;  // of Q3_K: 1, 5, ... 61, less 32
    packed[sub % 8] = static_cast<char>(packed[sub % 8] | (scale & 15U) << (sub < 8 ? 0 : 4));
    packed[8 + sub % 4] = static_cast<char>(packed[8 + sub % 4] | scale >> 4 << sub / 4 * 2);
  }
  const auto q2 = values_of(10, scales + low + kTwo + kHalf), q3 = values_of(11, third + low + packed + kHalf);
  for (size_t i = 0; i < 256; ++i) {
    const size_t sub = i / 16, part = i / 128, row = i % 128 / 32, l = i % 32;
    const auto bits = static_cast<int>(static_cast<uint8_t>(low[part * 32 + l]) >> 2 * row & 3U);
    const auto bit = static_cast<int>(static_cast<uint8_t>(third[l]) >> (part * 4 + row) & 1U);
    CHECK(q2[i] == static_cast<float>(2 * sub) * static_cast<float>(bits) - 0.5F * static_cast<float>(15 - sub));
    CHECK(q3[i] == 0.5F * static_cast<float>(static_cast<int>(sub) * 4 - 31) * static_cast<float>(bits + 4 * bit - 4));
  }
}

TEST_CASE("IQ4_NL and IQ4_XS: nibbles choose from 16 values that are not evenly apart", "[formats]") {
  std::string nibbles;
  for (int j = 0; j < 16; ++j) nibbles += static_cast<char>(j | (15 - j) << 4);
  const std::vector<float> values = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
  const auto nl = values_of(20, kTwo + nibbles);
  // Sub-block s has scale 7 s + 3, less 32: 3, 10, ... 52.
  uint16_t upper = 0;
  std::string lower(4, '\0'), all;
  for (unsigned s = 0; s < 8; ++s) {
    upper = static_cast<uint16_t>(upper | (7 * s + 3) >> 4 << 2 * s);
    lower[s / 2] = static_cast<char>(lower[s / 2] | ((7 * s + 3) & 15U) << s % 2 * 4);
    all += nibbles;
  }
  const auto xs = values_of(23, kTwo + raw(upper) + lower + all);
  for (size_t i = 0; i < 256; ++i) {
    const size_t j = i % 32;
    const float value = values[j < 16 ? j : 31 - j];
    CHECK(nl[j] == 2 * value);
    CHECK(xs[i] == 2.0F * static_cast<float>(static_cast<int>(i / 32) * 7 - 29) * value);
  }
}

TEST_CASE("a file with tensors of a type that is not read opens, and reading them is refused by name", "[formats]") {
  const test::TempFolder folder;
  Gguf file;
  file.keys = {Gguf::key("general.architecture", 8, Gguf::text("llama"))};
  file.tensors = {Gguf::tensor("w", {256}, 16, 0), Gguf::tensor("v", {4}, 0, 96)};
  file.data = std::string(96, '\1') + raw(1.0F) + raw(2.0F) + raw(3.0F) + raw(4.0F);
  const auto path = folder / "m.gguf";
  write_file(path, file.bytes());
  const Container c(path);
  CHECK(lw::formats_test::values_of(c, "v") == std::vector<float>{1, 2, 3, 4});
  CHECK(message_of(path.string(), [&] { lw::formats_test::values_of(c, "w"); }) ==
        "w: found type IQ2_XXS; readable as weights: " + readable_ggml_types());
}

TEST_CASE("types are known by id; withdrawn ids are not", "[formats]") {
  for (const uint32_t id : {4U, 5U, 31U, 32U, 33U, 36U, 37U, 38U, 43U, 1000U}) CHECK(ggml_type(id) == nullptr);
  std::set<std::string_view> names;
  for (uint32_t id = 0; id < 43; ++id) {
    const GgmlType* type = ggml_type(id);
    if (type == nullptr) continue;
    CHECK(type->id == id);
    CHECK(names.insert(type->name).second);
  }
  CHECK(ggml_type(14)->name == "Q6_K");
  CHECK(ggml_type(30)->name == "BF16");
  CHECK(readable_ggml_types() ==
        "F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, Q2_K, Q3_K, IQ4_NL, IQ4_XS");
}

}  // namespace lw::formats_test
