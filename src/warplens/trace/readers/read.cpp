#include "warplens/trace/readers/read.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/trace/profile/checks/checks.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/recognise.h"

namespace warplens {
namespace {

Status unknown_format(const Input& input) {
  if (const auto what = recognise(input.head(), input.name())) return unsupported(input.name() + ": " + *what);
  std::vector<std::string> names;
  for (const TraceFormat* format : all_formats()) names.emplace_back(format->name);
  return unsupported(fmt::format("{}: not a file that warplens reads; it reads {}, each also inside gzip or Zstandard",
                                 input.name(), join(names, ", ")));
}

}  // namespace

Status read_input(Input& input, const ReadOptions& options, Profile& profile) {
  for (const TraceFormat* format : all_formats()) {
    if (format->sniff(input.head())) return format->read(input, options, profile);
  }
  return unknown_format(input);
}

Result<Profile> read_profile(const std::vector<std::string>& paths, const ReadOptions& options) {
  const TimedScope timed("read");
  if (paths.empty()) return usage_error("no file given");
  if (std::count(paths.begin(), paths.end(), "-") > 1) return usage_error("standard input can be given once only");
  Profile profile;
  for (const std::string& path : paths) {
    WL_ASSIGN(Input input, Input::open(path));
    WL_TRY(read_input(input, options, profile));
  }
  if (paths.size() > 1) check_ranks(profile);
  return profile;
}

}  // namespace warplens
