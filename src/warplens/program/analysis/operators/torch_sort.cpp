#include <algorithm>
#include <array>
#include <functional>

#include "warplens/base/text.h"
#include "warplens/program/analysis/operators/torch_table.h"

namespace warplens::analysis {
namespace {

double mean(int64_t total, int64_t count) {
  return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
}

struct SortKey {
  const char* name;
  double (*value)(const TorchRow&);
};

template <int64_t TorchRow::* member>
double field(const TorchRow& row) {
  return static_cast<double>(row.*member);
}

constexpr std::array<SortKey, 12> kKeys = {{
    {"cpu_time", [](const TorchRow& r) { return mean(r.cpu_ns, r.count); }},
    {"device_time", [](const TorchRow& r) { return mean(r.device_ns, r.count); }},
    {"cpu_time_total", field<&TorchRow::cpu_ns>},
    {"device_time_total", field<&TorchRow::device_ns>},
    {"self_cpu_time_total", field<&TorchRow::self_cpu_ns>},
    {"self_device_time_total", field<&TorchRow::self_device_ns>},
    {"cpu_memory_usage", field<&TorchRow::cpu_bytes>},
    {"device_memory_usage", field<&TorchRow::device_bytes>},
    {"self_cpu_memory_usage", field<&TorchRow::self_cpu_bytes>},
    {"self_device_memory_usage", field<&TorchRow::self_device_bytes>},
    {"count", field<&TorchRow::count>},
    {"flops", field<&TorchRow::flops>},
}};

}  // namespace

std::vector<std::string> torch_sort_keys() {
  std::vector<std::string> names;
  for (const SortKey& key : kKeys) names.emplace_back(key.name);
  return names;
}

Status sort_torch_rows(std::vector<TorchRow>& rows, const std::string& key) {
  const std::string plain =
      replace_all(replace_all(replace_all(key, "cuda", "device"), "xpu", "device"), "privateuse1", "device");
  for (const SortKey& known : kKeys) {
    if (plain != known.name) continue;
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const TorchRow& a, const TorchRow& b) { return known.value(a) > known.value(b); });
    return {};
  }
  return usage_error(fmt::format("cannot sort by '{}'; the keys are {}", key, join(torch_sort_keys(), ", ")));
}

}  // namespace warplens::analysis
