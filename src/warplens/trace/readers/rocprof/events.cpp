#include "warplens/trace/readers/rocprof/events.h"

#include <fmt/format.h>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"

namespace warplens::rocprof {
namespace {

int64_t duration_of(int64_t start_ns, int64_t end_ns) {
  return static_cast<int64_t>(static_cast<uint64_t>(end_ns) - static_cast<uint64_t>(start_ns));
}

EventText& begin(EventText& out, const char* category, std::string_view name, const DeviceWork& work) {
  out.begin('X', category, name, fmt::format("{}", work.device), fmt::format("{}", work.stream), work.start_ns)
      .duration(duration_of(work.start_ns, work.end_ns));
  out.argument("device", work.device).argument("stream", work.stream);
  if (work.correlation != 0) out.argument("correlation", work.correlation);
  return out;
}

/// The direction as kineto's names have it: "HtoD".
std::string_view direction(std::string_view name) {
  struct Named {
    std::string_view text, direction;
  };
  static constexpr Named kNames[] = {
      {"HOST_TO_DEVICE", "HtoD"}, {"DEVICE_TO_HOST", "DtoH"}, {"DEVICE_TO_DEVICE", "DtoD"}, {"HOST_TO_HOST", "HtoH"},
      {"HostToDevice", "HtoD"},   {"DeviceToHost", "DtoH"},   {"DeviceToDevice", "DtoD"},   {"HostToHost", "HtoH"}};
  for (const Named& known : kNames) {
    if (contains(name, known.text)) return known.direction;
  }
  return "";
}

}  // namespace

void put_kernel(EventText& out, const DeviceWork& work) {
  begin(out, "kernel", demangled(std::string(work.name)), work);
  if (work.items[0] > 0 && work.group[0] > 0) {
    int64_t blocks[3], threads[3];
    for (int axis = 0; axis < 3; ++axis) {
      threads[axis] = std::max<int64_t>(1, work.group[axis]);
      const int64_t items = std::max<int64_t>(1, work.items[axis]);
      blocks[axis] = items / threads[axis] + (items % threads[axis] != 0);
    }
    out.argument("registers per thread", work.registers).argument("shared memory", work.shared_bytes);
    out.argument_list("grid", {blocks[0], blocks[1], blocks[2]});
    out.argument_list("block", {threads[0], threads[1], threads[2]});
  }
  out.end();
}

void put_copy(EventText& out, const DeviceWork& work) {
  const std::string_view towards = direction(work.name);
  const bool is_set = contains(work.name, "SET") || contains(work.name, "Memset");
  const std::string name = towards.empty() ? std::string(work.name) : fmt::format("Memcpy {}", towards);
  begin(out, is_set ? "gpu_memset" : "gpu_memcpy", name, work).argument("bytes", work.bytes).end();
}

void put_call(EventText& out, std::string_view name, std::string_view process, std::string_view thread,
              int64_t start_ns, int64_t end_ns, int64_t correlation) {
  out.begin('X', "cuda_runtime", name, process, thread, start_ns).duration(duration_of(start_ns, end_ns));
  out.argument("correlation", correlation).end();
}

void put_range(EventText& out, std::string_view name, std::string_view process, std::string_view thread,
               int64_t start_ns, int64_t end_ns) {
  out.begin('X', "user_annotation", name, process, thread, start_ns).duration(duration_of(start_ns, end_ns)).end();
}

void put_overhead(EventText& out, std::string_view name, std::string_view process, std::string_view thread,
                  int64_t start_ns, int64_t end_ns) {
  out.begin('X', "overhead", name, process, thread, start_ns).duration(duration_of(start_ns, end_ns)).end();
}

std::optional<Kind> kind_of(std::string_view category) {
  struct Named {
    std::string_view name;
    Kind kind;
  };
  static constexpr Named kKinds[] = {
      {"kernel_dispatch", Kind::kKernel}, {"memory_copy", Kind::kCopy},      {"hip_api", Kind::kCall},
      {"hip_runtime_api", Kind::kCall},   {"hip_compiler_api", Kind::kCall}, {"hsa_api", Kind::kCall},
      {"marker_api", Kind::kRange},       {"rccl_api", Kind::kRange},        {"rocdecode_api", Kind::kRange},
      {"rocjpeg_api", Kind::kRange},
  };
  for (const Named& known : kKinds) {
    if (known.name == category) return known.kind;
  }
  return std::nullopt;
}

}  // namespace warplens::rocprof
