// Collectives as one rank recorded them: the moments at which ranks of a job meet.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::job {

enum class Function : uint8_t {
  kUnknown,
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kSendReceive
};

/// From a kernel's name or a collective's: "ncclDevKernel_AllReduce_Sum_f16_RING_LL(...)", "_allgather_base", ...
Function function_of(std::string_view name);

/// One communication kernel. Missing facts are kEmpty or -1.
struct Meeting {
  uint32_t event;  // row of device_events
  Function function;
  StringId group_name, group_ranks;
  int64_t elements, sequence;
  int64_t start_ns, end_ns;
};

using Meetings = std::vector<Meeting>;  // of one rank, in the order of their ends

/// True if a kernel of this name is a collective of NCCL or RCCL, in which all ranks of a group meet.
bool names_collective(std::string_view kernel);

/// Whether a kernel of this name communicates between devices: a collective, or one of NVSHMEM's.
bool names_communication(std::string_view kernel);

/// True if a device event is a communication kernel: it carries a collective's metadata, or its name is NCCL's or
/// RCCL's.
bool is_collective(const Profile& profile, size_t event);

/// By row of ranks. A kernel without metadata (its launch was not recorded) belongs to the
/// group that shares its stream.
std::vector<Meetings> meetings_by_rank(const Profile& profile);

/// Whether two ranks' records can be of one collective, by all but their times.
bool may_be_one(const Meeting& a, const Meeting& b);

}  // namespace warplens::job
