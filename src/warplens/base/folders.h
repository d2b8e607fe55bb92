// Paths that a file names, and whether they stay in its folder.
#pragma once
#include <string>

namespace warplens {

/// `path`, where a relative one starts from `folder` ("" and "." are the working folder).
std::string path_from(const std::string& folder, const std::string& path);

/// Whether `path` is `folder` or lies in it once links and .. are followed. What is not there yet counts by its name.
bool is_within(const std::string& folder, const std::string& path);

}  // namespace warplens
