// What tests of every folder share: a folder that is gone afterwards, and the text of an error.
#pragma once
#include <functional>
#include <stdexcept>
#include <string>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"

namespace lw::test {

/// A new, empty folder, removed with everything in it.
using TempFolder = ScratchFolder;

/// The message of the lw::Error that `act` throws; "" when it throws none.
inline std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

/// Its kind; fails when nothing is thrown.
inline ErrorKind error_kind_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    return e.kind();
  }
  throw std::runtime_error("an error was expected");
}

}  // namespace lw::test
