// From the tables of an Nsight Systems export to ranks: one for each process that used a GPU.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "warplens/trace/readers/input/growth.h"
#include "warplens/trace/readers/recorded/builder.h"
#include "warplens/trace/readers/sqlite/database.h"
#include "warplens/trace/stream/site_table.h"

namespace warplens::nsys {

// A global id is hardware, virtual machine, process and thread, 24 bits each of the latter two.
inline constexpr int kProcessShift = 24;
inline constexpr uint64_t kProcessMask = 0xffffff;

/// A traced process: its builder, and numbers for the texts and sites that it was given.
class Process {
 public:
  Process(uint64_t id, const std::string& file, int64_t base_ns) : id(id), builder(file, base_ns) {}

  uint64_t id;  // hardware, virtual machine and process id
  recorded::Builder builder;

  /// The builder's number for a text, which is its StringId.
  uint32_t text(std::string_view text);
  template <typename Site>
  uint32_t site(const Site& site) {
    const auto [number, is_new] = table<Site>().find_or_add(site, next_site_);
    if (is_new) builder.site(next_site_++, site);
    return number;
  }

 private:
  template <typename Site>
  stream::SiteTable<Site>& table() {
    return std::get<stream::SiteTable<Site>>(tables_);
  }
  std::tuple<stream::SiteTable<stream::KernelSite>, stream::SiteTable<stream::CallSite>,
             stream::SiteTable<stream::CopySite>, stream::SiteTable<stream::SetSite>,
             stream::SiteTable<stream::SyncSite>>
      tables_;
  uint32_t next_site_ = 0;
};

/// On the file's own clock; moved to the profile's when it is added.
struct Span {
  int64_t start_ns = 0, end_ns = 0;
};

/// The common columns of kernels, copies, sets and graphs.
struct OnDevice {
  Process& process;
  uint32_t device, context, stream;
  stream::Activity activity;  // without its site
};

class Recording {
 public:
  Recording(const sqlite::Database& database, std::string file);

  /// Reads all tables; the ranks follow in the order of their devices and processes. Error: rows repeat large texts.
  Result<std::vector<Profile>> read();

 private:
  // device_rows.cpp
  sqlite::Rows device_rows(const std::string& table, std::vector<const char*> own_columns);
  std::optional<OnDevice> on_device(const sqlite::Rows& row);
  void read_kernels();
  void read_copies();
  void read_sets();
  void read_whole_graphs();
  // waits.cpp
  void read_synchronizations();
  void read_memory_usage();
  void describe_devices(uint64_t process_id, Process& process);
  // host_rows.cpp
  void read_calls();
  void leave_out_nested_calls();
  std::map<int64_t, std::string> overhead_types();
  void read_overheads();
  void read_spans();
  void read_thread_names();
  // ranges.cpp
  struct Range;
  void read_ranges();
  void name_things(const Range& range);
  StringId arguments_of(const Range& range, Process& process);
  void add_range(const Range& range);
  // samples.cpp
  std::string frame_text(int64_t module, int64_t symbol);
  void read_samples();
  void read_gpu_metrics();
  // told.cpp
  void tell_diagnostics(Profile& profile);
  void tell_left_out(Profile& profile);
  void tell_damage(Profile& profile);

  sqlite::Rows rows(const std::string& table, const std::vector<const char*>& columns);
  /// Call this after the last row: it reports the damage.
  void end(const std::string& table, const sqlite::Rows& rows);
  std::string_view string(int64_t id);
  /// The text of StringIds in a column, or the text itself where an older schema has it there.
  std::string_view name(const sqlite::Rows& rows, int column);
  /// By a global process or thread id; of processes without GPU work the first.
  Process& process_of(int64_t global_id);
  Process& process_that_uses_a_gpu(int64_t global_id);
  /// No value, and counted, where times are absurd; an end before its begin is moved there.
  std::optional<Span> span(const sqlite::Rows& rows, int start, int end);
  uint64_t absolute(int64_t time_ns) const { return static_cast<uint64_t>(base_ns_ + time_ns); }
  void name_threads(Profile& profile);
  void take_clock();

  const sqlite::Database& database_;
  std::string file_;
  int64_t base_ns_ = 0;
  std::unordered_map<int64_t, std::string> strings_;
  std::deque<std::string> own_texts_;  // of rows that hold their text themselves
  Growth growth_;
  std::map<uint64_t, std::unique_ptr<Process>> processes_;                    // by Process::id
  std::map<std::string, Status> damage_;                                      // by table
  std::map<uint64_t, int64_t> mpi_ranks_;                                     // by process
  std::map<std::pair<uint64_t, int64_t>, std::string> domains_;               // by process and number
  std::map<std::tuple<uint64_t, int64_t, int64_t>, std::string> categories_;  // by process, domain and number
  std::vector<std::string> read_tables_;
  std::vector<std::string> missing_columns_;  // "TABLE.column"
  int64_t nested_calls_ = 0, whole_graphs_ = 0, other_nvtx_ = 0, open_ranges_ = 0, unnamed_ = 0, absurd_ = 0,
          negative_ = 0, wrong_texts_ = 0;
};

/// "cudaLaunchKernel" of "cudaLaunchKernel_v7000".
std::string_view without_version(std::string_view call);

}  // namespace warplens::nsys
