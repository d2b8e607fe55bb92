#include "warplens/bench/results/results.h"

#include <sys/utsname.h>

#include <ctime>
#include <fstream>

#include "warplens/base/files.h"
#include "warplens/base/text.h"

namespace warplens::bench {

std::string Measurement::label() const {
  std::string out = name;
  for (const auto& [axis, value] : axes) out += fmt::format(" {}={}", axis, value);
  return out;
}

std::string Measurement::key() const { return fmt::format("{} [{} {}]", label(), source, regime); }

Result<Results> read_results(const std::string& path) {
  WL_ASSIGN(const std::string text, read_file(path));
  Result<Results> results = parse_results(text);
  if (!results.ok()) return results.status().in(path);
  return results;
}

Environment this_machine() {
  Environment out;
  char date[32] = {};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  out.date = date;
  utsname system{};
  if (::uname(&system) == 0) out.host = system.nodename;
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) {
      out.cpu = trim(std::string_view(line).substr(line.find(':') + 1));
      break;
    }
  }
  return out;
}

std::string content_hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

}  // namespace warplens::bench
