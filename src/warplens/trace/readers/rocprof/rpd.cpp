// rpd databases: what ROCm's rocmProfileData writes (tables rocpd_api, rocpd_op), as one rank a process.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/trace/readers/rocprof/events.h"
#include "warplens/trace/readers/rocprof/process.h"
#include "warplens/trace/readers/sqlite/kinds.h"

namespace warplens {
namespace rocprof {
namespace {

using sqlite::Database;
using sqlite::Rows;

class RpdReader {
 public:
  RpdReader(const Database& database, std::string file)
      : database_(database), file_(std::move(file)), growth_(database.size_bytes()) {}

  Status run(Profile& profile) {
    read_names();
    read_launches();
    read_calls();
    read_work();
    int count = 0;
    for (auto& [pid, process] : processes_) {
      if (process->count() == 0) continue;
      if (count++ == 0) count_unread(*process);
      for (const int64_t gpu : gpus_[pid]) process->add({.ordinal = gpu});
      WL_TRY(process->add_to(profile, file_));
    }
    for (const auto& [table, status] : damage_)
      profile.integrity.add("damaged-file", Severity::kError, 1,
                            fmt::format("{}: table {} is damaged: {}", file_, table, status.message()),
                            "the rest of the table is missing: copy or record it again");
    if (count == 0)
      return invalid_input(file_ +
                           ": an rpd database without a kernel, copy, call or range: check that runTracer.sh wraps the "
                           "program that uses the GPU");
    return {};
  }

 private:
  struct Call {
    int64_t pid = 0;
    bool counts_items = false;  // its grid is in work items, as hipExtModuleLaunchKernel takes it
  };
  struct Launch {
    int64_t grid[3] = {0, 0, 0}, group[3] = {0, 0, 0};
    int64_t shared_bytes = 0, bytes = 0;
  };

  Rows rows(const std::string& table, const std::vector<const char*>& columns) {
    return database_.rows(table, columns);
  }
  void end(const std::string& table, const Rows& rows) {
    if (!rows.damage().ok()) damage_.emplace(table, rows.damage());
  }
  Process& process_of(int64_t pid) {
    std::unique_ptr<Process>& process = processes_[pid];
    if (!process) process = std::make_unique<Process>(growth_);
    return *process;
  }

  void read_names() {
    Rows strings = rows("rocpd_string", {"id", "string"});
    while (strings.next()) strings_[strings.integer(0)] = strings.text(1);
    end("rocpd_string", strings);
  }

  void read_launches() {
    Rows r = rows("rocpd_kernelapi", {"api_ptr_id", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ",
                                      "groupSegmentSize"});
    while (r.next())
      launches_[r.integer(0)] = {
          {r.integer(1), r.integer(2), r.integer(3)}, {r.integer(4), r.integer(5), r.integer(6)}, r.integer(7), 0};
    end("rocpd_kernelapi", r);
    Rows copies = rows("rocpd_copyapi", {"api_ptr_id", "size"});
    while (copies.next()) launches_[copies.integer(0)].bytes = copies.integer(1);
    end("rocpd_copyapi", copies);
  }

  /// HIP's calls, markers of the program, and what the tracer itself did.
  void read_calls() {
    Rows r = rows("rocpd_api", {"id", "pid", "tid", "start", "end", "apiName_id", "args_id"});
    while (r.next()) {
      const std::string &name = strings_[r.integer(5)], &args = strings_[r.integer(6)];
      calls_[r.integer(0)] = {r.integer(1), contains(name, "ExtModuleLaunch")};
      Process& process = process_of(r.integer(1));
      if (!process.takes(r.integer(3), r.integer(4))) continue;
      const std::string pid = std::to_string(r.integer(1)), tid = std::to_string(r.integer(2));
      if (name.starts_with("hip") || name.starts_with("hsa"))
        put_call(process.events(), name, pid, tid, r.integer(3), r.integer(4), r.integer(0));
      else if (contains(name, "::writeRows") || name == "hcc_activity_callback" || name == "rpdflush")
        put_overhead(process.events(), name, pid, tid, r.integer(3), r.integer(4));
      else
        put_range(process.events(), name == "UserMarker" && !args.empty() ? args : name, pid, tid, r.integer(3),
                  r.integer(4));
    }
    end("rocpd_api", r);
    Rows ops = rows("rocpd_api_ops", {"api_id", "op_id"});
    while (ops.next()) call_of_op_[ops.integer(1)] = ops.integer(0);
    end("rocpd_api_ops", ops);
  }

  void read_work() {
    Rows r = rows("rocpd_op", {"id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"});
    while (r.next()) {
      const auto found = call_of_op_.find(r.integer(0));
      const int64_t api = found == call_of_op_.end() ? 0 : found->second;
      const Call call = api == 0 ? Call{processes_.empty() ? 0 : processes_.begin()->first} : calls_[api];
      Process& process = process_of(call.pid);
      if (!process.takes(r.integer(3), r.integer(4))) continue;
      put_work(process, call, api, r);
      gpus_[call.pid].insert(r.integer(1));
    }
    end("rocpd_op", r);
  }

  void put_work(Process& process, const Call& call, int64_t api, const Rows& r) {
    const std::string &name = strings_[r.integer(5)], &kind = strings_[r.integer(6)];
    DeviceWork work{.device = r.integer(1), .stream = r.integer(2), .correlation = api};
    work.start_ns = r.integer(3), work.end_ns = r.integer(4);
    const auto launch = launches_.find(api);
    if (kind.starts_with("Copy") || kind.starts_with("Fill")) {
      work.name = kind.starts_with("Fill") ? std::string_view("Memset (Device)") : kind;
      if (launch != launches_.end()) work.bytes = launch->second.bytes;
      return put_copy(process.events(), work);
    }
    work.name = name.empty() ? std::string_view(kind) : name;
    if (launch != launches_.end()) {
      for (size_t i = 0; i < 3; ++i) {
        work.group[i] = std::clamp<int64_t>(launch->second.group[i], 0, INT32_MAX);
        const int64_t grid = std::clamp<int64_t>(launch->second.grid[i], 0, INT32_MAX);
        work.items[i] = call.counts_items ? grid : grid * std::max<int64_t>(work.group[i], 1);
      }
      work.shared_bytes = launch->second.shared_bytes;
    }
    put_kernel(process.events(), work);
  }

  void count_unread(Process& process) {
    Rows r = rows("rocpd_monitor", {"id"});
    while (r.next()) ++process.dropped().unread["samples of clocks and power"];
  }

  const Database& database_;
  std::string file_;
  Growth growth_;
  std::map<int64_t, std::unique_ptr<Process>> processes_;  // by pid
  std::map<int64_t, std::set<int64_t>> gpus_;              // by pid
  std::unordered_map<int64_t, std::string> strings_;
  std::unordered_map<int64_t, Launch> launches_;  // by row of rocpd_api
  std::unordered_map<int64_t, Call> calls_;
  std::unordered_map<int64_t, int64_t> call_of_op_;
  std::map<std::string, Status, std::less<>> damage_;
};

bool is_rpd(const Database& database) {
  return database.has("rocpd_api") && database.has("rocpd_op") && database.has("rocpd_string");
}

Status read_rpd(const Database& database, const std::string& file, Profile& profile) {
  return RpdReader(database, file).run(profile);
}

}  // namespace
}  // namespace rocprof

namespace sqlite {
extern const Kind kRpd;
const Kind kRpd = {"rocmProfileData (rpd)", rocprof::is_rpd, rocprof::read_rpd};
}  // namespace sqlite

}  // namespace warplens
