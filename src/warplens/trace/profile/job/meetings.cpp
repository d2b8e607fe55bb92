#include "warplens/trace/profile/job/meetings.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>

#include "warplens/base/letter_case.h"
#include "warplens/base/text.h"

namespace warplens::job {
namespace {

/// The first that a name contains says what it is.
constexpr std::pair<std::string_view, Function> kFunctions[] = {{"reducescatter", Function::kReduceScatter},
                                                                {"allreduce", Function::kAllReduce},
                                                                {"allgather", Function::kAllGather},
                                                                {"alltoall", Function::kAllToAll},
                                                                {"sendrecv", Function::kSendReceive},
                                                                {"broadcast", Function::kBroadcast},
                                                                {"reduce", Function::kReduce},
                                                                {"barrier", Function::kAllReduce},
                                                                {"send", Function::kSendReceive},
                                                                {"recv", Function::kSendReceive},
                                                                {"dispatch", Function::kAllToAll},  // of experts
                                                                {"combine", Function::kAllToAll}};

/// In the names of kernels that engines for serving and training exchange data with, without NCCL.
constexpr std::string_view kExchanges[] = {
    "all_reduce", "allreduce",     "AllReduce",  "cross_device_reduce", "all_to_all", "alltoall",       "AllToAll",
    "AllGather",  "ReduceScatter", "EpDispatch", "EpCombine",           "multimem_",  "reduce_scatter", "all_gather"};

constexpr size_t kMostRead = 4096;  // of a kernel's name: each event asks

/// Every rank of the group gives the same count of elements.
bool counts_are_equal(Function function) {
  return function == Function::kAllReduce || function == Function::kAllGather || function == Function::kReduceScatter ||
         function == Function::kBroadcast || function == Function::kReduce;
}

Meeting meeting(const Profile& profile, uint32_t event) {
  const device_events_table& events = profile.device_events;
  Meeting m{.event = event,
            .function = function_of(profile.text(events.name[event])),
            .group_name = StringId::kEmpty,
            .group_ranks = StringId::kEmpty,
            .elements = -1,
            .sequence = -1,
            .start_ns = events.start_ns[event],
            .end_ns = events.start_ns[event] + events.duration_ns[event]};
  const uint32_t row = events.collective[event];
  if (row == kNone) return m;
  const collectives_table& c = profile.collectives;
  if (m.function == Function::kUnknown) m.function = function_of(profile.text(c.name[row]));
  m.group_name = c.group_name[row];
  m.group_ranks = c.group_ranks[row];
  m.elements = c.in_elements[row];
  m.sequence = c.sequence[row];
  return m;
}

}  // namespace

Function function_of(std::string_view name) {
  std::string letters;
  for (const char c : name.substr(0, name.find('('))) {
    if (std::isalpha(static_cast<unsigned char>(c))) letters += lower(c);
  }
  for (const auto& [text, function] : kFunctions) {
    if (letters.find(text) != std::string::npos) return function;
  }
  return Function::kUnknown;
}

bool names_collective(std::string_view kernel) {
  kernel = kernel.substr(0, kMostRead);
  if (contains(kernel, "nccl") || contains(kernel, "rccl")) return true;
  if (kernel.starts_with("triton_")) return false;  // Inductor's kernels are named after the operators that they fuse
  // Experts on other ranks; their layout is local. DeepSeek's own profiles call DeepEP "dpsk::ep".
  if (contains(kernel, "deep_ep::") || contains(kernel, "dpsk::ep::") || contains(kernel, "mori::"))
    return !contains(kernel, "layout") && !contains(kernel, "clean");
  const std::string_view name = kernel.substr(0, kernel.find('('));
  return std::any_of(std::begin(kExchanges), std::end(kExchanges),
                     [&](std::string_view part) { return contains(name, part); });
}

bool names_communication(std::string_view kernel) {
  return names_collective(kernel) || contains(kernel.substr(0, kMostRead), "nvshmem");
}

bool is_collective(const Profile& profile, size_t event) {
  if (profile.device_events.kind[event] != DeviceEventKind::kKernel) return false;
  return profile.device_events.collective[event] != kNone ||
         names_collective(profile.text(profile.device_events.name[event]));
}

std::vector<Meetings> meetings_by_rank(const Profile& profile) {
  const device_events_table& events = profile.device_events;
  std::vector<Meetings> by_rank(profile.ranks.size());
  using Stream = std::pair<uint32_t, int64_t>;
  const auto stream_of = [&](uint32_t event) { return Stream(events.device[event], events.stream[event]); };
  std::map<Stream, std::pair<StringId, StringId>> group_of_stream;
  for (uint32_t e = 0; e < events.size(); ++e) {
    if (!is_collective(profile, e)) continue;
    const Meeting& m = by_rank[profile.devices.rank[events.device[e]]].emplace_back(meeting(profile, e));
    if (m.group_name != StringId::kEmpty) group_of_stream.try_emplace(stream_of(e), m.group_name, m.group_ranks);
  }
  for (Meetings& meetings : by_rank) {
    for (Meeting& m : meetings) {
      const auto found = group_of_stream.find(stream_of(m.event));
      if (m.group_name == StringId::kEmpty && found != group_of_stream.end())
        std::tie(m.group_name, m.group_ranks) = found->second;
    }
    std::stable_sort(meetings.begin(), meetings.end(),
                     [](const Meeting& a, const Meeting& b) { return a.end_ns < b.end_ns; });
  }
  return by_rank;
}

bool may_be_one(const Meeting& a, const Meeting& b) {
  const auto known_and_different = [](auto x, auto y, auto unknown) { return x != unknown && y != unknown && x != y; };
  if (known_and_different(a.function, b.function, Function::kUnknown)) return false;
  if (known_and_different(a.group_name, b.group_name, StringId::kEmpty)) return false;
  if (known_and_different(a.group_ranks, b.group_ranks, StringId::kEmpty)) return false;
  if (known_and_different(a.sequence, b.sequence, int64_t{-1})) return false;
  return !counts_are_equal(a.function) || !known_and_different(a.elements, b.elements, int64_t{-1});
}

}  // namespace warplens::job
