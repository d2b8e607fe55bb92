// Kernels of collectives get what the operator around their launch was told to communicate.
#include <algorithm>
#include <map>

#include "warplens/base/json.h"
#include "warplens/trace/readers/recorded/builder.h"

namespace warplens::recorded {
namespace {

constexpr std::string_view kCollective = "record_param_comms";

struct Communication {
  int64_t start_ns, end_ns;
  uint32_t collective;  // row
};

class Arguments {
 public:
  explicit Arguments(const json::Value& object, Strings& strings) : object_(object), strings_(strings) {}
  StringId text(const char* key) const {
    const json::Value* value = object_.find(key);
    if (value == nullptr) return StringId::kEmpty;
    return value->string() != nullptr ? strings_.intern(*value->string()) : StringId::kEmpty;
  }
  int64_t integer(const char* key, int64_t otherwise) const {
    const json::Value* value = object_.find(key);
    return value == nullptr ? otherwise : value->integer().value_or(otherwise);
  }
  int32_t small(const char* key, int32_t otherwise) const { return static_cast<int32_t>(integer(key, otherwise)); }

 private:
  const json::Value& object_;
  Strings& strings_;
};

}  // namespace

/// Rows of calls by correlation lead to a thread and a time; the communication around it is the kernel's.
void Builder::join_collectives() {
  const operators_table& ops = profile_.operators;
  std::map<uint32_t, std::vector<Communication>> threads;
  for (uint32_t row = 0; row < ops.size(); ++row) {
    if (ops.args[row] == StringId::kEmpty || profile_.text(ops.name[row]) != kCollective) continue;
    const Result<json::Value> parsed = json::parse(profile_.text(ops.args[row]));
    if (!parsed.ok() || parsed->object() == nullptr) continue;
    const Arguments from(*parsed, profile_.strings);
    threads[ops.thread[row]].push_back({ops.start_ns[row], ops.start_ns[row] + ops.duration_ns[row],
                                        static_cast<uint32_t>(profile_.collectives.size())});
    append(profile_.collectives, {.name = from.text("Collective name"),
                                  .dtype = from.text("dtype"),
                                  .in_elements = from.integer("In msg nelems", 0),
                                  .out_elements = from.integer("Out msg nelems", 0),
                                  .group_size = from.small("Group size", 0),
                                  .group_name = from.text("Process Group Name"),
                                  .group_description = from.text("Process Group Description"),
                                  .group_ranks = from.text("Process Group Ranks"),
                                  .sequence = from.integer("Seq", -1),
                                  .source_rank = from.small("Src Rank", -1),
                                  .destination_rank = from.small("Dst Rank", -1)});
  }
  if (threads.empty()) return;
  for (auto& [thread, list] : threads)
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  std::unordered_map<int64_t, uint32_t> by_correlation;
  for (uint32_t row = 0; row < profile_.calls.size(); ++row) {
    const auto of_thread = threads.find(profile_.calls.thread[row]);
    if (of_thread == threads.end()) continue;
    const int64_t at_ns = profile_.calls.start_ns[row];
    const std::vector<Communication>& list = of_thread->second;
    auto found = std::upper_bound(list.begin(), list.end(), at_ns,
                                  [](int64_t time, const Communication& c) { return time < c.start_ns; });
    if (found != list.begin() && (--found)->end_ns >= at_ns)
      by_correlation[profile_.calls.correlation[row]] = found->collective;
  }
  device_events_table& events = profile_.device_events;
  for (uint32_t row = 0; row < events.size(); ++row) {
    const auto found = by_correlation.find(events.correlation[row]);
    if (found != by_correlation.end() && profile_.text(events.name[row]).find("nccl") != std::string_view::npos)
      events.collective.at(row) = found->second;
  }
}

}  // namespace warplens::recorded
