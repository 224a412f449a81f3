#include "harness/results/sealed.h"

#include "harness/base/error.h"
#include "harness/base/files.h"

namespace lw {
namespace {

constexpr std::string_view kBefore = "{\"sha256\":\"", kAfter = "\",";
constexpr size_t kDigits = 64;

}  // namespace

std::string sealed(std::string_view text) {
  LW_CHECK(text.size() > 2 && text.front() == '{' && text[1] != '}', "an object with a key is sealed");
  const std::string_view rest = text.substr(1);
  return std::string(kBefore) + sha256(rest) + std::string(kAfter) + std::string(rest);
}

std::optional<std::string> unsealed(std::string_view bytes) {
  constexpr size_t kSeal = kBefore.size() + kDigits + kAfter.size();
  if (bytes.size() <= kSeal || bytes.substr(0, kBefore.size()) != kBefore ||
      bytes.substr(kSeal - kAfter.size(), kAfter.size()) != kAfter)
    return std::nullopt;
  const std::string_view rest = bytes.substr(kSeal);
  if (sha256(rest) != bytes.substr(kBefore.size(), kDigits)) return std::nullopt;
  return "{" + std::string(rest);
}

}  // namespace lw
