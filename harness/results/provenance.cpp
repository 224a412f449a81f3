#include "harness/results/provenance.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/version.h"

namespace lw {
namespace {

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

/// {"rope": {"32": 0.001, "64": 0.004}}
template <class Value>
Json by_variant(const std::vector<std::pair<std::string, std::vector<std::pair<int64_t, Value>>>>& all) {
  Json json = Json::object();
  for (const auto& [variant, by_length] : all) {
    json[variant] = Json::object();
    for (const auto& [length, value] : by_length) json[variant][std::to_string(length)] = value;
  }
  return json;
}

}  // namespace

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

void write_provenance(const std::filesystem::path& path, const Provenance& p) {
  utsname host{};
  uname(&host);
  Json seconds = Json::object();
  for (const auto& [stage, value] : p.seconds) seconds[stage] = value;
  const Json json{{"lengthwise", version()},
                  {"commit", commit()},
                  {"compiler", compiler()},
                  {"torch", p.torch},
                  {"command", p.command},
                  {"device", p.device},
                  {"threads", p.threads},
                  {"seeds", p.seeds},
                  {"hub_commits", p.hub_commits},
                  {"started", p.started},
                  {"finished", now_utc()},
                  {"seconds", seconds},
                  {"attention_seconds", by_variant(p.attention_seconds)},
                  {"attention_resident_bytes", by_variant(p.attention_resident_bytes)},
                  {"host", host.nodename},
                  {"system", std::string(host.sysname) + " " + host.release},
                  {"cpu", cpu_model()},
                  {"cores", std::thread::hardware_concurrency()}};
  write_file(path, json.dump(2) + "\n");
}

}  // namespace lw
