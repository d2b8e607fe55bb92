#include "warplens/build/inline/host.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/process.h"
#include "warplens/base/random_name.h"
#include "warplens/base/sha256.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/build/inline/kernels.h"

namespace warplens::cuda {
namespace {

/// In ninja's files $ and : and blanks of paths are written with a $ before them.
std::string escaped(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == '$' || c == ':' || c == ' ') out += '$';
    out += c;
  }
  return out;
}

std::string ninja_file(const std::vector<HostSource>& sources, const HostOptions& options, const std::string& nvcc) {
  const std::string arch = "-arch=" + options.arch;
  std::string out = fmt::format(
      "rule compile\n  command = {} -O2 -std=c++17 -Xcompiler -fPIC {} {} -c $in -o $out\n  description = $in\n"
      "rule link\n  command = {} -shared {} $in -o $out {}\n",
      escaped(nvcc), arch, join(options.compiler_options, " "), escaped(nvcc), arch, join(options.link_options, " "));
  std::vector<std::string> objects;
  for (const HostSource& s : sources) {
    objects.push_back(escaped(s.file_name) + ".o");
    out += fmt::format("build {}: compile {}\n", objects.back(), escaped(s.file_name));
  }
  return out + fmt::format("build library.so: link {}\ndefault library.so\n", join(objects, " "));
}

Status build(const std::string& folder, const std::vector<HostSource>& sources) {
  const std::string ninja = find_program("ninja");
  if (ninja.empty()) return not_found("no ninja in PATH; install ninja-build to compile host code");
  WL_ASSIGN(const ProcessOutput done, run_process({ninja, "-C", folder}));
  if (done.exit_code == 0) return {};
  std::string log = replace_all(done.output, folder + "/", "");
  if (sources.size() == 1) log = annotated(log, sources[0].text);
  return invalid_input(log);
}

/// Empty where there is no file.
std::string digest_of(const std::string& path) {
  const Result<std::string> content = read_file(path);
  return content.ok() ? sha256_hex(*content) : std::string();
}

bool holds(const std::string& path, const std::string& text) {
  const Result<std::string> content = read_file(path);
  return content.ok() && *content == text;
}

}  // namespace

Result<InlineHost> InlineHost::load(const std::vector<HostSource>& sources, const HostOptions& options) {
  const std::string& nvcc = compile::toolkit().nvcc;
  if (nvcc.empty()) return not_found("no nvcc: " + compile::toolkit_advice());
  const std::string rules = ninja_file(sources, options, nvcc);
  std::string content = rules + compile::file_identity(nvcc);
  for (const HostSource& s : sources) content += '\0' + s.file_name + '\0' + s.text;
  WL_ASSIGN(const std::string cache, cache_folder("host"));
  const std::string folder = cache + "/" + sha256_hex(content), library = folder + "/library.so";
  // What another user put there, or what a crash cut off, is never loaded.
  const std::string digest_file = folder + "/library.sha256";
  const auto is_there = [&] { return is_own(folder) && is_own(library) && holds(digest_file, digest_of(library)); };
  const bool cached = is_there();
  if (!cached) {
    // Built beside and moved, so that two programs that build the same do not meet.
    const std::string building = fmt::format("{}.{}", folder, random_name());
    if (::mkdir(building.c_str(), 0700) != 0)
      return io_error(fmt::format("{}: cannot create: {}", building, std::strerror(errno)));
    WL_TRY(write_file(building + "/build.ninja", rules, true));
    for (const HostSource& s : sources) WL_TRY(write_file(building + "/" + s.file_name, s.text, true));
    Status built = build(building, sources);
    if (built.ok()) built = write_file(building + "/library.sha256", digest_of(building + "/library.so"), true);
    std::error_code error;
    if (built.ok() && !is_there()) std::filesystem::remove_all(folder, error);  // what stands there is not fit to load
    if (built.ok()) std::filesystem::rename(building, folder, error);
    std::filesystem::remove_all(building, error);
    if (!built.ok()) return built;
    if (!is_there())
      return io_error(folder + ": belongs to another user, or others may write to it: remove it from the cache");
  }
  WL_ASSIGN(DynamicLibrary loaded, DynamicLibrary::open({library}));
  return InlineHost(std::move(loaded), cached);
}

}  // namespace warplens::cuda
