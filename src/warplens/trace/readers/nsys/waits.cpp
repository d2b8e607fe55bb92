// Waits for devices, memory that was taken from them, and what they are.
#include <algorithm>
#include <map>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/trace/readers/nsys/recording.h"

namespace warplens::nsys {
namespace {

constexpr int64_t kNoId = UINT32_MAX;  // of streams and events
constexpr int64_t kOnHost = 1;         // ENUM_CUDA_MEM_KIND: pageable and pinned memory

uint64_t id_plus_1(const sqlite::Rows& row, int column) {
  const int64_t id = row.integer(column, kNoId);
  return id < 0 || id >= kNoId ? 0 : static_cast<uint64_t>(id) + 1;
}

uint32_t unsigned_32(const sqlite::Rows& row, int column) {
  return static_cast<uint32_t>(std::clamp<int64_t>(row.integer(column), 0, UINT32_MAX));
}

using Gpu = stream::Device;

/// The columns of a table of devices, by the names that a schema gives them.
struct DeviceTable {
  const char* table;
  std::vector<const char*>
      columns;  // id, name, bytes, SMs, major, minor, warps, registers, shared memory, threads a warp
};

const DeviceTable kDeviceTables[] = {
    {"TARGET_INFO_GPU",
     {"id", "name", "totalMemory", "smCount", "computeMajor", "computeMinor", "maxWarpsPerSm", "maxRegistersPerSm",
      "maxShmemPerSm", "threadsPerWarp", "cuDevice"}},
    {"TARGET_INFO_CUDA_GPU",
     {"deviceId", "name", "globalMemorySize", "numMultiprocessors", "computeCapabilityMajor", "computeCapabilityMinor",
      "maxWarpsPerMultiprocessor", "maxRegistersPerMultiprocessor", "maxSharedMemoryPerMultiprocessor",
      "numThreadsPerWarp", "deviceId"}},
};

}  // namespace

void Recording::read_synchronizations() {
  std::map<std::pair<const Process*, int64_t>, uint64_t> call_at;  // when a call with a correlation began
  for (const auto& [id, process] : processes_) {
    const calls_table& calls = process->builder.profile().calls;
    for (size_t i = 0; i < calls.size(); ++i)
      call_at[{process.get(), calls.correlation[i]}] = static_cast<uint64_t>(base_ns_ + calls.start_ns[i]);
  }
  const std::string records = "CUPTI_ACTIVITY_KIND_CUDA_EVENT", waits = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
  sqlite::Rows row = rows(records, {"globalPid", "contextId", "streamId", "correlationId", "eventId"});
  while (row.next()) {
    Process& process = process_of(row.integer(0));
    const auto call = call_at.find({&process, row.integer(3)});
    if (call == call_at.end()) continue;  // when it was put into its stream is unknown
    const uint32_t site = process.site(stream::SyncSite{
        .type = stream::kEventRecorded, .context = unsigned_32(row, 1), .stream = unsigned_32(row, 2)});
    process.builder.activity(stream::Tag::kSync, {.site = site,
                                                  .start_ns = call->second,
                                                  .end_ns = call->second,
                                                  .correlation = static_cast<uint64_t>(row.integer(3)),
                                                  .event_plus_1 = id_plus_1(row, 4)});
  }
  end(records, row);
  sqlite::Rows wait = rows(waits, {"start", "end", "globalPid", "deviceId", "contextId", "streamId", "correlationId",
                                   "syncType", "eventId"});
  while (wait.next()) {
    const auto at = span(wait, 0, 1);
    if (!at) continue;
    Process& process = process_of(wait.integer(2));
    const bool is_wait = wait.integer(7) >= 0 && wait.integer(7) <= stream::kContextSync;
    const uint32_t site =
        process.site(stream::SyncSite{.type = is_wait ? static_cast<uint32_t>(wait.integer(7)) : 0,
                                      .device_plus_1 = std::min<uint32_t>(unsigned_32(wait, 3), INT32_MAX) + 1,
                                      .context = unsigned_32(wait, 4),
                                      .stream = unsigned_32(wait, 5)});
    process.builder.activity(stream::Tag::kSync, {.site = site,
                                                  .start_ns = absolute(at->start_ns),
                                                  .end_ns = absolute(at->end_ns),
                                                  .correlation = static_cast<uint64_t>(wait.integer(6)),
                                                  .event_plus_1 = id_plus_1(wait, 8)});
  }
  end(waits, wait);
}

/// The driver's memory, beside which torch's allocator records its own: totals are of the former.
void Recording::read_memory_usage() {
  const std::string table = "CUDA_GPU_MEMORY_USAGE_EVENTS";
  struct Change {
    Process* process;
    int64_t time_ns, bytes, correlation;
    uint64_t address;
    int32_t device;  // -1 for the host's
  };
  std::vector<Change> changes;
  sqlite::Rows row = rows(
      table, {"start", "globalPid", "deviceId", "address", "bytes", "memKind", "memoryOperationType", "correlationId"});
  while (row.next()) {
    const auto at = span(row, 0, 0);
    if (!at) continue;
    const bool on_host = row.integer(5, 2) <= kOnHost;
    const int64_t bytes = std::clamp<int64_t>(row.integer(4), 0, int64_t{1} << 50);
    changes.push_back({&process_of(row.integer(1)), at->start_ns, row.integer(6) == 0 ? bytes : -bytes, row.integer(7),
                       static_cast<uint64_t>(row.integer(3)),
                       on_host ? -1 : static_cast<int32_t>(std::clamp<int64_t>(row.integer(2), 0, INT32_MAX))});
  }
  end(table, row);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
  std::map<std::pair<Process*, int32_t>, int64_t> totals;
  for (const Change& change : changes) {
    int64_t& total = totals[{change.process, change.device}];
    total += change.bytes;
    recorded::Builder& builder = change.process->builder;
    append(builder.profile().allocations, {.time_ns = builder.local(absolute(change.time_ns)),
                                           .thread = builder.thread_row(change.process->id << kProcessShift),
                                           .address = change.address,
                                           .bytes = change.bytes,
                                           .total_allocated_bytes = total,
                                           .total_reserved_bytes = total,
                                           .device_type = change.device < 0 ? 0 : 1,
                                           .device_ordinal = change.device});
  }
}

/// A process numbers its devices by itself; where the file does not say how, its numbers are the machine's.
void Recording::describe_devices(uint64_t process_id, Process& process) {
  std::map<int64_t, int64_t> machine_number;  // by the process's
  sqlite::Rows numbers = rows("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"});
  while (numbers.next()) {
    if (static_cast<uint64_t>(numbers.integer(2)) == (process_id & kProcessMask))
      machine_number[numbers.integer(1)] = numbers.integer(0);
  }
  end("TARGET_INFO_CUDA_DEVICE", numbers);
  const Column<int32_t>& ordinals = process.builder.profile().devices.ordinal;
  const std::vector<int32_t> used(ordinals.begin(), ordinals.end());
  for (const DeviceTable& table : kDeviceTables) {
    if (!database_.has(table.table, table.columns[3])) {
      read_tables_.emplace_back(table.table);
      continue;
    }
    sqlite::Rows row = rows(table.table, table.columns);
    while (row.next()) {
      for (const int32_t ordinal : used) {
        const auto known = machine_number.find(ordinal);
        const bool is_it = known != machine_number.end() ? row.integer(0) == known->second
                           : row.is_null(10)             ? row.integer(0) == ordinal
                                                         : row.integer(10) == ordinal;
        if (!is_it) continue;
        const auto positive = [&](int column) {
          return static_cast<uint32_t>(std::clamp<int64_t>(row.integer(column), 0, 1 << 30));
        };
        const uint32_t warp = std::min(positive(9), 1024u);
        process.builder.device({.ordinal = static_cast<uint32_t>(ordinal),
                                .memory_bytes = static_cast<uint64_t>(std::max<int64_t>(0, row.integer(2))),
                                .sm_count = positive(3),
                                .compute_major = positive(4),
                                .compute_minor = positive(5),
                                .max_threads_per_sm = std::min(positive(6), 1024u) * warp,
                                .registers_per_sm = positive(7),
                                .shared_bytes_per_sm = positive(8),
                                .warp_size = warp},
                               process.text(row.text(1)));
      }
    }
    end(table.table, row);
  }
}

}  // namespace warplens::nsys
