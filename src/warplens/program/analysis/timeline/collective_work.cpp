#include "warplens/program/analysis/timeline/collective_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/analysis/operators/shapes.h"
#include "warplens/program/analysis/ranks/waiting.h"
#include "warplens/program/analysis/timeline/activity.h"

namespace warplens::analysis {
namespace {

constexpr double kStartNs = 30'000;  // of a collective, whatever it carries: NCCL within a host
constexpr double kPcieGbs = 12, kNetworkGbs = 20;
constexpr int32_t kRanksOfAHost = 8;

struct LinkOfGpu {
  std::string_view part;  // of the name
  double bus_gbs;
  double peer_gbs = 0;  // to each other GPU, where they are wired to each other without a switch
};

// What all-reduces of 100 MB and more reach among 8 GPUs of a host: two thirds or more of what all links of a GPU carry
// in one direction by its data sheet, which is 150 GB/s (V100 SXM2: six links of 25, NVIDIA's whitepaper
// WP-08608-001_v1.1 on the V100 architecture, "More Links, Faster Links"), 300 (A100 SXM,
// nvidia.com/en-us/data-center/a100), 450 (H100 and H200 SXM, nvidia.com/en-us/data-center/h200), 900 (B200 and B300,
// nvidia.com/en-us/data-center/hgx) and 200 (A800 and H800, which have fewer links). Measured with nccl-tests and
// published: 200 on A100 (github.com/NVIDIA/nccl-tests/issues/149), 475 on H200 (issues/272), 830 on B200, whose NVLink
// NCCL itself plans with 722 (github.com/NVIDIA/nccl/issues/1807). MI300X: seven links of
// 48 GB/s usable, 336 in all (rocm.blogs.amd.com, mi300x-rccl-xgmi). Without a switch a small group has only the links
// among its own members: one a pair on MI300X to MI355X, two of 25 GB/s on V100s
// (github.com/NVIDIA/nccl-tests/issues/68).
constexpr std::array kLinks = {
    LinkOfGpu{"B200", 600},         LinkOfGpu{"B300", 600},       LinkOfGpu{"H200", 350},
    LinkOfGpu{"HBM3", 350},         LinkOfGpu{"H800", 150},       LinkOfGpu{"A100-SXM", 200},
    LinkOfGpu{"A800-SXM", 150},     LinkOfGpu{"A100-PG509", 200}, LinkOfGpu{"V100-SXM", 100, 33},
    LinkOfGpu{"V100-DGX", 100, 33}, LinkOfGpu{"MI300X", 250, 36}, LinkOfGpu{"MI325", 250, 36},
    LinkOfGpu{"MI350", 300, 43},    LinkOfGpu{"MI355", 300, 43},  LinkOfGpu{"MI250", 80}};

struct Message {
  std::string name;
  int64_t bytes = 0;
  int32_t group_size = 0;
};

/// Bytes of all input tensors of an operator, 0 where it has none or their types are unknown.
int64_t input_bytes(const Profile& p, uint32_t op) {
  const auto shapes = parse_shapes(p.text(p.operators.input_shapes[op]));
  if (!shapes) return 0;
  const std::vector<std::string> types = parse_string_array(p.text(p.operators.input_types[op]));
  int64_t bytes = 0;
  for (size_t i = 0; i < std::min(shapes->size(), types.size()); ++i) {
    std::string_view type = types[i];
    if (type.starts_with("c10::")) type.remove_prefix(5);
    if (type == "Scalar" || (*shapes)[i].dims.empty()) continue;
    bytes += element_count((*shapes)[i].dims) * element_bytes(type);
  }
  return bytes;
}

/// The last argument of record_param_comms, since PyTorch 2.0; 0 where it was not recorded.
int32_t group_size_of(const Profile& p, uint32_t op) {
  const std::vector<std::string> inputs = parse_string_array(p.text(p.operators.concrete_inputs[op]));
  const auto size = inputs.empty() ? std::nullopt : parse_int(inputs.back());
  return size && *size > 1 && *size < INT32_MAX ? static_cast<int32_t>(*size) : 0;
}

std::string name_of(const Profile& p, uint32_t event, uint32_t op) {
  if (op != kNone && p.text(p.operators.name[op]).starts_with("nccl:"))
    return std::string(p.text(p.operators.name[op]).substr(5));
  return std::string(short_kernel_name(p.text(p.device_events.name[event])));
}

Message message_of(const Profile& p, const Forest& operators, const Links& links, uint32_t event) {
  const uint32_t row = p.device_events.collective[event];
  if (row != kNone) {
    const auto& c = p.collectives;
    return {std::string(p.text(c.name[row])),
            std::max(c.in_elements[row], c.out_elements[row]) * element_bytes(p.text(c.dtype[row])), c.group_size[row]};
  }
  constexpr int kLevels = 4;  // from nccl:all_reduce out to c10d::allreduce_
  uint32_t op = links.event_operator[event];
  Message out{name_of(p, event, op), 0, 0};
  for (int level = 0; op != kNone && level < kLevels; ++level, op = operators.parent[op]) {
    if (out.bytes == 0) out.bytes = input_bytes(p, op);
    if (p.text(p.operators.name[op]) == "record_param_comms") out.group_size = group_size_of(p, op);
  }
  return out;
}

void set_times(const Profile& p, CollectiveWork& work) {
  std::vector<int64_t> durations;
  for (const uint32_t event : work.events) durations.push_back(p.device_events.duration_ns[event]);
  std::sort(durations.begin(), durations.end());
  for (const int64_t duration : durations) work.total_ns += duration;
  work.best_ns = durations.front();
  work.quartile_ns = durations[durations.size() / 4];
  work.median_ns = durations[durations.size() / 2];
}

}  // namespace

double CollectiveWork::bus_gbs(int64_t duration_ns) const {
  if (bytes <= 0 || duration_ns <= 0) return 0;
  return static_cast<double>(bytes) / static_cast<double>(duration_ns) * bus_factor(name, group_size);
}

std::vector<CollectiveWork> collective_work(const Profile& p, const Forest& operators, const Links& links) {
  std::map<std::tuple<uint32_t, std::string, int64_t, int32_t>, CollectiveWork> groups;
  for (uint32_t event = 0; event < p.device_events.size(); ++event) {
    if (!is_communication(p, event)) continue;
    const uint32_t device = p.device_events.device[event];
    Message message = message_of(p, operators, links, event);
    if (message.group_size == 0) message.group_size = p.ranks.world_size[p.devices.rank[device]];
    CollectiveWork& work = groups[{device, message.name, message.bytes, message.group_size}];
    work.name = message.name;
    work.device = device;
    work.bytes = message.bytes;
    work.group_size = message.group_size;
    work.events.push_back(event);
  }
  std::vector<CollectiveWork> out;
  for (auto& [key, work] : groups) {
    set_times(p, work);
    out.push_back(std::move(work));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const CollectiveWork& a, const CollectiveWork& b) { return a.total_ns > b.total_ns; });
  return out;
}

double usual_bus_gbs(std::string_view gpu, int32_t group_size) {
  if (group_size == 0 || group_size > kRanksOfAHost) return kNetworkGbs;
  for (const LinkOfGpu& link : kLinks) {
    if (!contains(gpu, link.part)) continue;
    return link.peer_gbs > 0 ? std::min(link.bus_gbs, link.peer_gbs * (group_size - 1)) : link.bus_gbs;
  }
  return kPcieGbs;
}

int64_t usual_collective_ns(const CollectiveWork& work, double bus_gbs) {
  return static_cast<int64_t>(kStartNs +
                              static_cast<double>(work.bytes) * bus_factor(work.name, work.group_size) / bus_gbs);
}

}  // namespace warplens::analysis
