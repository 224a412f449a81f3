#include "harness/base/name.h"

#include "harness/base/printable.h"
#include "harness/base/text.h"

namespace lw {

std::string name_fault(std::string_view name) {
  constexpr size_t kLongest = 200;  // a folder's name has at most 255 bytes, and some is put behind it
  const bool on_one_line = name.find_first_of("\n\t") == name.npos && find_invisible(name) == name.npos;
  if (!name.empty() && name != "." && name != ".." && name.find('/') == name.npos && on_one_line &&
      name.size() <= kLongest)
    return "";
  if (name.size() > kLongest)
    return found_what("a name of ", name.size(), " bytes, '", printable(name.substr(0, 20)), "...'")
        .allowed("up to ", kLongest);
  return found_what("the name ", in_quotes(name))
      .allowed("a word without '/'", on_one_line ? "" : " and without control characters");
}

}  // namespace lw
