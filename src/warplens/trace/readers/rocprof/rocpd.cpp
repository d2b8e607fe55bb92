// rocpd databases: what rocprofv3 writes (tables rocpd_*_GUID, one set a process), as one rank a process.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/rocprof/events.h"
#include "warplens/trace/readers/rocprof/process.h"
#include "warplens/trace/readers/sqlite/kinds.h"

namespace warplens {
namespace rocprof {
namespace {

using sqlite::Database;
using sqlite::Rows;

constexpr std::string_view kDispatches = "rocpd_kernel_dispatch", kRegions = "rocpd_region",
                           kProcesses = "rocpd_info_process";

/// The ends of table names that belong together: "_0193c..." for each recording in the file, "" for old ones.
std::set<std::string> suffixes(const Database& database) {
  std::set<std::string> out;
  for (const auto& [table, columns] : database.tables()) {
    for (const std::string_view stem : {kDispatches, kRegions, kProcesses}) {
      if (table.starts_with(stem)) out.insert(table.substr(stem.size()));
    }
  }
  return out;
}

/// `text` as JSON's member `key`, where both are there.
std::string member(std::string_view text, const char* key) {
  const Result<json::Value> parsed = text.size() < 3 ? Result<json::Value>(json::Value()) : json::parse(text);
  const json::Value* found = parsed.ok() ? parsed->find(key) : nullptr;
  return found != nullptr && found->string() != nullptr ? *found->string() : std::string();
}

class RocpdReader {
 public:
  RocpdReader(const Database& database, std::string file, std::string suffix, Growth& growth)
      : database_(database), file_(std::move(file)), suffix_(std::move(suffix)), growth_(growth) {}

  /// Number of processes with something recorded.
  Result<int> run(Profile& profile) {
    read_names();
    read_agents();
    read_events();
    read_kernels();
    read_copies();
    read_regions();
    int count = 0;
    for (auto& [id, process] : processes_) {
      if (process->count() == 0) continue;
      if (count++ == 0) count_unread(*process);
      WL_TRY(process->add_to(profile, file_));
    }
    for (const auto& [table, status] : damage_)
      profile.integrity.add("damaged-file", Severity::kError, 1,
                            fmt::format("{}: table {} is damaged: {}", file_, table, status.message()),
                            "the rest of the table is missing: copy or record it again");
    return count;
  }

 private:
  struct Event {
    int64_t category = 0, stack = 0;
  };
  struct Symbol {
    std::string name;
    int64_t registers = 0, shared_bytes = 0;
  };
  struct Agent {
    bool is_gpu = false;
    int64_t ordinal = 0;
  };

  Rows rows(std::string_view stem, const std::vector<const char*>& columns) {
    return database_.rows(std::string(stem) + suffix_, columns);
  }
  void end(std::string_view stem, const Rows& rows) {
    if (!rows.damage().ok()) damage_.emplace(stem, rows.damage());
  }

  void read_names() {
    Rows strings = rows("rocpd_string", {"id", "string"});
    while (strings.next()) strings_[strings.integer(0)] = strings.text(1);
    end("rocpd_string", strings);
    Rows processes = rows(kProcesses, {"id", "pid"});
    while (processes.next()) pids_[processes.integer(0)] = processes.integer(1);
    end(kProcesses, processes);
    Rows threads = rows("rocpd_info_thread", {"id", "pid", "tid", "name"});
    while (threads.next()) {
      tids_[threads.integer(0)] = std::to_string(threads.integer(2));
      Process& process = process_of(threads.integer(1));
      if (process.count() == 0 || !threads.is_null(3))
        thread_names_.push_back({threads.integer(1), threads.integer(2), std::string(threads.text(3))});
    }
    end("rocpd_info_thread", threads);
    Rows symbols = rows("rocpd_info_kernel_symbol",
                        {"id", "display_name", "kernel_name", "arch_vgpr_count", "group_segment_size"});
    while (symbols.next())
      symbols_[symbols.integer(0)] = {std::string(symbols.text(1).empty() ? symbols.text(2) : symbols.text(1)),
                                      symbols.integer(3), symbols.integer(4)};
    end("rocpd_info_kernel_symbol", symbols);
  }

  void read_agents() {
    Rows agents = rows("rocpd_info_agent", {"id", "pid", "type", "type_index", "product_name", "name", "extdata"});
    while (agents.next()) {
      const bool is_gpu = agents.text(2) == "GPU";
      agents_[agents.integer(0)] = {is_gpu, agents.integer(3)};
      if (!is_gpu) continue;
      const Result<json::Value> more = json::parse(agents.text(6));
      const auto number = [&](const char* key) {
        const json::Value* found = more.ok() ? more->find(key) : nullptr;
        return found == nullptr ? 0 : found->integer().value_or(0);
      };
      const int64_t wave = number("wave_front_size");
      process_of(agents.integer(1))
          .add({.ordinal = agents.integer(3),
                .name = std::string(agents.text(4).empty() ? agents.text(5) : agents.text(4)),
                .compute_units = number("cu_count"),
                .wave_size = wave,
                .max_threads = number("max_waves_per_simd") * number("simd_per_cu") * wave,
                .shared_bytes = number("lds_size_in_kb") * 1024});
    }
    end("rocpd_info_agent", agents);
  }

  void read_events() {
    Rows events = rows("rocpd_event", {"id", "category_id", "stack_id"});
    while (events.next()) events_[events.integer(0)] = {events.integer(1), events.integer(2)};
    end("rocpd_event", events);
  }

  Process& process_of(int64_t id) {
    std::unique_ptr<Process>& process = processes_[id];
    if (!process) process = std::make_unique<Process>(growth_);
    return *process;
  }
  int64_t correlation(int64_t event) {
    const auto found = events_.find(event);
    return found == events_.end() ? 0 : found->second.stack;
  }
  int64_t ordinal(int64_t agent) { return agents_[agent].ordinal; }

  void read_kernels() {
    Rows r = rows(kDispatches, {"pid", "start", "end", "kernel_id", "agent_id", "stream_id", "queue_id", "event_id",
                                "grid_size_x", "grid_size_y", "grid_size_z", "workgroup_size_x", "workgroup_size_y",
                                "workgroup_size_z", "group_segment_size", "region_name_id"});
    while (r.next()) {
      Process& process = process_of(r.integer(0));
      if (!process.takes(r.integer(1), r.integer(2))) continue;
      const Symbol& symbol = symbols_[r.integer(3)];
      put_kernel(process.events(),
                 {.name = symbol.name.empty() ? std::string_view("kernel without a symbol") : symbol.name,
                  .device = ordinal(r.integer(4)),
                  .stream = r.is_null(5) ? r.integer(6) : r.integer(5),
                  .correlation = correlation(r.integer(7)),
                  .start_ns = r.integer(1),
                  .end_ns = r.integer(2),
                  .items = {r.integer(8), r.integer(9), r.integer(10)},
                  .group = {r.integer(11), r.integer(12), r.integer(13)},
                  .shared_bytes = r.is_null(14) ? symbol.shared_bytes : r.integer(14),
                  .registers = symbol.registers});
    }
    end(kDispatches, r);
  }

  void read_copies() {
    Rows r = rows("rocpd_memory_copy", {"pid", "start", "end", "name_id", "dst_agent_id", "src_agent_id", "stream_id",
                                        "queue_id", "event_id", "size"});
    while (r.next()) {
      Process& process = process_of(r.integer(0));
      if (!process.takes(r.integer(1), r.integer(2))) continue;
      const bool to_gpu = agents_[r.integer(4)].is_gpu;
      put_copy(process.events(), {.name = strings_[r.integer(3)],
                                  .device = ordinal(r.integer(to_gpu ? 4 : 5)),
                                  .stream = r.is_null(6) ? r.integer(7) : r.integer(6),
                                  .correlation = correlation(r.integer(8)),
                                  .start_ns = r.integer(1),
                                  .end_ns = r.integer(2),
                                  .bytes = r.integer(9)});
    }
    end("rocpd_memory_copy", r);
  }

  void read_regions() {
    Rows r = rows(kRegions, {"pid", "start", "end", "name_id", "tid", "event_id", "extdata"});
    while (r.next()) {
      Process& process = process_of(r.integer(0));
      if (!process.takes(r.integer(1), r.integer(2))) continue;
      const Event event = events_[r.integer(5)];
      const std::string pid = std::to_string(pids_[r.integer(0)]);
      const std::string& thread = tids_[r.integer(4)];
      const std::string &category = strings_[event.category], &name = strings_[r.integer(3)];
      if (contains(category, "MARKER") || contains(category, "marker")) {
        const std::string message = member(r.text(6), "message");
        put_range(process.events(), message.empty() ? name : message, pid, thread, r.integer(1), r.integer(2));
      } else if (category.starts_with("HIP") || category.starts_with("HSA") || contains(category, "hip_") ||
                 contains(category, "hsa_")) {
        put_call(process.events(), name, pid, thread, r.integer(1), r.integer(2), event.stack);
      } else {
        put_range(process.events(), name, pid, thread, r.integer(1), r.integer(2));
      }
    }
    end(kRegions, r);
    for (const auto& [id, tid, name] : thread_names_)
      process_of(id).name_thread(std::to_string(pids_[id]), std::to_string(tid), name);
  }

  void count_unread(Process& process) {
    for (const auto& [stem, what] : {std::pair<const char*, const char*>{"rocpd_pmc_event", "counter values"},
                                     {"rocpd_sample", "samples"},
                                     {"rocpd_memory_allocate", "allocations"},
                                     {"rocpd_arg", "arguments of calls"}}) {
      Rows r = rows(stem, {"id"});
      while (r.next()) ++process.dropped().unread[what];
    }
  }

  struct ThreadName {
    int64_t process, tid;
    std::string name;
  };
  const Database& database_;
  std::string file_, suffix_;
  Growth& growth_;
  std::map<int64_t, std::unique_ptr<Process>> processes_;  // by row of rocpd_info_process
  std::unordered_map<int64_t, std::string> strings_, tids_;
  std::unordered_map<int64_t, int64_t> pids_;
  std::unordered_map<int64_t, Symbol> symbols_;
  std::unordered_map<int64_t, Event> events_;
  std::map<int64_t, Agent> agents_;
  std::vector<ThreadName> thread_names_;
  std::map<std::string, Status, std::less<>> damage_;
};

bool fits(const Database& database) { return !suffixes(database).empty(); }

Status read(const Database& database, const std::string& file, Profile& profile) {
  int processes = 0;
  Growth growth(database.size_bytes());
  for (const std::string& suffix : suffixes(database)) {
    WL_ASSIGN(const int found, RocpdReader(database, file, suffix, growth).run(profile));
    processes += found;
  }
  if (processes == 0)
    return invalid_input(file +
                         ": a rocpd database without a kernel, copy, call or range: record with `rocprofv3 "
                         "--kernel-trace` or `--sys-trace`");
  return {};
}

}  // namespace
}  // namespace rocprof

namespace sqlite {
extern const Kind kRocpd;
const Kind kRocpd = {"rocprofv3 (rocpd)", rocprof::fits, rocprof::read};
}  // namespace sqlite

}  // namespace warplens
