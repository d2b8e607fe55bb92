// What the host did: API calls, time that the profiler took, and spans of the libraries that nsys traces.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "warplens/base/letter_case.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/nsys/recording.h"

namespace warplens::nsys {
namespace {

// ENUM_CUPTI_OVERHEAD_TYPE, in the words of torch's traces.
constexpr const char* kOverheads[] = {"Undefined",
                                      "Unknown",
                                      "Driver Compiler",
                                      "Buffer Flush",
                                      "Instrumentation",
                                      "Resource",
                                      "Runtime Triggered Module Loading",
                                      "Lazy Function Loading",
                                      "Command Buffer Full"};

/// "cuLaunchKernel", which is the driver's, but not "cudaLaunchKernel" or "cublasCreate".
bool is_driver_call(std::string_view name) {
  return name.starts_with("cu") && name.size() > 2 && std::isupper(static_cast<unsigned char>(name[2])) != 0;
}

}  // namespace

std::string_view without_version(std::string_view call) {
  const size_t at = call.rfind("_v");
  if (at == std::string_view::npos || call.size() - at < 6) return call;  // "_v2" is part of a driver call's name
  const std::string_view digits = call.substr(at + 2);
  return std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; })
             ? call.substr(0, at)
             : call;
}

void Recording::read_calls() {
  const std::string table = "CUPTI_ACTIVITY_KIND_RUNTIME";
  sqlite::Rows row = rows(table, {"start", "end", "globalTid", "nameId", "correlationId"});
  while (row.next()) {
    const auto at = span(row, 0, 1);
    if (!at) continue;
    recorded::Builder& builder = process_that_uses_a_gpu(row.integer(2)).builder;
    const std::string_view call = without_version(name(row, 3));
    const int64_t start_ns = builder.local(absolute(at->start_ns));
    append(builder.profile().calls, {.start_ns = start_ns,
                                     .duration_ns = builder.local(absolute(at->end_ns)) - start_ns,
                                     .name = builder.profile().strings.intern(call),
                                     .thread = builder.thread_row(static_cast<uint64_t>(row.integer(2))),
                                     .kind = is_driver_call(call) ? CallKind::kDriver : CallKind::kRuntime,
                                     .correlation = row.integer(4)});
  }
  end(table, row);
  leave_out_nested_calls();
}

/// Some versions of nsys record the call that a program made and, within it, the one that CUPTI saw. The work on the
/// device has the correlation of both; the outer one is the program's.
void Recording::leave_out_nested_calls() {
  for (const auto& [id, process] : processes_) {
    calls_table& calls = process->builder.profile().calls;
    std::unordered_map<int64_t, uint32_t> outer;  // by correlation
    std::vector<bool> nested(calls.size());
    const auto holds = [&](uint32_t a, uint32_t b) {
      return calls.thread[a] == calls.thread[b] && calls.start_ns[a] <= calls.start_ns[b] &&
             calls.start_ns[a] + calls.duration_ns[a] >= calls.start_ns[b] + calls.duration_ns[b];
    };
    for (uint32_t row = 0; row < calls.size(); ++row) {
      if (calls.correlation[row] == 0) continue;
      const auto [known, is_first] = outer.try_emplace(calls.correlation[row], row);
      if (is_first) continue;
      if (holds(known->second, row)) {
        nested[row] = true;
      } else if (holds(row, known->second)) {
        nested[known->second] = true;
        known->second = row;
      }
    }
    const auto count = std::count(nested.begin(), nested.end(), true);
    if (count == 0) continue;
    nested_calls_ += count;
    calls_table kept;
    for (size_t row = 0; row < calls.size(); ++row) {
      if (!nested[row]) append(kept, row_of(calls, row));
    }
    calls = std::move(kept);
  }
}

/// Names of overheads' types: the file's own where it lists them, for it may be newer than the list here.
std::map<int64_t, std::string> Recording::overhead_types() {
  std::map<int64_t, std::string> out;
  for (size_t i = 0; i < std::size(kOverheads); ++i) out.emplace(i, kOverheads[i]);
  const std::string table = "ENUM_CUPTI_OVERHEAD_TYPE";
  sqlite::Rows row = rows(table, {"id", "label"});
  while (row.next())
    if (!row.is_null(1) && row.integer(0) >= static_cast<int64_t>(std::size(kOverheads)))
      out.insert_or_assign(row.integer(0), std::string(row.text(1)));
  end(table, row);
  return out;
}

void Recording::read_overheads() {
  const std::map<int64_t, std::string> types = overhead_types();
  for (const std::string table : {"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"}) {
    sqlite::Rows row = rows(table, {"start", "end", "globalTid", "nameId", "overheadType"});
    while (row.next()) {
      const auto at = span(row, 0, 1);
      if (!at) continue;
      recorded::Builder& builder = process_of(row.integer(2)).builder;
      const int64_t type = row.integer(4, -1);
      const auto known = types.find(type);
      const std::string text = !row.is_null(3)        ? std::string(name(row, 3))
                               : known != types.end() ? known->second
                                                      : fmt::format("overhead of type {}", type);
      append(builder.profile().overheads, {.start_ns = at->start_ns + base_ns_ - builder.profile().base_ns,
                                           .duration_ns = at->end_ns - at->start_ns,
                                           .name = builder.profile().strings.intern(text),
                                           .thread = builder.thread_row(static_cast<uint64_t>(row.integer(2)))});
    }
    end(table, row);
  }
}

/// Whatever has a begin, an end, a thread and a name, as the tables of libraries have: OSRT_API, CUBLAS_EVENTS, ...
void Recording::read_spans() {
  for (const auto& [table, columns] : database_.tables()) {
    if (std::find(read_tables_.begin(), read_tables_.end(), table) != read_tables_.end()) continue;
    const bool texts = database_.has(table, "textId") && !database_.has(table, "nameId");
    if (!database_.has(table, "start") || !database_.has(table, "end") || !database_.has(table, "globalTid")) continue;
    if (!texts && !database_.has(table, "nameId")) continue;
    sqlite::Rows row = rows(table, {"start", "end", "globalTid", texts ? "textId" : "nameId", "returnValue"});
    while (row.next()) {
      const auto at = span(row, 0, 1);
      if (!at) continue;
      recorded::Builder& builder = process_of(row.integer(2)).builder;
      Profile& profile = builder.profile();
      const StringId args = row.integer(4) == 0
                                ? StringId::kEmpty
                                : profile.strings.intern(fmt::format("{{\"returned\": {}}}", row.integer(4)));
      append(profile.other_events, {.start_ns = at->start_ns + base_ns_ - profile.base_ns,
                                    .duration_ns = at->end_ns - at->start_ns,
                                    .name = profile.strings.intern(name(row, 3)),
                                    .category = profile.strings.intern(lower(table)),
                                    .thread = builder.thread_row(static_cast<uint64_t>(row.integer(2))),
                                    .args = args,
                                    .phase = 'X'});
    }
    end(table, row);
  }
}

/// Only of threads that did something: nsys names every thread of the machine.
void Recording::read_thread_names() {
  const std::string table = "ThreadNames";
  std::unordered_map<int64_t, std::string> names;
  sqlite::Rows row = rows(table, {"globalTid", "nameId"});
  while (row.next()) names.emplace(row.integer(0), std::string(name(row, 1)));
  end(table, row);
  for (const auto& [id, process] : processes_) {
    Profile& profile = process->builder.profile();
    for (size_t i = 0; i < profile.threads.size(); ++i) {
      const auto found = names.find(parse_int(profile.text(profile.threads.thread[i])).value_or(0));
      if (profile.threads.name[i] == StringId::kEmpty && found != names.end())
        profile.threads.name.at(i) = profile.strings.intern(found->second);
    }
  }
}

}  // namespace warplens::nsys
