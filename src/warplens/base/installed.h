// Files that are installed with this program, found from the program's own location.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens {

struct Installed {
  std::string what;                 // for the error: "the kernels of the suite are"
  std::string file;                 // the library, or a file that the folder must hold
  std::vector<std::string> places;  // folders, from the program's own: an installation's, a build tree's
  const char* variable = nullptr;   // an environment variable that names another folder in their place
};

/// The folder that holds the file. The error says where it was looked for.
Result<std::string> find_installed(const Installed& wanted);

}  // namespace warplens
