#include "harness/inspect/text_loss.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>

#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/log.h"
#include "harness/base/numbers.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "reports/text_table.h"

namespace lw {
namespace {

double bits(double nats) { return nats / std::numbers::ln2; }

/// The positions that the reduction is about: [begin, end).
std::pair<size_t, size_t> scored_positions(const TextLossOptions& o) {
  return {o.reduction == "second_half" ? size_t(o.nll.context / 2) : 0, size_t(o.nll.context - 1)};
}

void check_stride(TextLossOptions& o) {
  const bool strided = o.reduction == "strided";
  if (strided && o.nll.stride == 0) o.nll.stride = std::max<int64_t>(1, o.nll.context / 2);
  if (!strided && o.nll.stride > 0)
    throw Error(
        ErrorKind::kUsage,
        "--stride: " + found_what(o.nll.stride, " with --reduction ", o.reduction).allowed("--reduction strided"));
  if (strided && o.nll.stride >= o.nll.context)
    throw Error(ErrorKind::kUsage, "--stride: " + found(o.nll.stride)
                                                      .allowed("1 to ", o.nll.context - 1,
                                                               ", less than --context, so that no token is left out"));
}

int64_t windows_of(int64_t tokens, const NllOptions& o) {
  const int64_t step = o.stride > 0 ? o.stride : o.context;
  const int64_t windows = tokens < o.context ? 0 : (tokens - o.context) / step + 1;
  return o.chunks > 0 ? std::min(windows, o.chunks) : windows;
}

using Texts = std::vector<TokenCodec::WholeText>;

/// Of all files, before any work.
Texts read_texts(const CheckpointModel& model, const TextLossOptions& o) {
  Texts texts;
  for (const auto& file : o.files) {
    texts.push_back(model.source->text().encode_whole(read_file(file)));
    const int64_t tokens = std::ssize(texts.back().ids);
    if (tokens < o.nll.context)
      throw Error(ErrorKind::kInput,
                  file + ": " + found_what(plural(tokens, "token")).allowed("at least one window of ", o.nll.context));
  }
  return texts;
}

TextLoss loss_of(const CheckpointModel& model, const TextLossOptions& o, const std::string& file,
                 const TokenCodec::WholeText& text) {
  TextLoss out{file, hash_ids(text.ids), std::ssize(text.ids), {}, {}};
  Progress progress("scoring " + file, std::max<int64_t>(windows_of(out.tokens, o.nll), 1), "windows");
  const auto window_done = [&] {
    throw_if_interrupted();
    progress.advance();
  };
  out.result = nll_by_position(model.transformer, text.ids, o.nll, window_done, text.bytes);
  progress.finish();
  const auto [begin, end] = scored_positions(o);
  out.all = pooled(out.result, begin, end);
  return out;
}

/// By powers of two, as attention and RoPE see distances.
std::string by_position(const NllResult& r, bool color) {
  TextTable table({{"positions"}, {"tokens"}, {"mean NLL"}, {"perplexity"}}, 1);
  for (size_t begin = 0, end = 1; begin < r.positions.size(); begin = end, end *= 2) {
    const size_t last = std::min(end, r.positions.size());
    PositionNll sum;
    for (size_t p = begin; p < last; ++p) sum.add(r.positions[p]);
    const std::string name = last - begin == 1
                                 ? format_grouped(int64_t(begin))
                                 : format_grouped(int64_t(begin)) + " to " + format_grouped(int64_t(last) - 1);
    if (sum.n == 0)
      table.add({{name}, {"0"}, {"not scored"}, {""}});
    else
      table.add(
          {{name}, {format_grouped(sum.n)}, {format_fixed(sum.mean(), 4)}, {format_fixed(std::exp(sum.mean()), 4)}});
  }
  return table.str(80, color);
}

std::string a_byte(double nats) { return format_fixed(bits(nats), 4); }

/// A line a text, then the two means.
std::string by_text(const TextLosses& j, bool color) {
  TextTable table({{"text"}, {"tokens"}, {"scored"}, {"mean NLL"}, {"perplexity"}, {"bits a byte"}}, 1);
  const auto row = [&](const std::string& name, const std::string& tokens, const std::string& n, double mean,
                       double byte) {
    table.add({{name}, {tokens}, {n}, {format_fixed(mean, 4)}, {format_fixed(std::exp(mean), 4)}, {a_byte(byte)}});
  };
  int64_t tokens = 0;
  for (const auto& t : j.texts) {
    row(t.file, format_grouped(t.tokens), format_grouped(t.all.n), t.all.mean(), t.all.nats_a_byte());
    tokens += t.tokens;
  }
  row("mean over tokens", format_grouped(tokens), format_grouped(j.all.n), j.all.mean(), j.all.nats_a_byte());
  row("mean over texts", "", "", j.mean_over_texts(), j.mean_over_texts_a_byte());
  return table.str(110, color);
}

/// "the model was trained to 512 tokens (declared: 128, context_length, metadata)".
std::string trained_words(const CheckpointModel& m) {
  const int64_t stated = m.checkpoint().model.train_length;
  const std::string by = m.source->train_length_origin();
  const std::string declared = stated > 0 ? format_grouped(stated) + (by.empty() ? "" : ", " + by) : "nothing";
  if (m.train_length <= 0) return "what length the model was trained to is not known";
  return "the model was trained to " + format_grouped(m.train_length) + " tokens (declared: " + declared + ")";
}

Json loss_json(const PositionNll& all) {
  return Json{{"perplexity", std::exp(all.mean())},
              {"mean_nll", all.mean()},
              {"n", all.n},
              {"bytes", all.bytes},
              {"nats_per_byte", all.nats_a_byte()},
              {"bits_per_byte", bits(all.nats_a_byte())}};
}

}  // namespace

double TextLosses::mean_over_texts() const {
  return std::accumulate(texts.begin(), texts.end(), 0.0,
                         [](double sum, const auto& t) { return sum + t.all.mean(); }) /
         double(texts.size());
}

double TextLosses::mean_over_texts_a_byte() const {
  return std::accumulate(texts.begin(), texts.end(), 0.0,
                         [](double sum, const auto& t) { return sum + t.all.nats_a_byte(); }) /
         double(texts.size());
}

TextLosses text_losses(const CheckpointModel& model, TextLossOptions& o) {
  check_stride(o);
  o.nll.bos = model.source->text().bos().id;
  TextLosses out;
  const Texts texts = read_texts(model, o);
  for (size_t i = 0; i < texts.size(); ++i) {
    out.texts.push_back(loss_of(model, o, o.files[i], texts[i]));
    out.result.add(out.texts.back().result);
    out.all.add(out.texts.back().all);
  }
  return out;
}

Json to_json(const TextLosses& j, const CheckpointModel& model, const TextLossOptions& o) {
  const TokenCodec& text = model.source->text();
  const FamilyModel& own = model.checkpoint().model;
  Json out = loss_json(j.all);
  Json texts = Json::array();
  int64_t tokens = 0;
  for (const auto& t : j.texts) {
    Json one{{"file", t.file}, {"tokens", t.tokens}, {"ids_hash", t.ids_hash}, {"windows", t.result.windows}};
    one.update(loss_json(t.all));
    one["unused_tokens"] = t.result.unused;
    one["unscored_tokens"] = t.result.unscored;
    texts.push_back(std::move(one));
    tokens += t.tokens;
  }
  out["windows"] = j.result.windows;
  out["context"] = o.nll.context;
  out["reduction"] = o.reduction;
  out["tokens"] = tokens;
  out["ids_hash"] = j.texts.size() == 1 ? Json(j.texts.front().ids_hash) : Json(nullptr);
  out["bos"] = text.bos().words;
  out["window_begins_with"] = o.nll.bos ? Json(text.tokenizer().id_to_token(*o.nll.bos)) : Json(nullptr);
  out["vocabulary"] = {{"tokens", text.tokenizer().size()}, {"rows", own.model.vocabulary}};
  out["unused_tokens"] = j.result.unused;
  out["unscored_tokens"] = j.result.unscored;
  out["mean_over_texts"] = {{"mean_nll", j.mean_over_texts()},
                            {"nats_per_byte", j.mean_over_texts_a_byte()},
                            {"bits_per_byte", bits(j.mean_over_texts_a_byte())}};
  out["texts"] = std::move(texts);
  out["train_length"] = model.train_length;
  out["train_length_declared"] = own.train_length;
  out["position"] = to_yaml(model.position.resolved());
  out["notes"] = model.source->notes();
  return out;
}

void print(const TextLosses& j, const CheckpointModel& model, const TextLossOptions& o) {
  const NllResult& r = j.result;
  const TokenCodec& text = model.source->text();
  for (const auto& t : j.texts)
    std::printf("%s%s tokens, ids %s\n", j.texts.size() > 1 ? (t.file + ": ").c_str() : "",
                format_grouped(t.tokens).c_str(), t.ids_hash.substr(0, 12).c_str());
  std::printf("BOS: %s%s\n%s\n", text.bos().words.c_str(),
              o.nll.bos ? "; every window begins with it, in place of its first token" : "",
              by_position(r, color_on_stdout()).c_str());
  if (j.texts.size() > 1) std::printf("%s\n", by_text(j, color_on_stdout()).c_str());
  std::printf("perplexity %s  (mean NLL %s nats a token, %s tokens of %s windows of %s; reduction %s)\n",
              format_fixed(std::exp(j.all.mean()), 4).c_str(), format_fixed(j.all.mean(), 5).c_str(),
              format_grouped(j.all.n).c_str(), format_grouped(r.windows).c_str(), format_grouped(o.nll.context).c_str(),
              o.reduction.c_str());
  std::printf("%s bits a byte (%s nats a byte, %s bytes)\n%s\n", a_byte(j.all.nats_a_byte()).c_str(),
              format_fixed(j.all.nats_a_byte(), 5).c_str(), format_grouped(j.all.bytes).c_str(),
              trained_words(model).c_str());
  if (r.unused > 0) std::printf("not scored: %s at the end\n", plural(r.unused, "token").c_str());
  if (r.unscored > 0)
    std::printf("not scored: %s of the text with nothing before it in its window\n",
                plural(r.unscored, "token").c_str());
}

void write_tsv(const std::string& path, const NllResult& r) {
  std::string text = "position\tmean_nll\tn\n";
  for (size_t p = 0; p < r.positions.size(); ++p) {
    const auto& at = r.positions[p];
    text += std::to_string(p) + "\t" + (at.n > 0 ? format_number(at.mean()) : "") + "\t" + std::to_string(at.n) + "\n";
  }
  write_file(path, text);
}

}  // namespace lw
