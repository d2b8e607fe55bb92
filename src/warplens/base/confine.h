// Keeps this process and its children away from files that the user did not name.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens {

struct Reach {
  std::vector<std::string> read;   // files, or folders with all below; programs in them may be run
  std::vector<std::string> data;   // the same, whose files no process may run
  std::vector<std::string> write;  // as `data`; files may be made, changed and removed too
};

/// From now on, the calling thread and everything it starts can open only files in `reach`. Paths that do not exist
/// are ignored, and open files stay open. It also reaches no process that runs already: not their memory, and, from
/// Linux 6.12 on, neither by signals nor by abstract sockets. Uses Landlock, from Linux 5.13 on. Error kUnsupported:
/// the kernel lacks Landlock.
Status confine(const Reach& reach);

}  // namespace warplens
