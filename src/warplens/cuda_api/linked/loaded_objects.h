// The executable and the libraries of this process, as the dynamic linker keeps them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "warplens/base/status.h"

struct link_map;

namespace warplens::cuda_api {

/// Calls `loaded` whenever the dynamic linker has mapped libraries, before their constructors run: with the lock of
/// the dynamic linker held, so that it must not load any. Once a process. Errors: this dynamic linker is not known.
Status on_loaded(void (*loaded)());

/// Those that are loaded now.
std::vector<const link_map*> loaded_objects();

/// The object's file: of the executable what /proc says.
std::string file_of(const link_map& object);

}  // namespace warplens::cuda_api
