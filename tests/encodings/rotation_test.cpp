// The rotation itself: layouts, partial heads, amplitude, precision.
#include "encodings/parts/rotation.h"

#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

ModelShape one_head(int64_t head_width, int64_t train_length = 2048) {
  ModelShape shape = small_shape();
  shape.width = shape.head_width = head_width;
  shape.heads = 1;
  shape.train_length = train_length;
  return shape;
}

/// The golden file's q_i = sin(0.1 (i + 1)) and k_i = cos(0.2 (i + 1)), as [1, 1, 1, d].
at::Tensor golden_query(int64_t d) { return (at::arange(1, d + 1, at::kDouble) * 0.1).sin().view({1, 1, 1, d}); }
at::Tensor golden_key(int64_t d) { return (at::arange(1, d + 1, at::kDouble) * 0.2).cos().view({1, 1, 1, d}); }

Site site_at(int64_t query, int64_t key) { return {positions(1, query), positions(1, key), 0, nullptr}; }

std::vector<double> numbers_of(const at::Tensor& x) {
  const auto flat = x.to(at::kDouble).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

/// The cosines that a query of head width 64 is turned by at `position`.
std::vector<double> cosines_at(PositionEncoding& rope, int64_t position, at::ScalarType type) {
  auto q = at::zeros({1, 1, 1, 64}, type);
  q.slice(-1, 0, 32) = 1;
  return numbers_of(rope.rotate_query(q, site_at(position, position)).slice(-1, 0, 32));
}

double worst_cosine(PositionEncoding& rope, int64_t position, at::ScalarType type) {
  const auto got = cosines_at(rope, position, type);
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i)
    worst = std::max(worst, std::abs(got[i] - std::cos(double(position) * std::pow(10000.0, -double(i) / 32))));
  return worst;
}

}  // namespace

TEST_CASE("rotated queries, keys and their products equal the peers'", "[encodings][golden]") {
  int checked = 0;
  for (const auto& [key, value] : goldens()["rotation"].items()) {
    if (!value.is_object()) continue;
    INFO(key);
    auto fields = golden_fields(key);
    const bool partial = fields[""].rfind("partial", 0) == 0 || key.rfind("partial", 0) == 0;
    const int64_t d = partial ? 8 : std::stoll(fields["d"]);
    std::string yaml = "scheme: rope\nlayout: ";
    yaml += key.rfind("interleaved", 0) == 0 ? "interleaved\n" : "half\n";
    if (partial) yaml += "partial_rotary_factor: 0.5\n";
    const auto rope = build(yaml, one_head(d));
    const Site at = site_at(std::stoll(fields["m"]), std::stoll(fields["n"]));
    const auto q = rope->rotate_query(golden_query(d), at), k = rope->rotate_key(golden_key(d), at);
    CHECK((q * k).sum().item<double>() == Catch::Approx(value["dot"].get<double>()).epsilon(2e-11).margin(2e-11));
    if (value.contains("q")) {
      const auto gap = [](const at::Tensor& got, const Json& want) {
        return largest_gap(got.flatten(), at::tensor(want.get<std::vector<double>>(), at::kDouble));
      };
      CHECK(gap(q, value["q"]) < kGoldenDigits);
      CHECK(gap(k, value["k"]) < kGoldenDigits);
    }
    ++checked;
  }
  CHECK(checked >= 30);
}

TEST_CASE("the two layouts are one rotation of permuted channels", "[encodings][golden]") {
  const auto interleaved = build("scheme: rope\nlayout: interleaved\n", one_head(8));
  const auto q = interleaved->rotate_query(golden_query(8), site_at(5, 3));
  const auto halves = at::cat({q.slice(-1, 0, 8, 2), q.slice(-1, 1, 8, 2)}, -1);
  const auto want =
      goldens()["rotation"]["deepseek interleave output (writes halves) d=8 m=5"].get<std::vector<double>>();
  CHECK(largest_gap(halves.flatten(), at::tensor(want, at::kDouble)) < kGoldenDigits);

  const auto half = build("scheme: rope\n", one_head(8));
  const auto x = golden_query(8);
  const auto permuted = at::cat({x.slice(-1, 0, 8, 2), x.slice(-1, 1, 8, 2)}, -1);
  CHECK(largest_gap(halves, half->rotate_query(permuted, site_at(5, 3))) < 1e-15);
}

TEST_CASE("the attention factor multiplies queries and keys, so logits get its square", "[encodings][golden]") {
  const auto sharpened =
      build("scheme: rope\nscaling: {rope_type: yarn, factor: 1, attention_factor: 1.1386}\n", one_head(8));
  const auto q = sharpened->rotate_query(golden_query(8), site_at(5, 3));
  const auto k = sharpened->rotate_key(golden_key(8), site_at(5, 3));
  const double want = goldens()["rotation"]["half with attention_factor 1.1386 d=8 m=5 n=3 dot"].get<double>();
  CHECK((q * k).sum().item<double>() == Catch::Approx(want).epsilon(2e-11));
}

TEST_CASE("partial rotation leaves the rest of the head untouched, amplitude included", "[encodings]") {
  const auto rope =
      build("scheme: rope\npartial_rotary_factor: 0.5\nscaling: {rope_type: yarn, factor: 8}\n", one_head(16));
  for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
    const auto x = golden_query(16).to(type);
    const auto y = rope->rotate_query(x, site_at(1000, 0));
    CHECK(y.scalar_type() == type);
    CHECK(at::equal(y.slice(-1, 8, 16), x.slice(-1, 8, 16)));
    CHECK_FALSE(at::equal(y.slice(-1, 0, 8), x.slice(-1, 0, 8)));
  }
}

TEST_CASE("what is rotated by is what the card says, for every scaling and length", "[encodings]") {
  for (const auto* info : rope_scalings()) {
    const std::string type(info->name);
    INFO(type);
    const auto rope = build("scheme: rope\nscaling: {" + scaling_block(type, 32) + "}\n", one_head(64));
    for (const int64_t length : {64, 2048, 2049, 10000}) {
      const auto inv_freq = fact_numbers(*rope, "inv_freq", length);
      const double factor = fact_number(*rope, "attention_factor", length);
      auto q = at::zeros({1, 1, 1, 64}, at::kDouble);
      q.slice(-1, 0, 32) = 1;
      const Site at{positions(1, 7), positions(length), 0, nullptr};
      const auto rotated = numbers_of(rope->rotate_query(q, at));
      for (size_t i = 0; i < 32; ++i) {
        CHECK(std::abs(rotated[i] - factor * std::cos(7 * inv_freq[i])) < 1e-14);
        CHECK(std::abs(rotated[i + 32] - factor * std::sin(7 * inv_freq[i])) < 1e-14);
      }
    }
  }
}

// Faults 41 and 42 of the public list: frequencies, positions or tables in half precision.
TEST_CASE("a cast of the whole module to half precision leaves the angles alone", "[encodings][golden]") {
  const Json& measured = goldens()["precision_max_abs_cos_error_d64_b10000"];
  for (const auto cast : {at::kBFloat16, at::kHalf}) {
    const auto rope = build("scheme: rope\n", one_head(64));
    rope->to(cast);
    for (const int64_t position : {2047, 4097, 32767, 131071, 1000003}) {
      const Json& row = measured[std::to_string(position)];
      const double float32_angle = row["f32 angle"].get<double>();
      const double worst = worst_cosine(*rope, position, at::kFloat);
      CHECK(worst <= float32_angle);
      CHECK(worst < 1e-7);  // angles are formed in float64, so only the last cast is left
      CHECK(worst < row["bf16 inv_freq, f32 angle"].get<double>() / 1000);
      CHECK(worst_cosine(*rope, position, at::kDouble) < 1e-9);
    }
    CHECK(worst_cosine(*rope, 16'777'217, at::kDouble) < 1e-7);  // no float32 holds this position
    CHECK(worst_cosine(*rope, 131071, at::kBFloat16) < 0.004);   // half a unit of bfloat16's last place
  }
}

TEST_CASE("half-precision heads are rotated in float32 and rounded once", "[encodings]") {
  const auto rope = build("scheme: rope\n", one_head(64));
  const auto x = golden_query(64).to(at::kBFloat16);
  const auto wide = rope->rotate_query(x.to(at::kFloat), site_at(4095, 0));
  CHECK(at::equal(rope->rotate_query(x, site_at(4095, 0)), wide.to(at::kBFloat16)));
}

TEST_CASE("one pass may hold several lengths for the same queries", "[encodings]") {
  PassMemo memo;
  const auto rope = build("scheme: rope\nscaling: {rope_type: dynamic, factor: 2}\n", one_head(8, 16));
  const auto pos = positions(6), few = positions(6), many = positions(64);
  const auto q = draw({1, 1, 6, 8}, "q");
  for (const auto& keys : {few, many, few})
    CHECK(at::equal(rope->rotate_query(q, {pos, keys, 0, &memo}), rope->rotate_query(q, {pos, keys, 0, nullptr})));
  CHECK_FALSE(at::equal(rope->rotate_query(q, {pos, few, 0, &memo}), rope->rotate_query(q, {pos, many, 0, &memo})));
}

TEST_CASE("one table serves queries and keys at the same positions", "[encodings]") {
  PassMemo memo;
  const auto rope = build("scheme: rope\n", one_head(8));
  const auto pos = positions(6);
  const auto q = draw({1, 1, 6, 8}, "q");
  const Site first{pos, pos, 0, &memo}, second{pos, pos, 1, &memo};
  const auto a = rope->rotate_query(q, first), b = rope->rotate_key(q, second);
  CHECK(at::equal(a, b));
  // Another type in the same pass has a table of its own.
  CHECK(largest_gap(rope->rotate_query(q.to(at::kFloat), first), a) < 1e-6);
  CHECK(at::equal(rope->rotate_query(q, first), a));
}

// The file also tells how far peers' float32 arithmetic is off; ours is formed in float64, so it must be far nearer.
TEST_CASE("our angles are nearer than the peers' running float32 products", "[encodings][golden]") {
  int checked = 0;
  for (const auto& [key, theirs] : goldens()["ggml_recurrence_max_relative_angle_error_d128"].items()) {
    INFO(key);
    const auto fields = golden_fields("ggml|" + key);
    const double base = std::stod(fields.at("b"));
    const auto encoding = build("scheme: rope\nrope_theta: " + std::to_string(int64_t(base)) + "\n",
                                {.width = 128, .heads = 1, .head_width = 128, .layers = 1, .train_length = 16});
    double worst = 0;
    const auto w = fact_numbers(*encoding, "inv_freq");
    for (size_t i = 0; i < w.size(); ++i)
      worst = std::max(worst, std::abs(w[i] / double(std::pow((long double)base, -2.0L * (long double)i / 128)) - 1));
    CHECK(worst < 1e-8 * theirs.get<double>());
    ++checked;
  }
  CHECK(checked == 4);
}

TEST_CASE("our sinusoids at position 5000 are nearer than M2M-100's float32 table", "[encodings][golden]") {
  const double theirs = goldens()["sinusoidal_f32_error"].begin().value().get<double>();
  ModelShape shape = small_shape();
  shape.width = 64;
  const auto encoding = build("scheme: sinusoidal\ntable: tensor2tensor\n", shape);
  const auto zero = at::zeros({1, 1, 64});
  const auto want = numbers_of(goldens()["sinusoidal"]["tensor2tensor_half-1(m2m100)|d=64|pos=5000"]);
  const auto got = encoding->embed(zero, positions(1, 5000)).flatten();
  REQUIRE(want.size() == 64);
  for (int64_t i = 0; i < 64; ++i) CHECK(std::abs(got[i].item<double>() - want[size_t(i)]) < 1e-3 * theirs);
}

}  // namespace lw::encoding_test
