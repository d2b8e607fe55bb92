#include "warplens/program/findings/launch_shape.h"

#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/gpu/occupancy.h"

namespace warplens::findings {
namespace {

int threads_of(const Context& c, uint32_t config) {
  const auto& configs = c.p.launch_configs;
  return configs.block_x[config] * configs.block_y[config] * configs.block_z[config];
}

gpu::Occupancy fit(const Context& c, uint32_t config) {
  const auto& configs = c.p.launch_configs;
  const auto arch =
      gpu::find_arch(fmt::format("{}.{}", c.p.devices.compute_major[c.device], c.p.devices.compute_minor[c.device]));
  if (!arch.ok() || threads_of(c, config) <= 0) return {};
  gpu::BlockNeeds needs;
  needs.threads = threads_of(c, config);
  needs.registers = std::max(configs.registers_per_thread[config], 1);
  needs.dynamic_shared_bytes = configs.shared_bytes[config];
  return gpu::occupancy(**arch, needs);
}

void set_limits(const Context& c, LaunchShape& shape) {
  shape.threads = threads_of(c, shape.config);
  shape.blocks = blocks_of(c, shape.config);
  const gpu::Occupancy fits = fit(c, shape.config);
  if (fits.blocks > 0) {
    shape.blocks_per_sm = fits.blocks;
    shape.occupancy = fits.fraction();
  }
}

std::vector<LaunchShape> find_shapes(const Context& c) {
  std::map<std::pair<StringId, uint32_t>, LaunchShape> shapes;
  const auto& events = c.p.device_events;
  for (const ProgramEvent& event : c.program.events) {
    const uint32_t config = events.launch_config[event.row];
    if (config == kNone || c.is_communication(event)) continue;
    LaunchShape& shape = shapes[{events.name[event.row], config}];
    shape.name = events.name[event.row];
    shape.config = config;
    shape.op = c.op_of(event);
    shape.rows.push_back(event.row);
    shape.device_ns += event.duration_ns;
  }
  std::vector<LaunchShape> out;
  for (auto& [key, shape] : shapes) {
    set_limits(c, shape);
    if (shape.blocks > 0 && shape.threads > 0) out.push_back(shape);  // else the trace does not tell the launch's shape
  }
  std::sort(out.begin(), out.end(),
            [](const LaunchShape& a, const LaunchShape& b) { return a.device_ns > b.device_ns; });
  return out;
}

}  // namespace

int64_t blocks_of(const Context& c, uint32_t config) {
  const auto& configs = c.p.launch_configs;
  return int64_t{configs.grid_x[config]} * configs.grid_y[config] * configs.grid_z[config];
}

int blocks_per_sm(const Context& context, uint32_t config) { return fit(context, config).blocks; }

const std::vector<LaunchShape>& Context::launch_shapes() const {
  if (!launch_shapes_) launch_shapes_ = std::make_shared<const std::vector<LaunchShape>>(find_shapes(*this));
  return *launch_shapes_;
}

int64_t device_time_ns(const Context& c) {
  int64_t total = 0;
  for (const ProgramEvent& event : c.program.events) total += event.duration_ns;
  return total;
}

Finding describe(const Context& c, const std::vector<LaunchShape>& shapes) {
  Finding f;
  int64_t device_ns = 0;
  std::vector<uint32_t> ops;
  for (const LaunchShape& shape : shapes) {
    device_ns += shape.device_ns;
    ops.push_back(shape.op);
    f.events.insert(f.events.end(), shape.rows.begin(), shape.rows.end());
  }
  f.where = c.places(ops);
  const LaunchShape& worst = shapes.front();
  f.evidence = {{"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
                {"kernel", std::string(c.p.text(worst.name))},
                {"blocks", worst.blocks},
                {"threads_per_block", int64_t{worst.threads}},
                {"blocks_per_sm", int64_t{worst.blocks_per_sm}},
                {"occupancy", worst.occupancy}};
  f.level = static_cast<double>(device_ns) > 4 * kWorthNaming * static_cast<double>(device_time_ns(c)) ? Level::kWarn
                                                                                                       : Level::kInfo;
  return f;
}

}  // namespace warplens::findings
