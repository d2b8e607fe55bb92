// Spans that no category of kineto's names: those of other writers, above all XLA's (JAX, TensorFlow), and the rest.
#include <algorithm>
#include <map>
#include <optional>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/kineto/rank_builder.h"

namespace warplens::kineto {
namespace {

struct DeviceLine {
  int32_t ordinal;
  int64_t stream;
};

/// A line of work by the names of its process and thread: of "/device:GPU:0" the thread "Stream
/// #14(Compute,MemcpyD2D)", of "/device:TPU:3" the thread "XLA Ops"; TensorFlow 1 wrote ".../device:GPU:0/stream:14
/// Compute" as a process. ROCm's rpd names the process "GPU2" and numbers its queues as threads. Other lines show the
/// same work again, by module, name scope or source: their stream is kDerived.
constexpr int64_t kDerived = -1;

std::optional<int64_t> number_behind(std::string_view text, std::string_view key) {
  const size_t found = text.find(key);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(found + key.size());
  return parse_int(rest.substr(0, rest.find_first_not_of("0123456789")));
}

std::optional<DeviceLine> device_line(std::string_view process, std::string_view thread, std::string_view thread_id) {
  if (const auto rpd = process.starts_with("GPU") ? parse_int(process.substr(3)) : std::nullopt)
    return DeviceLine{static_cast<int32_t>(*rpd), parse_int(thread_id).value_or(0)};
  const auto gpu = number_behind(process, "/device:GPU:"), tpu = number_behind(process, "/device:TPU:");
  if (!gpu && !tpu) return std::nullopt;
  const auto stream = number_behind(contains(process, "/stream:") ? process : thread,
                                    contains(process, "/stream:") ? "/stream:" : "Stream #");
  return DeviceLine{static_cast<int32_t>(gpu ? *gpu : *tpu),
                    thread == "XLA Ops" && tpu ? 0 : stream.value_or(kDerived)};
}

CopyKind copy_kind(std::string_view name) {
  if (contains(name, "H2D") || contains(name, "HtoD") || contains(name, "HostToDevice")) return CopyKind::kHostToDevice;
  if (contains(name, "D2H") || contains(name, "DtoH") || contains(name, "DeviceToHost")) return CopyKind::kDeviceToHost;
  if (contains(name, "D2D") || contains(name, "DtoD") || contains(name, "DeviceToDevice"))
    return CopyKind::kDeviceToDevice;
  return contains(name, "P2P") || contains(name, "PtoP") ? CopyKind::kPeerToPeer : CopyKind::kOther;
}

bool is_driver_call(std::string_view name) {
  return contains(name, "Launch") || contains(name, "Memcpy") || contains(name, "Memset") ||
         contains(name, "Synchronize");
}

int64_t number(const json::Value& args, const char* key) {
  const json::Value* found = args.find(key);
  if (found == nullptr) return 0;
  if (found->string() != nullptr) return parse_int(*found->string()).value_or(0);
  return found->integer().value_or(0);
}

/// The numbers behind `key` in "regs:60 static_shared:0 dynamic_shared:9216 grid:8,32,1 block:128,1,1 occ_pct:50".
std::vector<int64_t> detail(std::string_view details, std::string_view key) {
  for (const std::string_view part : split(details, ' ')) {
    if (!part.starts_with(key) || part.size() <= key.size() || part[key.size()] != ':') continue;
    std::vector<int64_t> values;
    for (const std::string_view value : split(part.substr(key.size() + 1), ','))
      values.push_back(parse_int(value.substr(0, value.find('.'))).value_or(0));
    return values;
  }
  return {};
}

std::string text_of(const json::Value& args, const char* key) {
  const json::Value* found = args.find(key);
  return found != nullptr && found->string() != nullptr ? *found->string() : std::string();
}

std::optional<launch_configs_row> launch_config(const json::Value& args) {
  const std::string details = text_of(args, "kernel_details");
  const std::vector<int64_t> grid = detail(details, "grid"), block = detail(details, "block");
  if (grid.size() != 3 || block.size() != 3) return std::nullopt;
  const auto first = [&](const char* key) {
    const std::vector<int64_t> values = detail(details, key);
    return values.empty() ? 0 : values[0];
  };
  const auto small = [](int64_t value) { return static_cast<int32_t>(value); };
  return launch_configs_row{
      .grid_x = small(grid[0]),
      .grid_y = small(grid[1]),
      .grid_z = small(grid[2]),
      .block_x = small(block[0]),
      .block_y = small(block[1]),
      .block_z = small(block[2]),
      .registers_per_thread = small(first("regs")),
      .shared_bytes = first("static_shared") + first("dynamic_shared"),
      .occupancy = detail(details, "occ_pct").empty() ? -1 : static_cast<double>(first("occ_pct")) / 100};
}

}  // namespace

void RankBuilder::adopt_foreign_spans() {
  for (const SpanTable table : kSpanTables) {
    const auto [name, starts, durations] = span_columns(profile_, table);
    if (table == SpanTable::kOther || starts.size() <= first_rows_[name]) continue;
    note_unknown_categories();
    return;
  }
  std::map<StringId, std::string_view> process_names;
  for (const NameMark& mark : names_) {
    if (mark.of_process) process_names[mark.thread.process] = profile_.text(mark.name);
  }
  other_events_table kept;
  int64_t ranges = 0, aside = 0, no_spans = 0;
  for (size_t i = 0; i < profile_.other_events.size(); ++i) {
    const other_events_row event = row_of(profile_.other_events, i);
    if (i < first_rows_["other_events"] || event.phase != 'X' || profile_.text(event.category) == "Trace") {
      append(kept, event);
      no_spans += i >= first_rows_["other_events"] && event.phase != 'X';
      continue;
    }
    const threads_row thread = row_of(profile_.threads, event.thread);
    if (const auto line =
            device_line(process_names[thread.process], profile_.text(thread.name), profile_.text(thread.thread))) {
      if (line->stream == kDerived) {
        append(kept, event);
        ++aside;
      } else {
        add_foreign_device_event(event, line->ordinal, line->stream);
      }
    } else if (!add_foreign_call(event)) {
      ++ranges;
      append(profile_.operators, {.start_ns = event.start_ns,
                                  .duration_ns = event.duration_ns,
                                  .name = event.name,
                                  .thread = event.thread,
                                  .kind = OperatorKind::kRange,
                                  .sequence_number = -1,
                                  .module = event.category,
                                  .args = event.args});
    }
  }
  profile_.other_events = std::move(kept);
  const bool has_devices = profile_.device_events.size() > first_rows_["device_events"];
  const bool is_xla =
      std::ranges::any_of(process_names, [](const auto& each) { return each.second.starts_with("/host:"); });
  if (!has_devices && ranges > 0 && is_xla)
    profile_.integrity.add(
        "no-device", Severity::kInfo, ranges,
        fmt::format("{}: XLA's profiler recorded {} spans of the host, and no GPU or TPU", name_, ranges),
        "the file has no device work");
  else if (!has_devices && ranges > 0)
    profile_.integrity.add("spans-of-unknown-kind", Severity::kWarning, ranges,
                           fmt::format("{}: {} spans have no category of torch.profiler and no device of XLA's "
                                       "profiler, so all are read as ranges of the host",
                                       name_, ranges),
                           "device work and host work look alike; record with torch.profiler");
  else if (!has_devices && no_spans > 0)
    profile_.integrity.add("no-spans", Severity::kWarning, no_spans,
                           fmt::format("{}: its {} events are asynchronous or of other kinds, and none is a span of a "
                                       "thread: reports show nothing of them",
                                       name_, no_spans),
                           "`warplens query` has them in other_events");
  if (aside > 0)
    profile_.integrity.add(
        "derived-lines", Severity::kInfo, aside,
        fmt::format("{}: {} spans show the device's work again by module, scope or source", name_, aside),
        "they are in other_events, and are not counted");
}

void RankBuilder::add_foreign_device_event(const other_events_row& event, int32_t ordinal, int64_t stream) {
  const Result<json::Value> parsed = json::parse(profile_.text(event.args));
  const json::Value args = parsed.ok() ? parsed.value() : json::Value();
  const std::string name(profile_.text(event.name));
  const bool is_copy = name.starts_with("Memcpy") || name.starts_with("CopyHostTo") || name.starts_with("CopyDeviceTo"),
             is_set = name.starts_with("Memset") || name == "FillBuffer";
  uint32_t config = kNone;
  if (const auto found = launch_config(args); found && !is_copy && !is_set) {
    const auto [row, is_new] = configs_.try_emplace(*found, static_cast<uint32_t>(profile_.launch_configs.size()));
    if (is_new) append(profile_.launch_configs, *found);
    config = row->second;
  }
  const std::vector<int64_t> bytes = detail(text_of(args, "memcpy_details"), "size");
  append(profile_.device_events, {.start_ns = event.start_ns,
                                  .duration_ns = event.duration_ns,
                                  .name = event.name,
                                  .kind = is_copy  ? DeviceEventKind::kCopy
                                          : is_set ? DeviceEventKind::kSet
                                                   : DeviceEventKind::kKernel,
                                  .device = device_row(ordinal),
                                  .stream = stream,
                                  .correlation = number(args, "correlation_id"),
                                  .bytes = bytes.empty() ? 0 : bytes[0],
                                  .copy_kind = is_copy ? copy_kind(name) : CopyKind::kNone,
                                  .launch_config = config,
                                  .collective = kNone,
                                  .args = event.args});
}

bool RankBuilder::add_foreign_call(const other_events_row& event) {
  const std::string_view name = profile_.text(event.name);
  if (!(name.starts_with("cu") || name.starts_with("hip")) || !is_driver_call(name)) return false;
  const Result<json::Value> args = json::parse(profile_.text(event.args));
  const int64_t correlation = args.ok() ? number(args.value(), "correlation_id") : 0;
  if (correlation == 0) return false;
  append(profile_.calls, {.start_ns = event.start_ns,
                          .duration_ns = event.duration_ns,
                          .name = event.name,
                          .thread = event.thread,
                          .kind = CallKind::kDriver,
                          .correlation = correlation});
  return true;
}

void RankBuilder::note_unknown_categories() {
  std::map<std::string_view, int64_t> unknown;
  const other_events_table& others = profile_.other_events;
  for (size_t i = first_rows_["other_events"]; i < others.size(); ++i) {
    if (others.phase[i] == 'X') ++unknown[profile_.text(others.category[i])];
  }
  unknown.erase("Trace");
  if (const auto found = unknown.find("cuda_profiler_range"); found != unknown.end()) {
    profile_.integrity.add("counters-instead-of-kernels", Severity::kWarning, found->second,
                           fmt::format("{}: {} kernels were recorded by CUPTI's range profiler, which counts but does "
                                       "not time: their spans show the measurement, not the kernel",
                                       name_, found->second),
                           "their counters are in other_events; for times record without profiler_metrics");
    unknown.erase(found);
  }
  for (const auto& [category, count] : unknown)
    profile_.integrity.add("unknown-categories", Severity::kWarning, count,
                           fmt::format("{}: {} spans of the category '{}' are in other_events, and are not counted",
                                       name_, count, category),
                           "device work among them is missing from every sum");
}

}  // namespace warplens::kineto
