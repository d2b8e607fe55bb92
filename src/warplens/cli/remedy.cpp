#include "warplens/cli/remedy.h"

#include <algorithm>
#include <filesystem>

#include "warplens/base/text.h"

namespace warplens::cli {
namespace {

namespace fs = std::filesystem;

/// The file beside `path` whose name is nearest; "" when none is near.
std::string near_file(const fs::path& path) {
  std::error_code none;
  std::vector<std::string> names;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, none)) names.push_back(entry.path().filename().string());
  const std::string name = nearest(path.filename().string(), names);
  return name.empty() ? "" : (path.has_parent_path() ? (path.parent_path() / name).string() : name);
}

bool reads_traces(const Verb& verb) {
  return std::any_of(verb.flags.begin(), verb.flags.end(), [](const Flag& flag) { return flag.names == "--step"; });
}

bool is_kernel_file(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".cu" || ending == ".ptx" || ending == ".cubin" || ending == ".fatbin";
}

}  // namespace

std::string remedy(const Verb& verb, const Invocation& invocation, const Status& error) {
  for (const std::string& operand : invocation.operands) {
    if (!contains(error.message(), operand + ":")) continue;
    std::error_code none;
    if ((error.code() == ErrorCode::kIo || error.code() == ErrorCode::kNotFound) && operand != "-" &&
        !fs::exists(operand, none)) {
      const std::string near = near_file(operand);
      return near.empty() ? "; check the path" : fmt::format("; did you mean '{}'?", near);
    }
    if (reads_traces(verb) && is_kernel_file(operand))
      return "; a kernel is for `warplens kernel` (run and count it) or `warplens inspect` (its code)";
  }
  return "";
}

}  // namespace warplens::cli
