// One evaluated probe: the only thing that evaluation hands to reporting.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lw {

/// Whether a probe has a score, or the reason that it has none. "No answer" is never written as a score.
enum class Status {
  kScored,
  kTooLong,     // longer than the model or the machine allows
  kNoPosition,  // the position scheme has no value for some position
  kFailed,      // the logits were not finite
};
std::string_view status_name(Status status);  // "scored", "too_long", "no_position", "failed"

/// One scored token of a probe.
struct TargetScore {
  int64_t offset = 0;                // of the scored token in the sequence
  std::optional<int64_t> distance;   // from the query back to the farthest token the answer depends on
  double nll = 0;                    // nats, over the whole vocabulary
  std::optional<bool> correct;       // absent where only likelihood is scored
  std::optional<double> depth = {};  // of its evidence, where a probe has several; else the probe's
  bool early = false;                // stands in breakdowns by position and distance, not in means of whole probes
};

struct Record {
  std::string id;       // "needle/256/17": suite, length, index; unique within a setting, stable across runs
  std::string suite;    // as named in the config
  std::string setting;  // "rope-linear-8/s0": variant and seed
  int64_t seed = 0;
  int64_t length = 0;  // tokens, answer budget included
  int64_t prompt_tokens = 0;
  int64_t answer_budget = 0;
  bool in_length = false;           // length <= training length
  std::optional<int64_t> distance;  // positions from the query back to the farthest evidence
  std::optional<double> depth;      // where the evidence was put: 0 start of the haystack, 1 its end
  std::vector<int64_t> needle_offsets;
  int64_t query_offset = 0;
  std::string group;        // pair or document: what statistics cluster by
  std::string prompt_hash;  // of the token ids
  Status status = Status::kScored;
  std::string reason;                // when not scored: "no vector for position 32 (table holds 32)"
  std::optional<bool> correct;       // best of the probe's candidates is the gold answer; absent without candidates
  std::optional<bool> correct_free;  // the same, best of the whole vocabulary
  std::optional<double> nll;         // mean over targets that are not early, nats per token
  std::string gold, answer;          // as the suite writes tokens; empty without candidates
  std::vector<std::pair<std::string, double>> baselines;  // "last": 1 when that guess is right; "ideal_nll": nats
  std::vector<TargetScore> targets;
  int64_t line = 0;  // of the file that it was read from; 0: from none
};

/// One line of results.jsonl, without the newline. Strict JSON, shortest exact numbers.
std::string to_json_line(const Record& record);
/// @param place what errors call the line: "results.jsonl:17". @throws Error(kInput) for a key that is missing,
/// unknown or of another type, and for what check_record() refuses.
Record record_from_json_line(std::string_view line, const std::string& place);
/// Every record of a results.jsonl. @throws Error(kInput) with file and line.
std::vector<Record> read_records(const std::string& path);

/// What no evaluation can give, whatever the config says: numbers out of range, or at odds with each other.
/// @throws Error(kInput), "PLACE: KEY: what was found; what is allowed".
void check_record(const Record& record, const std::string& place);

}  // namespace lw
