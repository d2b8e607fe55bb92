// Earlier compilation results: files named by the hash of all their inputs.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "warplens/base/status.h"

namespace warplens::compile {

/// Named pieces of one result: "ptx", "cubin", "log", ...
using Pieces = std::map<std::string, std::string>;

/// Pieces as one text, and back; nothing for a text that holds none.
std::string serialize(const Pieces& pieces);
std::optional<Pieces> deserialize(std::string_view text);

/// The pieces stored under `key` (hexadecimal). An entry whose contents do not match its hash, or that another user
/// owns, is removed and counts as absent.
std::optional<Pieces> load_cached(const std::string& key);

/// Writes a temporary file beside the entry and renames it, so that other processes never see half an entry.
Status store_cached(const std::string& key, const Pieces& pieces);

}  // namespace warplens::compile
