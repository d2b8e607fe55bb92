// What `rocprofv3 --output-format json` writes: a list of processes, each with its agents, names and records.
#include <unordered_map>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/rocprof/events.h"
#include "warplens/trace/readers/rocprof/process.h"

namespace warplens {
namespace rocprof {
namespace {

constexpr std::string_view kKey = "\"rocprofiler-sdk-tool\"";

const json::Value& at(const json::Value& value, std::initializer_list<const char*> path) {
  static const json::Value nothing;
  const json::Value* here = &value;
  for (const char* key : path) {
    here = here->find(key);
    if (here == nullptr) return nothing;
  }
  return *here;
}

int64_t number(const json::Value& value, std::initializer_list<const char*> path) {
  return at(value, path).integer().value_or(0);
}

std::string text(const json::Value& value, std::initializer_list<const char*> path) {
  const std::string* found = at(value, path).string();
  return found == nullptr ? std::string() : *found;
}

const json::Value::Array& items(const json::Value& value) {
  static const json::Value::Array none;
  return value.array() == nullptr ? none : *value.array();
}

class JsonReader {
 public:
  JsonReader(const json::Value& tool, Growth& growth)
      : tool_(tool), process_id_(std::to_string(number(tool, {"metadata", "pid"}))), process_(growth) {
    const auto first = [](const json::Value& one, std::initializer_list<const char*> keys) {
      for (const char* key : keys) {
        if (std::string name = text(one, {key}); !name.empty()) return name;
      }
      return std::string();
    };
    for (const json::Value& agent : items(at(tool, {"agents"}))) {
      constexpr int64_t kIsGpu = 2;  // ROCPROFILER_AGENT_TYPE_GPU
      if (number(agent, {"type"}) != kIsGpu) continue;
      const int64_t handle = number(agent, {"id", "handle"}), wave = number(agent, {"wave_front_size"});
      gpus_.add(handle);
      process_.add({.ordinal = gpus_[handle],
                    .name = first(agent, {"product_name", "model_name", "name"}),
                    .compute_units = number(agent, {"cu_count"}),
                    .wave_size = wave,
                    .max_threads = number(agent, {"max_waves_per_simd"}) * number(agent, {"simd_per_cu"}) * wave,
                    .shared_bytes = number(agent, {"lds_size_in_kb"}) * 1024});
    }
    for (const json::Value& symbol : items(at(tool, {"kernel_symbols"})))
      symbols_[number(symbol, {"kernel_id"})] = {
          first(symbol, {"demangled_kernel_name", "formatted_kernel_name", "kernel_name"}),
          number(symbol, {"arch_vgpr_count"})};
    for (const json::Value& message : items(at(tool, {"strings", "marker_api"})))
      messages_[number(message, {"key"})] = text(message, {"value"});
  }

  Process& run() {
    const json::Value& records = at(tool_, {"buffer_records"});
    for (const json::Value& record : items(at(records, {"kernel_dispatch"}))) kernel(record);
    for (const json::Value& record : items(at(records, {"memory_copy"}))) copy(record);
    for (const char* calls : {"hip_api", "hsa_api"}) {
      for (const json::Value& record : items(at(records, {calls}))) call(record);
    }
    for (const char* ranges : {"marker_api", "rccl_api", "rocdecode_api", "rocjpeg_api"}) {
      for (const json::Value& record : items(at(records, {ranges}))) range(record);
    }
    static const char* const kRead[] = {"kernel_dispatch", "memory_copy", "hip_api",       "hsa_api",
                                        "marker_api",      "rccl_api",    "rocdecode_api", "rocjpeg_api"};
    if (const json::Value::Object* all = records.object()) {
      for (const auto& [name, list] : *all) {
        if (std::find(std::begin(kRead), std::end(kRead), name) == std::end(kRead))
          process_.dropped().unread["records of " + name] += static_cast<int64_t>(items(list).size());
      }
    }
    process_.dropped().unread["counter records"] +=
        static_cast<int64_t>(items(at(tool_, {"callback_records", "counter_collection"})).size());
    return process_;
  }

 private:
  struct Symbol {
    std::string name;
    int64_t registers = 0;
  };
  struct Times {
    int64_t start_ns, end_ns, correlation;
    std::string thread;
  };

  Times times(const json::Value& record) {
    return {number(record, {"start_timestamp"}), number(record, {"end_timestamp"}),
            number(record, {"correlation_id", "internal"}), std::to_string(number(record, {"thread_id"}))};
  }

  /// The operation's name by the file's own lists: kinds are entries, operations are entries of those.
  std::string operation(const json::Value& record) {
    const auto& kinds = items(at(tool_, {"strings", "buffer_records"}));
    const auto kind = static_cast<size_t>(number(record, {"kind"}));
    const auto which = static_cast<size_t>(number(record, {"operation"}));
    if (kind < kinds.size()) {
      const auto& names = items(at(kinds[kind], {"operations"}));
      if (which < names.size() && names[which].string() != nullptr) return *names[which].string();
    }
    return fmt::format("operation {} of kind {}", which, kind);
  }

  void kernel(const json::Value& record) {
    const Times when = times(record);
    if (!process_.takes(when.start_ns, when.end_ns)) return;
    const json::Value& info = at(record, {"dispatch_info"});
    const Symbol& symbol = symbols_[number(info, {"kernel_id"})];
    const int64_t stream = number(record, {"stream_id", "handle"});
    put_kernel(process_.events(),
               {.name = symbol.name.empty() ? std::string_view("kernel without a symbol") : symbol.name,
                .device = gpus_[number(info, {"agent_id", "handle"})],
                .stream = stream != 0 ? stream : queues_[number(info, {"queue_id", "handle"})],
                .correlation = when.correlation,
                .start_ns = when.start_ns,
                .end_ns = when.end_ns,
                .items = {number(info, {"grid_size", "x"}), number(info, {"grid_size", "y"}),
                          number(info, {"grid_size", "z"})},
                .group = {number(info, {"workgroup_size", "x"}), number(info, {"workgroup_size", "y"}),
                          number(info, {"workgroup_size", "z"})},
                .shared_bytes = number(info, {"group_segment_size"}),
                .registers = symbol.registers});
  }

  void copy(const json::Value& record) {
    const Times when = times(record);
    if (!process_.takes(when.start_ns, when.end_ns)) return;
    const int64_t to = number(record, {"dst_agent_id", "handle"}), from = number(record, {"src_agent_id", "handle"});
    const std::string name = operation(record);
    put_copy(process_.events(), {.name = name,
                                 .device = gpus_[gpus_.has(to) ? to : from],
                                 .stream = kCopies,
                                 .correlation = when.correlation,
                                 .start_ns = when.start_ns,
                                 .end_ns = when.end_ns,
                                 .bytes = number(record, {"bytes"})});
  }

  void call(const json::Value& record) {
    const Times when = times(record);
    if (!process_.takes(when.start_ns, when.end_ns)) return;
    put_call(process_.events(), operation(record), process_id_, when.thread, when.start_ns, when.end_ns,
             when.correlation);
  }

  void range(const json::Value& record) {
    const Times when = times(record);
    if (!process_.takes(when.start_ns, when.end_ns)) return;
    const auto message = messages_.find(when.correlation);
    put_range(process_.events(), message == messages_.end() ? operation(record) : message->second, process_id_,
              when.thread, when.start_ns, when.end_ns);
  }

  static constexpr int64_t kCopies = 1'000'000;  // copies name no queue: one of their own
  const json::Value& tool_;
  std::string process_id_;
  Process process_;
  GpuNumbers gpus_;
  QueueNumbers queues_;
  std::unordered_map<int64_t, Symbol> symbols_;
  std::unordered_map<int64_t, std::string> messages_;
};

bool sniff(std::string_view head) {
  const size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{' && contains(head, kKey);
}

Status read(Input& input, const ReadOptions&, Profile& profile) {
  WL_ASSIGN(const std::string bytes, input.read_all());
  if (!input.damage().ok()) return input.damage().in(input.name());
  Result<json::Value> parsed = json::parse(bytes);
  if (!parsed.ok()) return parsed.status().in(input.name() + ": rocprofv3's JSON is cut off or damaged");
  const json::Value& tools = at(*parsed, {"rocprofiler-sdk-tool"});
  int64_t events = 0;
  Growth growth(bytes.size());
  for (const json::Value& tool : items(tools)) {
    JsonReader reader(tool, growth);
    Process& process = reader.run();
    if (process.count() == 0) continue;
    events += static_cast<int64_t>(process.count());
    WL_TRY(process.add_to(profile, input.name()));
  }
  if (events == 0)
    return invalid_input(input.name() +
                         ": rocprofv3's JSON without a kernel, copy, call or range: record with --kernel-trace or "
                         "--sys-trace");
  return {};
}

}  // namespace
}  // namespace rocprof

extern const TraceFormat kRocprofJson;
const TraceFormat kRocprofJson = {"rocprofv3's JSON", rocprof::sniff, rocprof::read};

}  // namespace warplens
