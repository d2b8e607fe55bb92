#include "warplens/cli/device_table.h"

#include "warplens/base/text.h"
#include "warplens/gpu/device.h"

namespace warplens::cli {

Result<std::vector<std::string>> devices_to_compare(const Invocation& invocation) {
  std::vector<std::string> devices;
  const std::string list = invocation.text("--devices-compare");
  for (const std::string_view name : split(list, ',')) {
    WL_ASSIGN(const gpu::Device* const device, gpu::find_device(name));
    devices.emplace_back(device->key);
  }
  return devices;
}

void DeviceTable::add(const std::string& kernel, size_t device, double ns) {
  Row& row = rows_[kernel];
  row.ns.resize(devices_.size());
  row.ns[device] += ns;
  if (device == 0) ++row.launches;
}

Table DeviceTable::made() const {
  Table table{{{"kernel", "kernel"}, {"launches", "launches", Kind::kCount}}, {}};
  for (const std::string& device : devices_) table.columns.push_back({device + "_ns", device, Kind::kTimeNs});
  Row all;
  all.ns.resize(devices_.size());
  const auto add_row = [&](const std::string& name, const Row& row) {
    std::vector<Cell> cells = {name, row.launches};
    for (const double ns : row.ns) cells.emplace_back(static_cast<int64_t>(ns));
    table.rows.push_back(std::move(cells));
  };
  for (const auto& [kernel, row] : rows_) {
    add_row(kernel, row);
    all.launches += row.launches;
    for (size_t i = 0; i < devices_.size(); ++i) all.ns[i] += row.ns[i];
  }
  add_row("all", all);
  return table;
}

}  // namespace warplens::cli
