// Reports of Nsight Systems (.nsys-rep), whose format is not public: nsys exports them, once each, into the cache.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/process.h"
#include "warplens/base/sha256.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/format.h"

namespace warplens {
namespace nsys {
namespace {

constexpr std::string_view kMagic = "NVIDIA Tegra Profiler Report";

bool sniff(std::string_view head) { return head.starts_with(kMagic); }

/// Of PATH, or of the toolkit that CUDA_HOME names; empty where there is none.
std::string find_nsys() {
  if (std::string found = find_program("nsys"); !found.empty()) return found;
  const char* home = std::getenv("CUDA_HOME");
  const std::string in_toolkit = home == nullptr ? "" : std::string(home) + "/bin/nsys";
  return !in_toolkit.empty() && ::access(in_toolkit.c_str(), X_OK) == 0 ? in_toolkit : "";
}

/// Where the export of this very file lies: a changed report is another one.
Result<std::string> cached_export(const std::string& report) {
  struct stat info;
  if (::stat(report.c_str(), &info) != 0) return io_error(report + ": cannot be read");
  std::error_code ignored;
  Sha256 key;
  key.add_field(std::filesystem::absolute(report, ignored).string());
  key.add_field(fmt::format("{} {} {}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec));
  return cache_directory() + "/nsys/" + key.hex() + ".sqlite";
}

Status export_report(const std::string& nsys, const std::string& report, const std::string& to) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(to).parent_path(), error);
  const std::string unfinished = fmt::format("{}.{}", to, ::getpid());
  WL_ASSIGN(const ProcessOutput done,
            run_process({nsys, "export", "--type=sqlite", "--force-overwrite=true", "--output=" + unfinished, report}));
  if (done.exit_code != 0 || !std::filesystem::exists(unfinished, error)) {
    std::filesystem::remove(unfinished, error);
    return invalid_input(fmt::format("{}: nsys export failed: {}", report, trim(done.output)));
  }
  std::filesystem::rename(unfinished, to, error);
  return error ? io_error(to + ": " + error.message()) : Status();
}

Status read(Input& input, const ReadOptions& options, Profile& profile) {
  const std::string advice = "convert it with nsys export --type sqlite -o report.sqlite report.nsys-rep";
  if (!input.is_plain_file())
    return unsupported(
        fmt::format("{}: a report of Nsight Systems that is compressed or piped: {}", input.name(), advice));
  WL_ASSIGN(const std::string exported, cached_export(input.name()));
  if (std::error_code ignored; !std::filesystem::exists(exported, ignored)) {
    const std::string nsys = find_nsys();
    if (nsys.empty())
      return unsupported(
          fmt::format("{}: a report of Nsight Systems, whose format is not public; where nsys is installed, {}",
                      input.name(), advice));
    WL_TRY(export_report(nsys, input.name(), exported));
  }
  WL_ASSIGN(Input database, Input::open(exported));
  const auto first_new = profile.ranks.size();
  WL_TRY(read_input(database, options, profile));
  for (size_t rank = first_new; rank < profile.ranks.size(); ++rank)
    profile.ranks.file.at(rank) = profile.strings.intern(input.name());
  return {};
}

}  // namespace
}  // namespace nsys

extern const TraceFormat kNsysReport;
const TraceFormat kNsysReport = {"reports of Nsight Systems (.nsys-rep)", nsys::sniff, nsys::read};

}  // namespace warplens
