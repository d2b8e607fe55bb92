// Keeps a process, and those that it starts, from files that nobody gave it.
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

/// From here on, until it ends, the calling thread (and what it starts) can open only files in `reach`; paths that do
/// not exist are left out. Files that are open stay so. By Landlock, of Linux 5.13 and later. Error kUnsupported: the
/// kernel does not have it.
Status confine(const Reach& reach);

}  // namespace warplens
