#include "harness/base/error.h"

#include <algorithm>
#include <cctype>

namespace lw {
namespace {

constexpr size_t kLongestWord = 256;  // a longer one is no misspelling, and would take long to compare

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return out;
}

/// Edit distance in which swapping two neighbours costs one (optimal string alignment).
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string SourcePos::str() const {
  std::string out = file;
  if (line > 0) out += ':' + std::to_string(line);
  if (line > 0 && column > 0) out += ':' + std::to_string(column);
  return out;
}

int Error::exit_code() const noexcept {
  switch (kind_) {
    case ErrorKind::kUsage:
    case ErrorKind::kConfig:
    case ErrorKind::kInput:
      return 2;
    default:
      return 1;
  }
}

void fail_internal(const char* file, int line, const char* condition, const std::string& why) {
  throw Error(ErrorKind::kInternal, std::string("internal error, please report it: ") + why + " (" + condition +
                                        " at " + file + ":" + std::to_string(line) + ")");
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongestWord) return "";
  const std::string wanted = lower(word);
  std::string best;
  size_t best_distance = (wanted.size() < 4 ? 1 : std::max<size_t>(2, wanted.size() / 3)) + 1;
  for (const auto& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::string have = lower(candidate);
    size_t distance = edit_distance(wanted, have);
    // "scale" for "scaling_factor": a shared beginning is near too, but a true near-miss wins.
    if (wanted.size() >= 3 && have.rfind(wanted, 0) == 0)
      distance = std::min<size_t>(distance, wanted.size() < 4 ? 1 : 2);
    if (distance < best_distance && distance < std::max(wanted.size(), have.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += separator;
    out += words[i];
  }
  return out;
}

}  // namespace lw
