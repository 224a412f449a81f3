// The checks of `selfcheck`: one entry a check, in files by what they look at.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/selfcheck/finding.h"
#include "harness/selfcheck/subject.h"

namespace lw {

/// Whose fault it is when a check fails: this machine's (its LibTorch, its mathematics, its disk), or that of a
/// property which a position scheme declares.
enum class Concerns { kMachine, kCard };

struct SelfCheck {
  std::string_view name;      // "attention_tiles"
  std::string_view compares;  // "attention in tiles, and at once"
  std::string_view measures;  // what the number is: "largest difference of an output"
  Concerns concerns = Concerns::kMachine;
  Finding (*run)(std::span<const Subject> subjects);
};

/// In the order in which they run and are shown.
std::span<const SelfCheck* const> self_checks();

struct CheckedItem {
  const SelfCheck* check = nullptr;
  Finding finding;
};

/// Runs checks one after the other, each LibTorch operation on one thread, as runs do. A check that ends with an error
/// has failed, and the finding says why. @param done is called after each.
std::vector<CheckedItem> run_self_checks(std::span<const SelfCheck* const> checks, std::span<const Subject> subjects,
                                         const std::function<void()>& done);

/// 0: all hold; 1: a check of the machine failed; 3: only declared properties disagree.
int exit_code_of(std::span<const CheckedItem> items);

/// "ok", "FAILED", "disagrees" or "not compared".
std::string_view verdict_of(const CheckedItem& item);

}  // namespace lw
