#include <algorithm>
#include <array>

#include "warplens/base/text.h"
#include "warplens/program/analysis/operators/operator_table.h"

namespace warplens::analysis {
namespace {

struct SortKey {
  const char* name;
  double (*value)(const OperatorRow&);
};

double mean(int64_t total, int64_t count) {
  return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
}

template <auto member>
double field(const OperatorRow& row) {
  return static_cast<double>(row.*member);
}

constexpr std::array<SortKey, 14> kKeys = {{
    {"self_device_time_total", field<&OperatorRow::self_device_ns>},
    {"device_time_total", field<&OperatorRow::device_ns>},
    {"device_time", [](const OperatorRow& r) { return mean(r.device_ns, r.count); }},
    {"self_cpu_time_total", field<&OperatorRow::self_cpu_ns>},
    {"cpu_time_total", field<&OperatorRow::cpu_ns>},
    {"cpu_time", [](const OperatorRow& r) { return mean(r.cpu_ns, r.count); }},
    {"count", field<&OperatorRow::count>},
    {"kernel_count", field<&OperatorRow::kernels>},
    {"flops", field<&OperatorRow::flops>},
    {"tflops_per_second",
     [](const OperatorRow& r) { return r.flops_device_ns ? r.flops / static_cast<double>(r.flops_device_ns) : 0; }},
    {"self_device_memory_usage", field<&OperatorRow::self_device_bytes>},
    {"device_memory_usage", field<&OperatorRow::device_bytes>},
    {"self_cpu_memory_usage", field<&OperatorRow::self_cpu_bytes>},
    {"cpu_memory_usage", field<&OperatorRow::cpu_bytes>},
}};

}  // namespace

Status sort_operator_rows(std::vector<OperatorRow>& rows, const std::string& key) {
  std::string plain = replace_all(replace_all(key, "cuda", "device"), "xpu", "device");
  if (plain.ends_with("_ns")) plain.resize(plain.size() - 3);
  plain = replace_all(plain, "memory_bytes", "memory_usage");
  for (const SortKey& known : kKeys) {
    if (plain != known.name) continue;
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const OperatorRow& a, const OperatorRow& b) { return known.value(a) > known.value(b); });
    return {};
  }
  std::vector<std::string> names;
  for (const SortKey& known : kKeys) names.emplace_back(known.name);
  const std::string near = nearest(plain, names);
  return usage_error(fmt::format("cannot sort by '{}'{}; the keys are {}", key,
                                 near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near), join(names, ", ")));
}

}  // namespace warplens::analysis
