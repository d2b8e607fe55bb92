// Kernels by the shape of their launch: grids, blocks, and blocks that fit on an SM.
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// All launches of one kernel name with one configuration. Context::launch_shapes() are those that are not
/// communication and have a known grid, the most costly first.
struct LaunchShape {
  StringId name;
  uint32_t config;             // row of launch_configs
  uint32_t op;                 // operator of one of them
  std::vector<uint32_t> rows;  // of device_events
  int64_t device_ns = 0;       // all of them
  int64_t blocks = 0;
  int threads = 0;        // a block
  int blocks_per_sm = 0;  // that fit, by registers, shared memory and threads; 0 when unknown
  double occupancy = 0;   // warps that fit, 0..1
  size_t count() const { return rows.size(); }
};

/// A finding without a saving about these shapes; title and advice are the rule's.
Finding describe(const Context& context, const std::vector<LaunchShape>& shapes);

/// Blocks of a launch; 0 if the trace lacks them.
int64_t blocks_of(const Context& context, uint32_t config);

/// Blocks that fit on an SM by threads, registers and shared memory; 0 when the GPU or the launch is not known.
int blocks_per_sm(const Context& context, uint32_t config);

inline constexpr double kWorthNaming = 0.05;  // of the step's device time
int64_t device_time_ns(const Context& context);

}  // namespace warplens::findings
