#include "harness/checkpoint/config_writer.h"

#include "harness/base/json_read.h"

namespace lw {

ConfigWriter::ConfigWriter() : json_(std::make_unique<Json>(Json::object())) {}
ConfigWriter::~ConfigWriter() = default;

void ConfigWriter::set(const char* key, const std::string& value) { (*json_)[key] = value; }
void ConfigWriter::set(const char* key, const std::vector<std::string>& value) { (*json_)[key] = value; }
void ConfigWriter::set(const char* key, const std::vector<int64_t>& value) { (*json_)[key] = value; }
void ConfigWriter::set(const char* key, const Json& value) { (*json_)[key] = value; }
void ConfigWriter::set_flag(const char* key, bool value) { (*json_)[key] = value; }
void ConfigWriter::set_whole(const char* key, int64_t value) { (*json_)[key] = value; }
void ConfigWriter::set_number(const char* key, double value) { (*json_)[key] = value; }
void ConfigWriter::set_null(const char* key) { (*json_)[key] = nullptr; }

void ConfigWriter::rename(const char* from, const char* to) {
  LW_CHECK(json_->contains(from), std::string("no key ") + from);
  (*json_)[to] = Json((*json_)[from]);
  erase(from);
}

void ConfigWriter::erase(const char* key) { json_->erase(key); }

}  // namespace lw
