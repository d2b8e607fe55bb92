#include "warplens/cli/python_part.h"

#include <cstdlib>

#include "warplens/base/process.h"
#include "warplens/base/text.h"

namespace warplens::cli {

Result<std::string> python_with(const std::string& modules, const std::string& extra) {
  const char* own = std::getenv("WARPLENS_PYTHON");
  const std::string python = own != nullptr && *own != '\0' ? own : find_program("python3");
  if (python.empty()) return not_found("no python3 was found: this verb is a part of the Python package");
  WL_ASSIGN(const ProcessOutput tried, run_process({python, "-c", "import " + modules}));
  if (tried.exit_code == 0) return python;
  return not_found(
      fmt::format("{0} cannot import {1}: install them with pip install 'warplens[{2}]' (in a checkout: pip install "
                  "'.[{2}]')",
                  python, modules, extra));
}

}  // namespace warplens::cli
