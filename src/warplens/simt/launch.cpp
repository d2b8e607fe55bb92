#include "warplens/simt/launch.h"

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"

namespace warplens::simt {

const gpu::Device& device_of(const Launch& launch, int architecture) {
  return launch.device != nullptr ? *launch.device : gpu::device_for(architecture);
}

Status check_limits(const Launch& launch, const Dim3& cluster, const KernelDemands& demands,
                    const gpu::Device& device) {
  gpu::LaunchDemands asked;
  asked.grid = launch.grid;
  asked.block = launch.block;
  asked.cluster = cluster;
  asked.needs.registers = static_cast<int>(demands.registers);
  asked.needs.static_shared_bytes = static_cast<int64_t>(demands.static_shared_bytes);
  asked.needs.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  asked.kernel_threads = demands.max_threads;
  asked.cooperative = launch.cooperative;
  const gpu::LaunchRefusal refusal = gpu::refuse_launch(device, asked);
  return refusal.limit == gpu::LaunchLimit::kNone ? Status() : usage_error(refusal.why);
}

uint64_t allocated_shared_bytes(const gpu::Arch& arch, uint64_t own_bytes) {
  const auto unit = static_cast<uint64_t>(arch.shared_unit_bytes);
  return (own_bytes + unit - 1) / unit * unit;
}

std::string_view name(FaultKind kind) {
  switch (kind) {
    case Fault::Kind::kNone: return "none";
    case Fault::Kind::kIllegalAddress: return "illegal-address";
    case Fault::Kind::kMisaligned: return "misaligned-address";
    case Fault::Kind::kNoSuchBlock: return "no-such-block";
    case Fault::Kind::kTrap: return "trap";
    case Fault::Kind::kAssert: return "assert";
    case Fault::Kind::kDeadlock: return "deadlock";
    case Fault::Kind::kInstructionLimit: return "instruction-limit";
    case Fault::Kind::kTimeout: return "timeout";
    case Fault::Kind::kCancelled: return "cancelled";
    case Fault::Kind::kUnsupported: return "unsupported";
    case Fault::Kind::kStackOverflow: return "stack-overflow";
    case Fault::Kind::kInvalid: return "invalid";
    case Fault::Kind::kInvalidPc: return "invalid-pc";
  }
  return "";
}

std::string Place::text() const {
  std::string where;
  if (!file.empty()) where = fmt::format(" at {}:{}", file, line);
  if (!caller_file.empty()) where += fmt::format(", inlined at {}:{}", caller_file, caller_line);
  if (ptx_line)
    where += fmt::format("{}PTX line {}{}", where.empty() ? " at " : " (", ptx_line, where.empty() ? "" : ")");
  if (is_machine_code && where.empty()) where = fmt::format(" at machine code {:#x}", uint64_t{index} * 16);
  return fmt::format("kernel '{}' block ({},{},{}) thread ({},{},{}){}{}", short_name(kernel), block[0], block[1],
                     block[2], thread[0], thread[1], thread[2],
                     function.empty() ? "" : fmt::format(" in function '{}'", short_name(function)), where);
}

std::string Fault::text() const { return message + ": " + place.text(); }

}  // namespace warplens::simt
