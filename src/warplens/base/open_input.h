// The files that may be read: regular files, and pipes that a shell hands over.
#pragma once
#include <sys/stat.h>

#include <string>

#include "warplens/base/status.h"

namespace warplens {

/// A descriptor to read a file by; that of standard input when `path` is "-". A device, or a pipe that no shell made
/// for this process as it makes /dev/fd/63, is an error: it may never end. So is a large file that is almost all holes.
Result<int> open_input(const std::string& path);

/// True for the path that a shell puts for <(COMMAND), and for the standard streams by name.
bool is_handed_over(const std::string& path);

/// True if no other user but root owns the file.
bool is_of_this_user(const struct stat& info);

}  // namespace warplens
