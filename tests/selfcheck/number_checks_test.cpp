// The checks of frequencies, statistics, random numbers and files see values, functions and writers that are wrong.
#include <cmath>
#include <fstream>
#include <limits>

#include "encodings/rope_scaling/straight_frequencies.h"
#include "harness/base/files.h"
#include "harness/selfcheck/disk.h"
#include "harness/selfcheck/frequencies.h"
#include "harness/selfcheck/oracle.h"
#include "tests/model/support.h"
#include "tests/support.h"

namespace lw::selfcheck_test {
namespace {

std::vector<double> rope_frequencies(const std::string& scaling, int64_t length) {
  const Tree position = parse_yaml("{scheme: rope, rope_theta: 10000, scaling: " + scaling + "}", "test");
  return straight_frequencies(position, {64, 4, 16, 2, 32, true}, length).value();
}

Interval wald(int64_t k, int64_t n, double z) {
  const double p = double(k) / double(n), half = z * std::sqrt(p * (1 - p) / double(n));
  return {p - half, p + half};
}

double mid_p(int64_t b, int64_t c) { return mcnemar_exact(b, c) * 0.9; }

Interval centred(const PairedCounts& counts, double) { return {counts.difference() - 0.1, counts.difference() + 0.1}; }

std::vector<double> bonferroni(std::span<const double> p) {
  std::vector<double> out;
  for (const double one : p) out.push_back(std::min(1.0, one * double(p.size())));
  return out;
}

std::vector<double> nothing(std::span<const double>) { return {}; }

bool fails(const std::vector<Oracle>& oracles) { return compare_oracles(oracles, kOracleBound).fails(); }

Finding flips(const std::function<bool()>& accepts) {
  const test::TempFolder folder;
  write_file(folder / "file", "some bytes of a file");
  FaultCount found("reading");
  add_flipped_bits(folder / "file", accepts, found);
  CHECK(read_file(folder / "file") == "some bytes of a file");
  return found.finding();
}

Finding writes(const WriteFile& write) {
  const test::TempFolder folder;
  FaultCount found("state");
  add_writes(folder.path(), write, found);
  return found.finding();
}

void write_plainly(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  if (!out) throw Error(ErrorKind::kRuntime, "cannot be written");
  out << bytes;
}

}  // namespace

TEST_CASE("frequencies sees one that is a billionth off, missing, zero or no number", "[selfcheck]") {
  const std::vector<double> right = {1, 0.1, 0.01};
  CHECK(frequencies_apart(right, right) == 0);
  CHECK(frequencies_apart(std::vector<double>{1, 0.1, 0.01 * (1 + 1e-9)}, right) > kFrequencyBound);
  CHECK(frequencies_apart(std::vector<double>{1, 0.1}, right) > kFrequencyBound);
  CHECK(frequencies_apart({}, {}) > kFrequencyBound);
  for (const double bad : {0.0, -0.01, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CHECK(frequencies_apart(std::vector<double>{1, 0.1, bad}, right) > kFrequencyBound);
    CHECK(unusable_frequencies(std::vector<double>{1, 0.1, bad}) > kFrequencyBound);
  }
  const std::vector<double> resting = {1, 0.1, 0};
  CHECK(frequencies_apart(resting, resting, 1) == 0);
  CHECK(frequencies_apart(right, resting, 1) > kFrequencyBound);
}

// Worked out by hand from the papers.
TEST_CASE("the second formulas give the papers' frequencies", "[selfcheck]") {
  using Catch::Approx;
  CHECK(rope_frequencies("{rope_type: default}", 32)[4] == Approx(0.01));  // 10000^(-8/16)
  CHECK(rope_frequencies("{rope_type: linear, factor: 8}", 32)[4] == Approx(0.01 / 8));
  CHECK(rope_frequencies("{rope_type: ntk, alpha: 8}", 32)[7] == Approx(std::pow(10000.0, -14.0 / 16) / 8));
  CHECK(rope_frequencies("{rope_type: ntk, alpha: 8}", 32)[0] == 1);
  const std::string dynamic = "{rope_type: dynamic, factor: 2, original_max_position_embeddings: 32}";
  CHECK(rope_frequencies(dynamic, 16) == rope_frequencies("{rope_type: default}", 16));
  // A factor of 2 at four times the length slows the last pair by 2 * 4 - 1.
  CHECK(rope_frequencies(dynamic, 128)[7] == Approx(std::pow(10000.0, -14.0 / 16) / 7));
  const std::string llama = "{rope_type: llama3, factor: 8, original_max_position_embeddings: 32}";
  CHECK(rope_frequencies(llama, 32)[0] == Approx(1));  // 5.1 turns over 32 tokens: kept
  CHECK(rope_frequencies(llama, 32)[7] == Approx(std::pow(10000.0, -14.0 / 16) / 8));
  CHECK(rope_frequencies("{rope_type: proportional, factor: 1, partial_rotary_factor: 0.25}", 32) ==
        std::vector<double>{1, double(powl(10000, -0.125L)), 0, 0, 0, 0, 0, 0});
  const Tree part = parse_yaml("{scheme: rope, scaling: {rope_type: part_ntk, factor: 2}}", "test");
  CHECK_FALSE(straight_frequencies(part, {64, 4, 16, 2, 32, true}, 32));
}

TEST_CASE("the checks of statistics see other functions in place of ours", "[selfcheck]") {
  CHECK_FALSE(fails(interval_oracles()));
  CHECK(fails(interval_oracles({.wilson = wald})));
  CHECK(fails(interval_oracles({.mean = [](std::span<const double>) { return std::optional<MeanInterval>(); }})));
  CHECK_FALSE(fails(paired_oracles()));
  CHECK(fails(paired_oracles({.mcnemar = mid_p})));
  CHECK(fails(paired_oracles({.difference = centred})));
  CHECK(fails(paired_oracles({.signs = [](std::span<const double>, Rng, int64_t) { return 0.2; }})));
  CHECK_FALSE(fails(adjusted_oracles()));
  CHECK(fails(adjusted_oracles({.family = bonferroni})));
  CHECK(fails(adjusted_oracles({.rate = holm})));
  CHECK(fails(adjusted_oracles({.family = nothing})));
  CHECK(compare_oracles(interval_oracles({.wilson = wald}), kOracleBound).where.starts_with("Wilson, "));
}

TEST_CASE("the checks of random numbers see another generator", "[selfcheck]") {
  const auto count = [](const std::vector<bool>& good) { return std::count(good.begin(), good.end(), false); };
  CHECK(count(known_integers(Rng(1234567))) == 0);
  CHECK(count(known_integers(Rng(1234568))) == 5);
  CHECK(compare_oracles(normal_oracles(Rng(1234567)), kNormalBound).holds());
  CHECK(compare_oracles(normal_oracles(Rng(1234568)), kNormalBound).fails());
}

TEST_CASE("damaged_cache sees a reader that believes everything, and one that believes nothing", "[selfcheck]") {
  CHECK(flips([] { return true; }).where.find("is believed although bit") != std::string::npos);
  CHECK(flips([] { return false; }).measured == 1.0);
  int calls = 0;
  CHECK(flips([&] { return calls++ == 0; }).holds());
}

TEST_CASE("unfinished_files sees parts that stay, halves, and failures that destroy", "[selfcheck]") {
  CHECK(writes([](const auto& path, auto bytes) { write_file(path, bytes); }).holds());
  CHECK(writes([](const auto& path, auto bytes) {
          write_plainly(path.string() + ".part", bytes);
          write_file(path, bytes);
        }).fails());
  CHECK(writes([](const auto& path, auto bytes) { write_file(path, bytes.substr(0, bytes.size() / 2)); }).where ==
        "a new file has other bytes");
  CHECK(writes([](const auto& path, auto bytes) {
          std::filesystem::remove_all(path);
          write_file(path, bytes);
        }).fails());
}

}  // namespace lw::selfcheck_test
