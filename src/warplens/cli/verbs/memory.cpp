// warplens memory: what a PyTorch memory snapshot shows.
#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/explain_flag.h"
#include "warplens/cli/gate.h"
#include "warplens/cli/memory_page.h"
#include "warplens/cli/verb.h"
#include "warplens/launch/read_input.h"
#include "warplens/memory/analysis.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

using memory::DeviceMemory;
using memory::MemoryReport;

std::string bytes_text(int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

std::string device_text(const DeviceMemory& d, size_t limit, size_t width) {
  std::string out = fmt::format("GPU {}: {}\n{}\n\n", d.device, memory_state_text(d), memory_peak_text(d));
  out +=
      styled("Holders of memory at the peak", Style::kBold) + '\n' + to_terminal(memory_owners_table(d, limit), width);
  if (d.owners.size() > limit) out += fmt::format("{} more places (--limit 0 shows all)\n", d.owners.size() - limit);
  if (!d.slices.empty()) {
    Table table = memory_growth_table(d);
    const size_t steps = table.rows.size();
    if (steps > limit) table.rows.resize(limit);
    out += '\n' + styled(memory_growth_title(d), Style::kBold) + '\n' + to_terminal(table, width);
    if (steps > limit) out += fmt::format("{} more steps (--limit 0 shows all)\n", steps - limit);
  }
  return out + '\n';
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings)
    out += fmt::format("{} {}: {}\n  {}\n  do: {}\n",
                       styled(level_name(finding.level), style_of(finding.level, Style::kDim)), finding.id,
                       finding.title, finding.detail, finding.advice);
  return out;
}

void write_device(json::Writer& writer, const DeviceMemory& d) {
  writer.begin_object()
      .member("device", d.device)
      .member("reserved_bytes", d.reserved_bytes)
      .member("allocated_bytes", d.allocated_bytes)
      .member("requested_bytes", d.requested_bytes)
      .member("largest_free_bytes", d.largest_free_bytes)
      .member("free_pieces", d.free_pieces)
      .member("stranded_bytes", d.stranded_bytes)
      .member("peak_bytes", d.peak_bytes)
      .member("peak_from_events", d.peak_from_events)
      .member("events", d.events);
  write_rows(writer.key("owners"), memory_owners_table(d, SIZE_MAX));
  write_rows(writer.key("slices"), memory_slices_table(d.slices, "part"));
  writer.member("steps_end_at", d.steps_end_at);
  write_rows(writer.key("steps"), memory_slices_table(d.steps, "step"));
  writer.end_object();
}

std::string as_json(const memory::Snapshot& snapshot, const MemoryReport& report) {
  json::Writer writer;
  writer.begin_object()
      .member("schema_version", kSchemaVersion)
      .member("unknown_actions", snapshot.unknown_actions)
      .member("broken_entries", snapshot.broken_entries)
      .key("devices")
      .begin_array();
  for (const DeviceMemory& device : report.devices) write_device(writer, device);
  writer.end_array().key("findings").begin_array();
  for (const Finding& finding : report.findings) {
    writer.begin_object()
        .member("id", finding.id)
        .member("severity", level_name(finding.level))
        .member("title", finding.title)
        .member("detail", finding.detail)
        .member("advice", finding.advice);
    write_evidence(writer, finding);
    writer.list("where", finding.where).end_object();
  }
  return writer.end_array().end_object().take() + '\n';
}

/// --fail-on: a GPU's peak is above it. Without a history the peak is not known, unless the snapshot itself is above.
Result<int> judge(const Invocation& invocation, const MemoryReport& report) {
  if (!invocation.has("--fail-on")) return kExitOk;
  WL_ASSIGN(const int64_t most, invocation.bytes("--fail-on"));
  Gate gate(invocation, "memory");
  bool known = !report.devices.empty();
  for (const DeviceMemory& device : report.devices) {
    const bool above = device.peak_bytes > most;
    const std::string peak = fmt::format("{} allocated at the peak, {} {}", bytes_text(device.peak_bytes),
                                         above ? "above" : "within", invocation.text("--fail-on"));
    known &= above || device.peak_from_events;
    gate.add({fmt::format("GPU {}", device.device), above ? Outcome::kFailed : Outcome::kPassed, peak,
              memory_state_text(device)});
  }
  if (known || gate.crossed()) return gate.exit_code();
  return gate.cannot_judge(
      invalid_input("--fail-on cannot judge: the snapshot has no history, so the peak is not known. Call "
                    "torch.cuda.memory._record_memory_history() first"));
}

Result<int> run_memory(const Invocation& invocation) {
  if (invocation.has("--explain")) return explain_finding(invocation, explain::Scope::kMemory);
  if (invocation.operands.size() != 1)
    return usage_error("give one snapshot (torch.cuda.memory._dump_snapshot writes it)");
  WL_ASSIGN(size_t limit, invocation.count("--limit"));
  if (limit == 0) limit = SIZE_MAX;
  WL_ASSIGN(std::string bytes, launch::read_input(invocation.operands[0]));
  const bool is_pickle = bytes.starts_with('\x80');  // of protocol 2 and later, as PyTorch writes them
  const Result<memory::Snapshot> snapshot = memory::read_snapshot(std::move(bytes));
  const bool refused = !snapshot.ok() && contains(snapshot.status().message(), "refused");  // of any protocol
  if (!snapshot.ok() && !is_pickle && !refused)
    return invalid_input(
        fmt::format("{}: not a memory snapshot. torch.cuda.memory._dump_snapshot writes one. If this is a trace "
                    "that was recorded with profile_memory=True, `warplens findings` shows its peak",
                    invocation.operands[0]));
  if (!snapshot.ok()) return snapshot.status().in(invocation.operands[0]);
  const MemoryReport report = memory::analyse(snapshot.value());
  WL_ASSIGN(const int code, judge(invocation, report));
  if (invocation.format() == Format::kJson) {
    WL_TRY(invocation.emit(as_json(snapshot.value(), report)));
    return code;
  }
  if (report.devices.empty()) return invalid_input(invocation.operands[0] + ": " + kNoGpuMemory);
  std::string text;
  for (const DeviceMemory& device : report.devices) {
    if (invocation.format() == Format::kTable) text += device_text(device, limit, terminal_width());
    else if (invocation.format() == Format::kCsv) text += to_csv(memory_owners_table(device, limit));
    else
      text += fmt::format("GPU {}\n\n{}\n{}\n", device.device, to_markdown(memory_owners_table(device, limit)),
                          to_markdown(memory_growth_table(device)));
  }
  if (invocation.format() != Format::kCsv) {
    text += report.findings.empty() ? std::string("no findings: ") + kNoMemoryFindings + "\n"
                                    : findings_text(report.findings);
    for (const std::string& each : memory_left_out(snapshot.value())) text += each + '\n';
  }
  WL_TRY(invocation.emit_for_people(text));
  return code;
}

}  // namespace

extern const Verb kMemory;
const Verb kMemory = {
    "memory",
    "show GPU memory at the peak, from a PyTorch snapshot",
    "SNAPSHOT",
    "Reads snapshots of torch.cuda.memory._dump_snapshot. A snapshot is a pickle, which Python would run. Here "
    "nothing in it runs, and anything but plain data is refused. Call torch.cuda.memory._record_memory_history() "
    "first to get a history. The history shows the holders at the peak, growth, memory that is never freed, and the "
    "cause of a failed allocation.",
    {{"--limit", "N", "places shown; 0: all", "20"},
     {"--fail-on", "SIZE", "exit with 3 if a GPU's peak is above this: 20GiB"},
     explain_flag()},
    {{"warplens memory snapshot.pickle", "holders at the peak, and problems"},
     {"warplens memory snapshot.pickle --json", "the same for scripts"},
     {"warplens memory snapshot.pickle --fail-on 20GiB", "for CI: fails if the peak is higher"}},
    run_memory};

}  // namespace warplens::cli
