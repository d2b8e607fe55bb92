#include "warplens/build/compile/run_tool.h"

#include <cstdlib>
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/build/compile/refused.h"

namespace warplens::compile {
namespace {

constexpr int kDefaultLimit_s = 300, kMostLimit_s = 1000000;

Result<int> limit_s() {
  const char* given = std::getenv("WARPLENS_COMPILE_TIMEOUT");
  if (given == nullptr || *given == '\0') return kDefaultLimit_s;
  const std::optional<int64_t> seconds = parse_int(given);
  if (seconds && *seconds >= 0 && *seconds <= kMostLimit_s) return static_cast<int>(*seconds);
  return usage_error(fmt::format("WARPLENS_COMPILE_TIMEOUT={}: give whole seconds, 0 for no limit", given));
}

Status out_of_time(const std::string& name, int limit) {
  return io_error(fmt::format(
      "{} was ended after {} s of CPU time; set WARPLENS_COMPILE_TIMEOUT=SECONDS to allow more (0: no limit)", name,
      limit));
}

}  // namespace

Result<ProcessOutput> run_tool(const std::vector<std::string>& command) {
  WL_ASSIGN(const int limit, limit_s());
  WL_ASSIGN(ProcessOutput done, run_process(command, limit));
  if (done.out_of_time) return out_of_time(std::filesystem::path(command[0]).filename().string(), limit);
  return done;
}

Result<std::string> run_library(const std::string& name, const std::function<std::string()>& work) {
  WL_ASSIGN(const int limit, limit_s());
  WL_ASSIGN(ProcessOutput done, run_copy(work, limit));
  if (done.out_of_time) return out_of_time(name, limit);
  if (done.exit_code == 0) return std::move(done.output);
  return refused(
      fmt::format("{} crashed on it with signal {}; very deep nesting can cause that", name, done.exit_code - 128));
}

}  // namespace warplens::compile
