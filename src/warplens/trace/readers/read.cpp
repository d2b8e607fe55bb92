#include "warplens/trace/readers/read.h"

#include <algorithm>
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/trace/profile/append.h"
#include "warplens/trace/profile/checks/checks.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/recognise.h"

namespace warplens {
namespace {

constexpr std::string_view kRecording = ".wlens";

Status unknown_format(const Input& input) {
  if (const auto what = recognise(input.head(), input.name())) return unsupported(input.name() + ": " + *what);
  std::vector<std::string> names;
  for (const TraceFormat* format : all_formats()) names.emplace_back(format->name);
  return unsupported(fmt::format("{}: warplens cannot read this file; it reads {}, also as gzip or Zstandard",
                                 input.name(), join(names, ", ")));
}

/// A folder stands for the recordings in it, as `record -o 'run/%q{RANK}.wlens'` leaves them.
std::vector<std::string> with_recordings(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::vector<std::string> found = traces_in(path);
    if (found.empty() || !found.front().ends_with(kRecording)) found = {path};
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace

Status read_input(Input& input, const ReadOptions& options, Profile& profile) {
  for (const TraceFormat* format : all_formats()) {
    if (format->sniff(input.head())) return format->read(input, options, profile);
  }
  return unknown_format(input);
}

Result<Profile> read_profile(const std::vector<std::string>& given, const ReadOptions& options) {
  const TimedScope timed("read");
  if (given.empty()) return usage_error("no file given");
  const std::vector<std::string> paths = with_recordings(given);
  if (std::count(paths.begin(), paths.end(), "-") > 1) return usage_error("standard input can be given once only");
  Profile profile;
  for (const std::string& path : paths) {
    WL_ASSIGN(Input input, Input::open(path));
    WL_TRY(read_input(input, options, profile));
  }
  // Once, so that no report and no writer has to.
  if (const size_t shortened = profile.strings.make_printable(); shortened > 0)
    profile.integrity.add("shortened-names", Severity::kWarning, static_cast<int64_t>(shortened),
                          fmt::format("{} names are longer than {} KiB; the rest of them is left out", shortened,
                                      Strings::kLongestName >> 10),
                          "record again with shorter names");
  if (paths.size() > 1) check_ranks(profile);
  return profile;
}

void join_profiles(Profile* to, const Profile& from) {
  append_profile(*to, from);
  check_ranks(*to);
}

std::vector<std::string> traces_in(const std::string& folder) {
  std::vector<std::string> recordings, all;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    // Pipes and devices are refused where they are read, which tells them.
    if (entry.is_directory(ignored) || entry.path().filename().string().starts_with('.')) continue;
    (entry.path().extension() == kRecording ? recordings : all).push_back(entry.path().string());
  }
  std::vector<std::string>& found = recordings.empty() ? all : recordings;
  std::sort(found.begin(), found.end(), [](const std::string& a, const std::string& b) {
    return std::make_pair(a.size(), std::string_view(a)) < std::make_pair(b.size(), std::string_view(b));
  });
  return found;
}

}  // namespace warplens
