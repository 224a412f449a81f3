#include "harness/formats/gguf_parts.h"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"

namespace lw {
namespace {
namespace fs = std::filesystem;

constexpr uint64_t kMostParts = 65535;  // split.no and split.count have 16 bits
constexpr size_t kMostNamed = 20;       // missing parts in one message

[[noreturn]] void fail_part(const GgufFile& part, const std::string& what) {
  throw Error(ErrorKind::kInput, part.file().place() + ": " + what);
}

/// A whole number of 0 or more, of any type. @param allowed what the key holds, for errors.
uint64_t part_number(const GgufFile& part, const std::string& key, const std::string& allowed) {
  const GgufValue* value = part.find(key);
  if (value == nullptr) fail_part(part, key + ": found nothing; allowed: " + allowed);
  const auto* naturals = std::get_if<GgufValue::Naturals>(&value->values);
  const auto* wholes = std::get_if<GgufValue::Wholes>(&value->values);
  const bool fits = !value->is_array && value->type != GgufValue::Type::kBool &&
                    (naturals != nullptr || (wholes != nullptr && wholes->at(0) >= 0));
  if (!fits) fail_part(part, key + ": " + found_what(value->text()).allowed(allowed));
  return naturals != nullptr ? naturals->at(0) : static_cast<uint64_t>(wholes->at(0));
}

/// "-00002-of-00003.gguf". @param number from 1.
std::string part_ending(uint64_t number, uint64_t count) {
  const auto padded = [](uint64_t n) {
    const std::string digits = std::to_string(n);
    return std::string(5 - std::min<size_t>(5, digits.size()), '0') + digits;
  };
  return "-" + padded(number) + "-of-" + padded(count) + ".gguf";
}

/// The name that all parts begin with. @param number of this part, from 1.
std::string part_stem(const GgufFile& part, const fs::path& path, uint64_t number, uint64_t count) {
  const std::string name = path.filename().string(), ending = part_ending(number, count);
  if (name.size() <= ending.size() || !name.ends_with(ending))
    fail_part(part,
              text("split.no: ", found_what("part ", number, " of ", count, " under the name ", printable(name))
                                     .allowed("NAME", ending, ", since the other parts are found by their names")));
  return name.substr(0, name.size() - ending.size());
}

/// The paths of parts 2 and up, all of which are there.
std::vector<fs::path> other_paths(const GgufFile& first, const fs::path& path, uint64_t count) {
  const std::string stem = part_stem(first, path, 1, count);
  std::vector<fs::path> paths;
  std::vector<std::string> missing;
  for (uint64_t number = 2; number <= count; ++number) {
    paths.push_back(path.parent_path() / (stem + part_ending(number, count)));
    std::error_code ignored;
    if (!fs::exists(paths.back(), ignored)) missing.push_back(paths.back().filename().string());
  }
  if (missing.empty()) return paths;
  const size_t all = missing.size();
  if (all > kMostNamed) missing.resize(kMostNamed);
  fail_part(first,
            text("split.count: found a model in ", count, " files, of which ", all, all == 1 ? " is" : " are",
                 " not in the folder: ", join(missing),
                 all > kMostNamed ? text(" and ", all - kMostNamed, " more") : "", "; is the download complete?"));
}

/// Each tensor stands in one part, and none is lacking.
void check_tensors(const GgufFile& first, const std::vector<std::unique_ptr<GgufFile>>& others) {
  const uint64_t stated = part_number(first, "split.tensors.count", "the number of tensors in all parts");
  std::map<std::string_view, const GgufFile*> part_of;
  const auto add = [&](const GgufFile& part) {
    for (const auto& tensor : part.tensors())
      if (const auto [at, is_new] = part_of.emplace(tensor.name, &part); !is_new)
        fail_part(part, printable(tensor.name) + ": found here and in " +
                            fs::path(at->second->file().place()).filename().string() + "; allowed: one part");
  };
  add(first);
  for (const auto& part : others) add(*part);
  if (part_of.size() != stated)
    fail_part(first, text("split.tensors.count: found ", stated, ", and ", part_of.size(), " tensors in ",
                          others.size() + 1, " files; are they of one model?"));
}

}  // namespace

std::vector<std::unique_ptr<GgufFile>> open_other_gguf_parts(const GgufFile& first, const fs::path& path) {
  std::vector<std::unique_ptr<GgufFile>> others;
  if (first.find("split.count") == nullptr) return others;
  const std::string counts = text("the number of files, 1 to ", kMostParts);
  const uint64_t count = part_number(first, "split.count", counts);
  if (count <= 1) return others;  // merged files keep the key with 0
  if (count > kMostParts) fail_part(first, "split.count: " + found(count).allowed(counts));
  const std::string numbers = text("0 to ", count - 1);
  const uint64_t no = part_number(first, "split.no", numbers);
  if (no >= count) fail_part(first, "split.no: " + found(no).allowed(numbers));
  if (no > 0) {
    const std::string stem = part_stem(first, path, no + 1, count);
    fail_part(first, text("split.no: found part ", no + 1, " of ", count, "; name the first: '",
                          (path.parent_path() / (stem + part_ending(1, count))).string(), "'"));
  }
  for (const auto& other : other_paths(first, path, count)) {
    const auto& part = *others.emplace_back(std::make_unique<GgufFile>(other));
    const uint64_t expected = others.size(), its_no = part_number(part, "split.no", std::to_string(expected)),
                   its_count = part_number(part, "split.count", std::to_string(count));
    if (its_no != expected) fail_part(part, "split.no: " + found(its_no).allowed(expected, ", as its name says"));
    if (its_count != count)
      fail_part(part, "split.count: " + found(its_count).allowed(count, ", as the first part has it"));
  }
  check_tensors(first, others);
  return others;
}

}  // namespace lw
