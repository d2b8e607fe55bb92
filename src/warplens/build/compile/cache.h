// What was compiled before: files named by the hash of everything that went in.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "warplens/base/status.h"

namespace warplens::compile {

/// Named pieces of one result: "ptx", "cubin", "log", ...
using Pieces = std::map<std::string, std::string>;

/// The pieces stored under `key` (hexadecimal). An entry whose contents no longer have the hash it was stored with is
/// removed and counts as absent; so does one that is not this user's own.
std::optional<Pieces> load_cached(const std::string& key);

/// Stores by writing beside and renaming: readers and writers in other processes never see half an entry.
Status store_cached(const std::string& key, const Pieces& pieces);

}  // namespace warplens::compile
