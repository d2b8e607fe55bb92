#include "warplens/cli/device_table.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/gpu/device.h"

namespace warplens::cli {

Result<std::vector<std::string>> device_keys(const std::string& list) {
  std::vector<std::string> devices;
  for (const std::string_view name : split(list, ',')) {
    WL_ASSIGN(const gpu::Device* const device, gpu::find_device(name));
    devices.emplace_back(device->key);
  }
  return devices;
}

void DeviceTable::add(const std::string& kernel, size_t device, double ns) {
  Row& row = rows_.try_emplace(kernel, Row(devices_.size())).first->second;
  row[device].ns += ns;
  ++row[device].launches;
}

Table DeviceTable::made() const {
  Table table{{{"kernel", "kernel"}, {"launches", "launches", Kind::kCount}}, {}};
  for (const std::string& device : devices_) table.columns.push_back({device + "_ns", device, Kind::kTimeNs});
  Row all(devices_.size());
  const auto add_row = [&](const std::string& name, const Row& row) {
    std::vector<Cell> cells = {name, std::ranges::max(row, {}, &Ran::launches).launches};
    for (const Ran& ran : row) cells.push_back(ran.launches > 0 ? Cell(static_cast<int64_t>(ran.ns)) : Cell());
    table.rows.push_back(std::move(cells));
  };
  for (const auto& [kernel, row] : rows_) {
    add_row(kernel, row);
    for (size_t i = 0; i < row.size(); ++i) {
      all[i].launches += row[i].launches;
      all[i].ns += row[i].ns;
    }
  }
  if (!all.empty()) add_row("all", all);
  return table;
}

}  // namespace warplens::cli
