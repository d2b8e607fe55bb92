// --devices-compare: one program as several GPUs would run it, side by side.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "warplens/cli/verb.h"
#include "warplens/output/table.h"

namespace warplens::cli {

/// The keys of the GPUs that `list` names: "a100,h100". Errors: one that is not known.
Result<std::vector<std::string>> device_keys(const std::string& list);
/// Those of --devices-compare.
inline Result<std::vector<std::string>> devices_to_compare(const Invocation& invocation) {
  return device_keys(invocation.text("--devices-compare"));
}

/// The same invocation on one of these GPUs.
inline Invocation on_device(Invocation invocation, const std::string& device) {
  invocation.values["--device"] = {device};
  invocation.assumed.erase("--device");
  return invocation;
}

/// One row a kernel: its number of runs and their total time on each GPU, a dash if it did not run. The last row has
/// the sums.
class DeviceTable {
 public:
  explicit DeviceTable(std::vector<std::string> devices) : devices_(std::move(devices)) {}
  void add(const std::string& kernel, size_t device, double ns);
  Table made() const;

 private:
  struct Ran {
    int64_t launches = 0;
    double ns = 0;
  };
  using Row = std::vector<Ran>;  // by device
  std::vector<std::string> devices_;
  std::map<std::string, Row> rows_;
};

}  // namespace warplens::cli
