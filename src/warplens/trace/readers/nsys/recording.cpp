#include "warplens/trace/readers/nsys/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "warplens/base/printable.h"
#include "warplens/base/text.h"

namespace warplens::nsys {
namespace {

constexpr int64_t kLatestNs = int64_t{1} << 60;     // 36 years: beyond it a time is absurd
constexpr int64_t kSince1970Ns = int64_t{1} << 61;  // 73 years

// Without these, work stands at the wrong place; all schemas from 2021 on have them in these tables.
constexpr std::string_view kNeeded[] = {"start",         "end",       "deviceId",  "streamId",
                                        "correlationId", "globalPid", "globalTid", "nameId"};
constexpr std::string_view kNeeding[] = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                         "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_RUNTIME"};

uint64_t process_part(int64_t global_id) { return static_cast<uint64_t>(global_id) >> kProcessShift; }

}  // namespace

uint32_t Process::text(std::string_view text) {
  const auto id = static_cast<uint32_t>(builder.profile().strings.intern(text));
  builder.text(id, text);
  return id;
}

Recording::Recording(const sqlite::Database& database, std::string file)
    : database_(database), file_(std::move(file)), growth_(database.size_bytes()) {}

sqlite::Rows Recording::rows(const std::string& table, const std::vector<const char*>& columns) {
  read_tables_.push_back(table);
  if (database_.has(table) && std::ranges::find(kNeeding, table) != std::end(kNeeding)) {
    for (const std::string_view column : columns) {
      const bool needed = std::ranges::find(kNeeded, column) != std::end(kNeeded);
      if (needed && !database_.has(table, column)) missing_columns_.push_back(fmt::format("{}.{}", table, column));
    }
  }
  return database_.rows(table, columns);
}

void Recording::end(const std::string& table, const sqlite::Rows& rows) {
  if (!rows.damage().ok()) damage_.emplace(table, rows.damage());
}

std::string_view Recording::string(int64_t id) {
  const auto found = strings_.find(id);
  if (found != strings_.end()) return growth_.takes(found->second.size()) ? found->second : std::string_view();
  ++unnamed_;
  return strings_.emplace(id, fmt::format("(no name: string {})", id)).first->second;
}

/// A text where a number should stand is the name itself.
std::string_view Recording::name(const sqlite::Rows& rows, int column) {
  if (rows.is_integer(column) || rows.is_null(column)) return string(rows.integer(column));
  return rows.text(column);
}

std::optional<Span> Recording::span(const sqlite::Rows& rows, int start, int end) {
  Span out{rows.integer(start), rows.integer(end)};
  const bool ends = rows.is_integer(end);
  if (!rows.is_integer(start) || (!ends && !rows.is_null(end)) || std::max(out.start_ns, out.end_ns) > kLatestNs ||
      std::min(out.start_ns, out.end_ns) < -kLatestNs) {
    ++absurd_;
    return std::nullopt;
  }
  if (!ends) out.end_ns = out.start_ns;
  negative_ += out.end_ns < out.start_ns;
  out.end_ns = std::max(out.start_ns, out.end_ns);
  return out;
}

Process& Recording::process_that_uses_a_gpu(int64_t global_id) {
  const uint64_t id = process_part(global_id);
  std::unique_ptr<Process>& process = processes_[id];
  if (process == nullptr) {
    process = std::make_unique<Process>(id, file_, base_ns_);
    process->builder.keep_driver_calls();
    process->builder.end();
  }
  return *process;
}

Process& Recording::process_of(int64_t global_id) {
  const auto found = processes_.find(process_part(global_id));
  if (found != processes_.end()) return *found->second;
  return processes_.empty() ? process_that_uses_a_gpu(global_id) : *processes_.begin()->second;
}

void Recording::take_clock() {
  sqlite::Rows texts = rows("StringIds", {"id", "value"});
  while (texts.next()) {
    const std::string_view text = texts.text(1);
    wrong_texts_ += !is_utf8(text);
    strings_.emplace(texts.integer(0), printable(text));
  }
  end("StringIds", texts);
  sqlite::Rows start = rows("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"});
  if (start.next() && start.integer(0) > 0 && start.integer(0) < kSince1970Ns) base_ns_ = start.integer(0);
  end("TARGET_INFO_SESSION_START_TIME", start);
}

/// The builder knows threads by their global ids.
void Recording::name_threads(Profile& profile) {
  for (size_t row = 0; row < profile.threads.size(); ++row) {
    const auto global_id = static_cast<uint64_t>(parse_int(profile.text(profile.threads.thread[row])).value_or(0));
    profile.threads.process.at(row) =
        profile.strings.intern(fmt::format("{}", global_id >> kProcessShift & kProcessMask));
    profile.threads.thread.at(row) = profile.strings.intern(fmt::format("{}", global_id & kProcessMask));
  }
}

Result<std::vector<Profile>> Recording::read() {
  take_clock();
  read_kernels();
  read_copies();
  read_sets();
  read_whole_graphs();
  read_calls();
  read_memory_usage();
  read_synchronizations();
  read_ranges();
  read_thread_names();
  read_overheads();
  read_spans();
  read_samples();
  read_gpu_metrics();
  WL_TRY(growth_.check(file_));
  if (processes_.empty()) process_that_uses_a_gpu(0);
  std::vector<Profile> out;
  for (auto& [id, process] : processes_) {
    describe_devices(id, *process);
    process->builder.metadata(process->text("process"), process->text(fmt::format("{}", id & kProcessMask)));
    if (const auto rank = mpi_ranks_.find(id); rank != mpi_ranks_.end())
      process->builder.metadata(process->text("rank"), process->text(fmt::format("{}", rank->second)));
    Profile& profile =
        out.emplace_back(process->builder.finish({.has_totals = true}));  // SQLite tells a cut file itself
    name_threads(profile);
  }
  tell_damage(out.front());
  tell_diagnostics(out.front());
  tell_left_out(out.front());
  return out;
}

}  // namespace warplens::nsys
