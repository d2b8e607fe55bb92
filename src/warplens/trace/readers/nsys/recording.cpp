#include "warplens/trace/readers/nsys/recording.h"

#include <algorithm>

#include "warplens/base/printable.h"
#include "warplens/base/text.h"

namespace warplens::nsys {
namespace {

constexpr int64_t kLatestNs = int64_t{1} << 60;     // 36 years: beyond it a time is absurd
constexpr int64_t kSince1970Ns = int64_t{1} << 61;  // 73 years

uint64_t process_part(int64_t global_id) { return static_cast<uint64_t>(global_id) >> kProcessShift; }

}  // namespace

uint32_t Process::text(std::string_view text) {
  const auto id = static_cast<uint32_t>(builder.profile().strings.intern(text));
  builder.text(id, text);
  return id;
}

Recording::Recording(const sqlite::Database& database, std::string file)
    : database_(database), file_(std::move(file)) {}

sqlite::Rows Recording::rows(const std::string& table, const std::vector<const char*>& columns) {
  read_tables_.push_back(table);
  return database_.rows(table, columns);
}

void Recording::end(const std::string& table, const sqlite::Rows& rows) {
  if (!rows.damage().ok()) damage_.emplace(table, rows.damage());
}

std::string_view Recording::string(int64_t id) {
  const auto found = strings_.find(id);
  if (found != strings_.end()) return found->second;
  ++unnamed_;
  return strings_.emplace(id, fmt::format("(no name: string {})", id)).first->second;
}

std::string_view Recording::name(const sqlite::Rows& rows, int column) { return string(rows.integer(column)); }

std::optional<Span> Recording::span(const sqlite::Rows& rows, int start, int end) {
  Span out{rows.integer(start), rows.integer(end)};
  if (rows.is_null(start) || std::max(out.start_ns, out.end_ns) > kLatestNs ||
      std::min(out.start_ns, out.end_ns) < -kLatestNs) {
    ++absurd_;
    return std::nullopt;
  }
  if (rows.is_null(end)) out.end_ns = out.start_ns;
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

std::vector<Profile> Recording::read() {
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
