// Paths that a file names, and whether they stay in its folder.
#pragma once
#include <string>

namespace warplens {

/// `path`, where a relative one starts from `folder` ("" and "." are the working folder).
std::string path_from(const std::string& folder, const std::string& path);

/// True if `path` is `folder` or inside it, after links and .. are followed. A missing path counts by its name.
bool is_within(const std::string& folder, const std::string& path);

}  // namespace warplens
