// A flame graph as files and pages draw it: the order of its frames, their names and their colours.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/writers/flamegraph/flame_tree.h"

namespace warplens::writers {

enum class FlameMetric { kDeviceTime, kHostTime };

/// The kind of a frame, shown by its colour.
enum class FlameKind : uint8_t { kAll, kKernel, kOperator, kModule, kPython, kFunction };
inline constexpr std::array<const char*, 6> kFlameKinds = {"all",    "kernel", "operator or range",
                                                           "module", "Python", "function"};
inline constexpr size_t kFlameShades = 8;  // of each kind; a name has always the same

struct FlameFrame {
  std::string name;        // as it is drawn
  std::string_view whole;  // as the profile has it
  uint32_t parent = 0;
  int64_t total_ns = 0;
  uint8_t colour = 0;  // of flame_colours

  FlameKind kind() const { return static_cast<FlameKind>(colour / kFlameShades); }
};

struct FlameChart {
  std::string title;
  std::vector<FlameFrame> frames;  // each behind its parent, costliest first; empty: there is no time
  std::vector<FlameKind> kinds;    // that are there, for a legend
};

/// Names point into the tree's.
FlameChart flame_chart(const FlameTree& tree, FlameMetric metric);

/// Colours of all kinds and shades, as "#rrggbb". The ink of svg::kLight or svg::kDark has a contrast of 4.5 to each.
std::vector<std::string> flame_colours(bool dark);

}  // namespace warplens::writers
