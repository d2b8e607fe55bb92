#include "warplens/build/compile/nvcc.h"

#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/carried_options.h"
#include "warplens/build/compile/refused.h"
#include "warplens/build/compile/run_tool.h"
#include "warplens/build/compile/toolkit.h"

namespace warplens::compile {
namespace {

constexpr const char* kShellSigns = "$`\"\\\n";  // what nvcc leaves unquoted for its shell

/// `source` behind lines that make template instances: taking a kernel's address in host code instantiates it.
std::string with_instances(const std::string& first, const std::vector<std::string>& expressions) {
  std::string text = first;
  for (size_t i = 0; i < expressions.size(); ++i)
    text += fmt::format(
        "\nextern const void* const warplens_instance_{};\nconst void* const warplens_instance_{} = "
        "reinterpret_cast<const void*>(&{});",
        i, i, expressions[i]);
  return text + "\n";
}

/// nvcc hands the paths of these folders to a shell, which would run code that stands in them.
Status check_folder(const std::string& path, const char* what) {
  if (path.find_first_of(kShellSigns) == std::string::npos) return {};
  return invalid_input(
      fmt::format("nvcc cannot run with {}, because its path contains a character that the shell interprets ({}): {}",
                  what, path, "use a folder of another name"));
}

}  // namespace

Result<NvccOutput> compile_with_nvcc(const std::string& nvcc, const std::string& source, const std::string& path,
                                     const std::string& arch, const std::vector<std::string>& options,
                                     const std::vector<std::string>& expressions) {
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  WL_TRY(check_folder(folder.path(), "the folder for temporary files"));
  std::error_code unknown;
  WL_TRY(check_folder(std::filesystem::current_path(unknown).string(), "the current folder"));
  std::string input = path.starts_with('-') ? "./" + path : path;  // no option, whatever the file is called
  // Nor is its name for a shell to read; within a source it is only a name.
  if (path.empty() || !expressions.empty() || path.find_first_of(kShellSigns) != std::string::npos) {
    const std::string whole = path.empty() ? "" : std::filesystem::absolute(path).string();
    if (whole.find_first_of("\"\n") != std::string::npos)
      return invalid_input("nvcc cannot take a file name with a quote or a line break: rename the file");
    const std::string first = path.empty() ? source : fmt::format("#include \"{}\"", whole);
    input = folder.path() + "/source.cu";
    WL_TRY(write_file(input, with_instances(first, expressions), true));
  }
  const std::string output = folder.path() + "/out.ptx";
  std::vector<std::string> command = {nvcc, "-x",  "cu", "-ptx", "-arch=" + arch, "-Wno-deprecated-gpu-targets",
                                      "-o", output};
  for (const std::string& option : options) {
    if (!is_safe_for_nvcc(option))
      return invalid_input(
          fmt::format("'{}': nvcc passes its options to a shell, which would run code after $ or `", option));
    command.push_back(option);
  }
  command.push_back(input);
  WL_ASSIGN(const ProcessOutput done, run_tool(command));
  if (done.exit_code != 0 && contains(done.output, "Failed to preprocess host compiler"))
    return not_found(host_compiler_advice());
  if (done.exit_code != 0)
    return refused(done.output.empty() ? fmt::format("nvcc ended with code {}", done.exit_code) : done.output);
  WL_ASSIGN(std::string ptx, read_file(output));
  return NvccOutput{std::move(ptx), done.output};
}

}  // namespace warplens::compile
