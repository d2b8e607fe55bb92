// Changes of a kernel that need no thought, each tried by itself.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/launch/description.h"
#include "warplens/tried/kernel_text.h"

namespace warplens::tried {

struct Shape {
  simt::Dim3 grid, block;
  bool operator==(const Shape&) const = default;
};

/// One change: of the source, the compiler's options, the shape of every launch, or of several of them.
struct Edit {
  std::string what;                  // "pad the rows of tile by one element"
  std::vector<std::string> answers;  // identifiers of findings; none if it follows no finding
  std::string source;                // the whole text, changed; empty: as it is
  std::vector<std::string> options;
  std::optional<Shape> shape;
  bool rounds_otherwise = false;
};

/// The changes of `kernel`'s text in `source`.
std::vector<Edit> edits_of(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch);

/// The changes of a launch: blocks and grid, and the axis of threads that each index follows.
std::vector<Edit> shape_edits(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch);

/// Several neighbours a thread, where the launch proves the alignment of its arrays.
std::vector<Edit> wide_edits(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch);

/// __restrict__ for every pointer that lacks it; none if two of them point to one array.
std::vector<Insertion> restricted(const KernelText& kernel, const launch::LaunchSpec& launch);

/// The sizes that a launch gives to a kernel, as constants.
struct KnownSizes {
  std::vector<Insertion> insertions;
  std::vector<std::string> names;  // "n = 1024"
};
KnownSizes known_sizes(const KernelText& kernel, const launch::LaunchSpec& launch);

/// Edits for any source: compiler options.
std::vector<Edit> option_edits();

/// Lines of `before` and `after` that differ, as a patch of `path`.
std::string patch_of(const std::string& path, std::string_view before, std::string_view after);

}  // namespace warplens::tried
