#include "warplens/cli/python_part.h"

#include <cstdlib>

#include "warplens/base/process.h"
#include "warplens/base/text.h"

namespace warplens::cli {
namespace {

/// Python looks for modules in the current folder first, which may hold a numpy.py of somebody else.
constexpr const char* kNotFromHere = "import sys; sys.path[:] = [p for p in sys.path if p]; ";

std::vector<std::string> import_words(const std::string& python, const std::string& modules) {
  return {python, "-c", kNotFromHere + ("import " + modules)};
}

/// A traceback ends with the error.
std::string last_line(std::string_view text) {
  text = trim(text);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

Result<std::string> python_with(const std::string& modules, const std::string& packages) {
  const char* own = std::getenv("WARPLENS_PYTHON");
  const std::string python = own != nullptr && *own != '\0' ? own : find_program("python3");
  if (python.empty()) return not_found("no python3 was found: this verb is a part of the Python package");
  WL_ASSIGN(const ProcessOutput tried, run_process(import_words(python, modules)));
  if (tried.exit_code == 0) return python;
  WL_ASSIGN(const ProcessOutput own_package, run_process(import_words(python, "warplens")));
  if (own_package.exit_code != 0)
    return not_found(fmt::format("{0} has no warplens package: run {0} -m pip install . {1} in a checkout of warplens",
                                 python, packages));
  const std::string why = last_line(tried.output);
  if (contains(why, "No module named") && !contains(why, "warplens"))
    return not_found(
        fmt::format("{0} cannot import {1} ({2}): run {0} -m pip install {3}", python, modules, why, packages));
  return invalid_input(
      fmt::format("the Python package of {0} does not load: {1}. If it is older or newer than this program, build and "
                  "install both from the same sources",
                  python, why));
}

std::vector<std::string> module_words(const std::string& python, const std::string& module) {
  const std::string code = "import runpy; runpy.run_module('" + module + "', run_name='__main__', alter_sys=True)";
  return {python, "-c", kNotFromHere + code};
}

}  // namespace warplens::cli
