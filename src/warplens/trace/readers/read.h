// Reading: any number of files of any known format become one profile.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens {

struct ReadOptions {
  size_t threads = 0;                      // 0: as many as default_threads() says
  size_t block_bytes = size_t{512} << 10;  // text parsed at a time: with its tables it stays in a core's cache
};

/// Reads the files into one profile, all on the time axis of the first. Each is one rank, unless it says otherwise; a
/// folder means the recordings in it. Formats are recognised by content, inside gzip and Zstandard too; "-" is
/// standard input. Damaged parts are skipped and counted in Profile::integrity. Error only if nothing of a file could
/// be read.
Result<Profile> read_profile(const std::vector<std::string>& paths, const ReadOptions& options = {});

/// As if both had been given to read_profile together.
void join_profiles(Profile* to, const Profile& from);

/// The files of a folder, 2 before 10: recordings (.wlens) if it has any, else all its files. Empty if it is not a
/// folder.
std::vector<std::string> traces_in(const std::string& folder);

}  // namespace warplens
