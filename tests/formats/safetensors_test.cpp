// The safetensors container: written and read back, and every way a file can be broken.
#include "harness/formats/safetensors.h"

#include <cstring>
#include <vector>

#include "harness/base/files.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::safetensors_test {
namespace {

using Catch::Matchers::ContainsSubstring;

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

std::string file_of(const std::string& header, const std::string& data) {
  std::string file(8, '\0');
  const uint64_t size = header.size();
  std::memcpy(file.data(), &size, 8);
  return file + header + data;
}

/// The error of reading these bytes, without the file's name.
std::string read_error(const std::string& bytes) {
  const test::TempFolder folder;
  const auto path = folder / "x.safetensors";
  write_file(path, bytes);
  const std::string error = test::error_of([&] { const SafetensorsFile file(path); });
  if (error.empty()) return "";
  CHECK(error.rfind(path.string() + ": ", 0) == 0);
  CHECK(test::error_kind_of([&] { const SafetensorsFile file(path); }) == ErrorKind::kInput);
  CHECK(error.find('\n') == std::string::npos);
  return error.substr(path.string().size() + 2);
}

std::string header_error(const std::string& header, size_t data = 8) {
  return read_error(file_of(header, std::string(data, 'x')));
}

/// A header with one tensor "w".
std::string tensor_error(const std::string& dtype, const std::string& shape, const std::string& offsets,
                         size_t data = 8) {
  return header_error("{\"w\":{\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}",
                      data);
}

}  // namespace

TEST_CASE("tensors and metadata come back as they were", "[formats]") {
  const test::TempFolder folder;
  const std::vector<float> f = {1.5F, -0.0F, 3e-40F, 7.0F, 8.0F, 9.0F};
  const std::vector<double> d = {0.1};
  const std::vector<int64_t> i = {-1, int64_t{1} << 62};
  const std::map<std::string, std::string> metadata = {{"format", "pt"}, {"key", "a \"quoted\"\nline"}};
  write_safetensors(folder / "m",
                    {{"z.weight", "F32", {2, 3}, bytes_of(f)},
                     {"scalar", "F64", {}, bytes_of(d)},
                     {"ids", "I64", {2}, bytes_of(i)},
                     {"empty", "F32", {0, 4}, {}}},
                    metadata);
  const SafetensorsFile file(folder / "m");
  CHECK(file.metadata() == metadata);
  REQUIRE(file.entries().size() == 4);
  for (const auto& e : file.entries()) {
    if (e.name == "z.weight") {
      CHECK(e.dtype == "F32");
      CHECK(e.shape == std::vector<int64_t>{2, 3});
      CHECK(std::memcmp(e.bytes.data(), f.data(), e.bytes.size()) == 0);
    } else if (e.name == "scalar") {
      CHECK(e.shape.empty());
      CHECK(std::memcmp(e.bytes.data(), d.data(), 8) == 0);
    } else if (e.name == "ids") {
      CHECK(std::memcmp(e.bytes.data(), i.data(), 16) == 0);
    } else {
      CHECK(e.name == "empty");
      CHECK(e.bytes.empty());
    }
  }
}

TEST_CASE("equal tensors give equal files, whatever their order", "[formats]") {
  const test::TempFolder folder;
  const std::vector<float> a = {1}, b = {2, 3};
  write_safetensors(folder / "1", {{"a", "F32", {1}, bytes_of(a)}, {"b", "F32", {2}, bytes_of(b)}}, {});
  write_safetensors(folder / "2", {{"b", "F32", {2}, bytes_of(b)}, {"a", "F32", {1}, bytes_of(a)}}, {});
  const std::string bytes = read_file(folder / "1");
  CHECK(bytes == read_file(folder / "2"));
  uint64_t header = 0;
  std::memcpy(&header, bytes.data(), 8);
  CHECK(header % 8 == 0);
  CHECK(bytes.size() == 8 + header + 12);
  CHECK_THAT(bytes.substr(8, header),
             ContainsSubstring("\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}"));
}

TEST_CASE("every known dtype has its size", "[formats]") {
  const std::vector<std::pair<std::string, size_t>> sizes = {
      {"F64", 8},     {"I64", 8},     {"U64", 8},     {"C64", 8},         {"F32", 4},        {"I32", 4}, {"U32", 4},
      {"F16", 2},     {"BF16", 2},    {"I16", 2},     {"U16", 2},         {"I8", 1},         {"U8", 1},  {"BOOL", 1},
      {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"F8_E8M0", 1}, {"F8_E4M3FNUZ", 1}, {"F8_E5M2FNUZ", 1}};
  for (const auto& [dtype, size] : sizes) {
    INFO(dtype);
    const std::string end = std::to_string(3 * size);
    CHECK(tensor_error("\"" + dtype + "\"", "[3]", "[0," + end + "]", 3 * size).empty());
    CHECK(tensor_error("\"" + dtype + "\"", "[2]", "[0," + end + "]", 3 * size) ==
          "w: data_offsets: found " + end + " bytes; its shape and dtype need " + std::to_string(2 * size));
  }
  CHECK(tensor_error("\"F4\"", "[3,2]", "[0,3]", 3).empty());
  CHECK(tensor_error("\"F4\"", "[3]", "[0,1]", 1) ==
        "w: shape: found 3 elements of 4 bits; allowed: a whole number of bytes");
  CHECK(tensor_error("\"F6_E2M3\"", "[4]", "[0,3]", 3).empty());
  CHECK_THAT(tensor_error("\"F7\"", "[8]", "[0,8]"),
             ContainsSubstring("w: dtype: found 'F7', which is not known here; allowed: BOOL, U8, "));
}

TEST_CASE("files that are cut short or no safetensors at all", "[formats]") {
  CHECK(read_error("") == "found an empty file");
  CHECK(read_error("1234567") == "found 7 bytes; too short for safetensors");
  CHECK_THAT(read_error("a text file that is no safetensors"), ContainsSubstring("; not safetensors, or cut short"));
  std::string long_header(8, '\0');
  long_header[0] = 100;
  CHECK(read_error(long_header + "{}") == "found a header of 100 bytes in a file of 10; not safetensors, or cut short");
  CHECK(read_error(std::string(8, '\xFF')) ==
        "found a header of 18446744073709551615 bytes in a file of 8; not safetensors, or cut short");
  CHECK(tensor_error("\"F32\"", "[2]", "[0,8]", 7) ==
        "w: data_offsets: found bytes outside the file (7 bytes of data); cut short?");
}

TEST_CASE("every cut of a good file is noticed", "[formats]") {
  const test::TempFolder folder;
  const std::vector<float> values = {1, 2, 3};
  write_safetensors(folder / "m", {{"a", "F32", {3}, bytes_of(values)}}, {{"k", "v"}});
  const std::string bytes = read_file(folder / "m");
  for (size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    CHECK_FALSE(read_error(bytes.substr(0, size)).empty());
  }
  CHECK_FALSE(read_error(bytes + "x").empty());
}

TEST_CASE("headers that are not what they should be", "[formats]") {
  CHECK_THAT(header_error("{\"w\":"), ContainsSubstring("not JSON: "));
  CHECK_THAT(header_error("{\"\xFF\xFE\":3}"), ContainsSubstring("not JSON: "));
  CHECK(header_error("\xFF\xFE{}") == "found no object in the header");
  CHECK(header_error("\xEF\xBB\xBF{}", 0) == "found no object in the header");
  CHECK(header_error("[]") == "found no object in the header");
  CHECK(header_error("3") == "found no object in the header");
  const std::string w = "\"w\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}";
  CHECK(header_error("{" + w + "," + w + "}", 4) == "w: found twice; each key may stand once");
  CHECK(header_error("{\"w\":3}") == "w: found 3; allowed: an object");
  CHECK(header_error("{\"w\":{\"shape\":[4],\"data_offsets\":[0,4]}}") == "w: dtype: found nothing; allowed: a value");
  CHECK(header_error("{\"w\":{\"dtype\":\"U8\",\"data_offsets\":[0,4]}}") ==
        "w: shape: found nothing; allowed: a value");
  CHECK(header_error("{\"w\":{\"dtype\":\"U8\",\"shape\":[4]}}") == "w: data_offsets: found nothing; allowed: a value");
  CHECK(header_error("{\"__metadata__\":{\"k\":3}}", 0) == "__metadata__: k: found 3; allowed: another type of value");
  CHECK(header_error("{\"__metadata__\":3}", 0) == "__metadata__: found 3; allowed: an object of texts");
}

TEST_CASE("shapes and offsets that cannot be", "[formats]") {
  const std::string u8 = "\"U8\"",
                    outside = "w: data_offsets: found bytes outside the file (8 bytes of data); cut short?";
  CHECK(tensor_error(u8, "[-8]", "[0,8]") == "w: shape: found sizes that no file can hold");
  CHECK(tensor_error(u8, "[-2,-4]", "[0,8]") == "w: shape: found sizes that no file can hold");
  CHECK(tensor_error(u8, "[4294967296,4294967296]", "[0,8]") == "w: shape: found sizes that no file can hold");
  CHECK(tensor_error("\"F64\"", "[2305843009213693953]", "[0,8]") ==
        "w: shape: found sizes that no file can hold");  // 8 times it wraps to 8
  CHECK(tensor_error(u8, "[8.0]", "[0,8]") == "w: shape: found [8.0]; allowed: another type of value");
  CHECK(tensor_error(u8, "[\"8\"]", "[0,8]") == "w: shape: found [\"8\"]; allowed: another type of value");
  CHECK(tensor_error(u8, "8", "[0,8]") == "w: shape: found 8; allowed: another type of value");
  CHECK(tensor_error("8", "[8]", "[0,8]") == "w: dtype: found 8; allowed: another type of value");
  CHECK(tensor_error(u8, "[8]", "[0,9]") == outside);
  CHECK(tensor_error(u8, "[8]", "[8,0]") == "w: data_offsets: found [8,0]; allowed: begin and end");
  CHECK(tensor_error(u8, "[8]", "[8]") == "w: data_offsets: found [8]; allowed: begin and end");
  CHECK(tensor_error(u8, "[8]", "[0,4,8]") == "w: data_offsets: found [0,4,8]; allowed: begin and end");
  CHECK(tensor_error(u8, "[8]", "[-8,0]") == "w: data_offsets: found [-8,0]; allowed: another type of value");
  CHECK(tensor_error(u8, "[8]", "[0.0,8.0]") == "w: data_offsets: found [0.0,8.0]; allowed: another type of value");
  CHECK(tensor_error(u8, "[8]", "[18446744073709551615,8]") ==
        "w: data_offsets: found [18446744073709551615,8]; allowed: begin and end");
  CHECK(tensor_error(u8, "[8]", "[0,18446744073709551615]") == outside);
  CHECK(tensor_error(u8, "[8]", "[0,18446744073709551616]") ==
        "w: data_offsets: found [0,1.8446744073709552e+19]; allowed: another type of value");
  CHECK(tensor_error(u8, "[4]", "[0,8]") == "w: data_offsets: found 8 bytes; its shape and dtype need 4");
  CHECK(tensor_error(u8, "[]", "[0,1]", 1).empty());
}

TEST_CASE("tensors lie end to end over all the data", "[formats]") {
  const auto part = [](const std::string& name, int begin, int end) {
    return "\"" + name + "\":{\"dtype\":\"U8\",\"shape\":[" + std::to_string(end - begin) + "],\"data_offsets\":[" +
           std::to_string(begin) + "," + std::to_string(end) + "]}";
  };
  CHECK(header_error("{" + part("a", 0, 3) + "," + part("b", 3, 8) + "}").empty());
  CHECK(header_error("{" + part("b", 3, 8) + "," + part("a", 0, 3) + "}").empty());
  CHECK(header_error("{" + part("a", 0, 3) + "}") == "found 8 bytes of data of which tensors cover 3");
  CHECK(header_error("{}") == "found 8 bytes of data of which tensors cover 0");
  CHECK(header_error("{" + part("a", 0, 3) + "," + part("b", 4, 8) + "}") ==
        "b: data_offsets: found a gap before it (begin 4, the tensor before it ends at 3); tensors lie end to end");
  CHECK(header_error("{" + part("a", 1, 8) + "}") ==
        "a: data_offsets: found a gap before it (begin 1, the tensor before it ends at 0); tensors lie end to end");
  CHECK(header_error("{" + part("a", 0, 4) + "," + part("b", 2, 8) + "}") ==
        "b: data_offsets: found bytes of another tensor (begin 2, the tensor before it ends at 4); tensors lie end to "
        "end");
  // The sizes add up to all the data, but half of it belongs to no tensor.
  CHECK(header_error("{" + part("a", 0, 4) + "," + part("b", 0, 4) + "}") ==
        "b: data_offsets: found bytes of another tensor (begin 0, the tensor before it ends at 4); tensors lie end to "
        "end");
  // A tensor without elements has its place in the order too.
  CHECK(header_error("{" + part("a", 0, 4) + "," + part("b", 4, 4) + "," + part("c", 4, 8) + "}").empty());
  CHECK(header_error("{" + part("a", 0, 4) + "," + part("b", 2, 2) + "," + part("c", 4, 8) + "}") ==
        "b: data_offsets: found bytes of another tensor (begin 2, the tensor before it ends at 4); tensors lie end to "
        "end");
}

TEST_CASE("headers that other writers make are accepted", "[formats]") {
  const std::string w = "\"w\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}";
  CHECK(header_error("{}", 0).empty());
  CHECK(header_error(" \t\r\n{" + w + "} \t\r\n", 4).empty());  // the reference reader takes blanks on both sides
  CHECK(header_error("{\"__metadata__\":{}," + w + "}", 4).empty());
  CHECK(header_error("{\"__metadata__\":null," + w + "}", 4).empty());
  CHECK(header_error("{\"__metadata__\":{\"format\":\"tf\"}," + w + "}", 4).empty());
  CHECK(header_error("{\"w\":{\"data_offsets\":[0,0],\"shape\":[3,0,2],\"dtype\":\"F32\"}}", 0).empty());
  CHECK(header_error("{" + w + "}" + std::string("\0\0", 2), 4) == "not JSON: found a zero byte at byte 53");
}

TEST_CASE("data at odd addresses is read as it is", "[formats]") {
  const test::TempFolder folder;
  for (size_t blanks = 0; blanks < 8; ++blanks) {
    const std::vector<float> value = {1.5F};
    std::string data = "x";
    data.append(reinterpret_cast<const char*>(value.data()), 4);
    write_file(folder / "m", file_of("{\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"f\":{\"dtype\":"
                                     "\"F32\",\"shape\":[1],\"data_offsets\":[1,5]}}" +
                                         std::string(blanks, ' '),
                                     data));
    const SafetensorsFile file(folder / "m");
    CHECK(std::memcmp(file.entries().at(1).bytes.data(), value.data(), 4) == 0);
  }
}

TEST_CASE("a header beyond the limit is refused before it is read", "[formats]") {
  const test::TempFolder folder;
  const auto path = folder / "m";
  write_file(path, file_of("", "").replace(0, 8, std::string("\x01\xE1\xF5\x05\0\0\0\0", 8)));
  std::filesystem::resize_file(path, 100'000'009);  // a hole, which takes no room
  CHECK(test::error_of([&] { const SafetensorsFile file(path); }) ==
        path.string() + ": found a header of 100000001 bytes; allowed: 100000000 or fewer");
}

TEST_CASE("files that hold something else say so", "[formats]") {
  CHECK(read_error("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n") ==
        "found a Git LFS pointer, not the file itself; get it with 'git lfs pull'");
  CHECK(read_error("<!DOCTYPE html><title>Sign in</title>") ==
        "found an HTML page; was a web page downloaded instead of the file?");
  CHECK(read_error(std::string("GGUF\3\0\0\0", 8) + std::string(24, '\0')) == "found a GGUF file");
  CHECK(read_error("PK\x03\x04 and more") ==
        "found a zip archive, as PyTorch writes its pickles; only safetensors and GGUF are read");
}

TEST_CASE("a file cut within its header is not taken for what the header's size looks like", "[formats]") {
  for (const uint64_t size : {uint64_t{0x7B}, uint64_t{0x0280}, uint64_t{0x8B1F}, uint64_t{0x04034B50}}) {
    std::string start(8, '\0');  // '{', a pickle, gzip, zip
    std::memcpy(start.data(), &size, 8);
    CHECK(read_error(start + "{\"w\"") ==
          "found a header of " + std::to_string(size) + " bytes in a file of 12; not safetensors, or cut short");
  }
}

TEST_CASE("the header sizes of known attacks", "[formats]") {
  CHECK(read_error(std::string(8, '\xFF') + "{") ==
        "found a header of 18446744073709551615 bytes in a file of 9; not safetensors, or cut short");
  CHECK(read_error(std::string("\x3C\0\0\0\0\xFF\xFF\xFF", 8) + std::string(60, ' ')) ==
        "found a header of 18446742974197923900 bytes in a file of 68; not safetensors, or cut short");
  CHECK(header_error("{\"w\":{\"dtype\":\"I32\",\"shape\":[2,18446744073709551614],\"data_offsets\":[0,16]}}", 16) ==
        "w: shape: found [2,18446744073709551614]; allowed: another type of value");
  CHECK(header_error("{\"w\":{\"dtype\":\"I32\",\"shape\":[2,9223372036854775807],\"data_offsets\":[0,16]}}", 16) ==
        "w: shape: found sizes that no file can hold");
  const std::string good = file_of("{\"w\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", "1234");
  CHECK(read_error(good + "extra_bogus_data_for_polyglot_file") == "found 38 bytes of data of which tensors cover 4");
}

}  // namespace lw::safetensors_test
