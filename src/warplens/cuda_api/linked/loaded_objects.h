// The executable and the libraries of this process, as the dynamic linker keeps them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "warplens/base/status.h"

struct link_map;

namespace warplens::cuda_api {

/// Calls `loaded` whenever the dynamic linker has mapped libraries, before their constructors run. It holds the dynamic
/// linker's lock, so `loaded` must not load libraries. Call it once a process. Error: an unknown dynamic linker.
Status on_loaded(void (*loaded)());

/// Those that are loaded now.
std::vector<const link_map*> loaded_objects();

/// The object's file; for the executable, its path from /proc.
std::string file_of(const link_map& object);

}  // namespace warplens::cuda_api
