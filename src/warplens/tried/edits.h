// Changes of a kernel that need no thought, each tried by itself.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/launch/description.h"
#include "warplens/tried/kernel_text.h"

namespace warplens::tried {

/// One change: of the source, or of the launch or the compiler's options where `source` is empty.
struct Edit {
  std::string what;     // "pad tile[32][32] to [33]"
  std::string finding;  // that it answers; empty: none by name
  std::string source;   // the whole text, changed
  std::vector<std::string> options;
  uint32_t block = 0, grid = 0;  // of every launch, in x
  bool rounds_otherwise = false;
};

/// The changes that fit `kernel` in `source`.
std::vector<Edit> edits_of(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch);

/// Edits for any source: compiler options.
std::vector<Edit> option_edits();

/// Lines of `before` and `after` that differ, as a patch of `path`.
std::string patch_of(const std::string& path, std::string_view before, std::string_view after);

}  // namespace warplens::tried
