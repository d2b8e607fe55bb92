#include "warplens/program/analysis/operators/roofline.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "warplens/base/timing.h"
#include "warplens/gpu/peaks.h"
#include "warplens/program/analysis/operators/flops.h"
#include "warplens/program/analysis/operators/shapes.h"
#include "warplens/program/analysis/operators/traffic.h"

namespace warplens::analysis {
namespace {

std::optional<gpu::Peaks> peaks_of(const Profile& p, uint32_t device) {
  return gpu::find_peaks({p.text(p.devices.name[device]), p.devices.sm_count[device], p.devices.compute_major[device],
                          p.devices.compute_minor[device], p.devices.warp_size[device]});
}

/// What one call did on the device.
struct CallWork {
  int64_t device_ns = 0;
  uint32_t device = 0;
  bool tensor_cores = false;
};

}  // namespace

std::string element_type(std::string_view text) {
  const std::vector<std::string> types = parse_string_array(text);
  for (const std::string& type : types) {
    if (type == "float" || type == "double" || is_half(type) || is_float8(type)) return type;
  }
  for (const std::string& type : types) {
    if (!type.empty() && type != "Scalar" && type != "ScalarList") return type;
  }
  return {};
}

double peak_tflops(const Profile& p, uint32_t device, std::string_view dtype, TensorUse use) {
  const auto gpu = peaks_of(p, device);
  if (!gpu) return 0;
  const bool tensor = use == TensorUse::kYes;
  if (is_float8(dtype)) return gpu->fp8_tflops;
  if (is_half(dtype)) return gpu->half_tflops;  // also what work without tensor cores misses
  if (dtype == "float") return tensor ? gpu->tf32_tflops : gpu->fp32_tflops;
  if (dtype == "double") return tensor ? gpu->fp64_tensor_tflops : gpu->fp64_tflops;
  return 0;
}

CountedOperators::CountedOperators(const Profile& profile, const Forest& operators)
    : p_(profile), operators_(operators), counted_(profile, has_least_bytes) {}

uint32_t CountedOperators::operator()(uint32_t op) const {
  while (op != kNone && !counted_(p_.operators.name[op])) op = operators_.parent[op];
  return op;
}

double RooflineRow::share() const {
  return device_ns > 0 ? std::max(compute_ns(), memory_ns()) / static_cast<double>(device_ns) : 0;
}

std::vector<RooflineRow> operator_roofline(const Profile& p, const Causes& causes, const ClassRules& rules) {
  const TimedScope timed("roofline");
  const Classes classes = classify(p, causes.links.event_operator, rules);
  const CountedOperators counted(p, causes.operators);
  std::unordered_map<uint32_t, CallWork> work;
  for (uint32_t row = 0; row < p.device_events.size(); ++row) {
    if (p.device_events.kind[row] != DeviceEventKind::kKernel) continue;
    const uint32_t op = counted(causes.links.event_operator[row]);
    if (op == kNone) continue;
    CallWork& call = work[op];
    call.device_ns += p.device_events.duration_ns[row];
    call.device = p.device_events.device[row];
    call.tensor_cores |= classes.tensor_use[row] == TensorUse::kYes;
  }
  using Key = std::tuple<StringId, StringId, StringId, StringId, uint32_t, bool>;
  std::map<Key, RooflineRow> rows;
  std::map<Key, std::pair<double, double>> needs;  // of one call: operations, bytes
  for (const auto& [op, call] : work) {
    const auto& ops = p.operators;
    const Key key{ops.name[op], ops.input_shapes[op], ops.input_types[op], ops.concrete_inputs[op],
                  call.device,  call.tensor_cores};
    const auto [need, added] = needs.try_emplace(key, 0.0, 0.0);
    if (added) need->second = {useful_flops(p, op).value_or(0), least_bytes(p, op).value_or(0)};
    if (need->second.second <= 0) continue;
    RooflineRow& row = rows[key];
    if (row.calls == 0) {
      row.op = p.text(ops.name[op]);
      row.shapes = torch_shapes(p.text(ops.input_shapes[op]));
      row.dtype = element_type(p.text(ops.input_types[op]));
      row.device = call.device;
      row.peak_tflops = peak_tflops(p, call.device, row.dtype, call.tensor_cores ? TensorUse::kYes : TensorUse::kNo);
      if (const auto gpu = peaks_of(p, call.device)) row.peak_gbs = gpu->dram_gbs;
    }
    ++row.calls;
    row.device_ns += call.device_ns;
    row.flops += need->second.first;
    row.bytes += need->second.second;
  }
  std::vector<RooflineRow> out;
  for (auto& [key, row] : rows) out.push_back(std::move(row));
  const auto over = [](const RooflineRow& row) {
    return static_cast<double>(row.device_ns) - std::max(row.compute_ns(), row.memory_ns());
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const RooflineRow& a, const RooflineRow& b) { return over(a) > over(b); });
  return out;
}

}  // namespace warplens::analysis
