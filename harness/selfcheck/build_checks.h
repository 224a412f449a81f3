// Checks of this build that need no model of the user's: random numbers, statistics, frequencies, training, cache and
// memory.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/selfcheck/check.h"

namespace lw {

/// All of them, in the order of the functions below.
std::vector<CheckResult> check_build();

/// A number that this build computes, beside the one that is right.
struct Expected {
  double found = 0, right = 0;
};

/// @param draws first numbers of named streams, as this build draws them; 64-bit whole numbers must agree.
CheckResult check_random_numbers(const std::vector<uint64_t>& draws);
std::vector<uint64_t> first_draws();
/// Intervals and tests at published values.
CheckResult check_statistics(const std::vector<Expected>& values);
std::vector<Expected> statistics_beside_tables();
/// inv_freq of RoPE and of its scalings: relative gaps from the formulas.
CheckResult check_frequencies(const std::vector<Expected>& values);
std::vector<Expected> frequencies_beside_formulas();
/// @param train gives the bytes of trained weights; equal each time.
CheckResult check_training(const std::function<std::string()>& train);
std::string train_small_model();
/// @param damage changes the file of a cache entry.
CheckResult check_damage(const std::function<void(const std::string& path, int64_t trial)>& damage);
void flip_one_bit(const std::string& path, int64_t trial);
/// @param peak_bytes the most that attention in tiles holds at once at a length.
CheckResult check_memory(const std::function<int64_t(int64_t length)>& peak_bytes);
int64_t peak_bytes_in_tiles(int64_t length);

}  // namespace lw
