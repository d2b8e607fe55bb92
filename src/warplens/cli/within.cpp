#include "warplens/cli/within.h"

#include <cstdlib>
#include <filesystem>

#include "warplens/base/confine.h"
#include "warplens/base/files.h"
#include "warplens/base/folders.h"
#include "warplens/build/compile/toolkit.h"

namespace warplens::cli {
namespace {

namespace fs = std::filesystem;

/// The folder that holds the folder of `file`, links followed: of nvcc in bin/ and of a library in lib/ that is the
/// toolkit. Of a tool in ~/bin it would be the home, then it is the folder alone.
std::string installation_of(const std::string& file) {
  std::error_code error;
  const fs::path folder = fs::canonical(file, error).parent_path();
  if (error) return "";
  const char* const home = std::getenv("HOME");
  const std::string above = folder.parent_path().string();
  return home != nullptr && is_within(above, home) ? folder.string() : above;
}

/// What the program, the compilers and the loader of libraries read. Of /proc and /sys only what says how large the
/// machine is: the rest would show other processes and their environments.
std::vector<std::string> own_files() {
  std::vector<std::string> out = {"/usr",          "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache",
                                  "/etc/localtime"};
  const compile::Toolkit& tools = compile::toolkit();
  for (const std::string& tool : {tools.nvrtc, tools.nvcc, tools.ptxas, tools.nvjitlink}) {
    if (std::string folder = installation_of(tool); !folder.empty()) out.push_back(std::move(folder));
  }
  std::error_code error;
  out.push_back(fs::canonical("/proc/self/exe", error).parent_path().string());
  out.insert(out.end(), tools.includes.begin(), tools.includes.end());
  if (!tools.torch.empty()) out.push_back(tools.torch);
  return out;
}

}  // namespace

Status stay_within() {
  const char* const root = std::getenv("WARPLENS_WITHIN");
  if (root == nullptr || *root == '\0') return {};
  std::error_code error;
  if (!fs::is_directory(root, error))
    return usage_error(std::string("WARPLENS_WITHIN: '") + root + "' is not a folder");
  Reach reach = {
      .read = own_files(),
      .data = {root, "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/sys/fs/cgroup", "/dev/urandom"},
      .write = {"/dev/null", fs::temp_directory_path(error).string()}};
  if (const Result<std::string> cache = cache_folder(""); cache.ok()) reach.write.push_back(*cache);
  return confine(reach).in("WARPLENS_WITHIN");
}

}  // namespace warplens::cli
