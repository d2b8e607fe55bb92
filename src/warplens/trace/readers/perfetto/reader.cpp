// Perfetto's format as a reader: what its packets left out is told.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/trace/events/perfetto_fields.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/perfetto/perfetto.h"

namespace warplens {
namespace perfetto {
namespace {

/// What packets of a field hold, where they are no tracks.
std::string packets_text(const std::map<uint32_t, int64_t>& packets) {
  static constexpr std::pair<uint32_t, const char*> kNames[] = {
      {1, "ftrace events"},          {2, "process trees"},       {5, "Chrome's old events"},
      {9, "process statistics"},     {33, "trace settings"},     {35, "trace statistics"},
      {36, "synchronization marks"}, {39, "Android's log"},      {43, "process names"},
      {45, "system facts"},          {50, "compressed packets"}, {52, "GPU counters"},
      {53, "GPU render stages"},     {66, "samples of perf"},    {89, "markers"}};
  std::vector<std::string> out;
  for (const auto& [field, count] : packets) {
    const auto* known =
        std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& n) { return n.first == field; });
    out.push_back(
        fmt::format("{} of {}", count, known != std::end(kNames) ? known->second : fmt::format("kind {}", field)));
  }
  return join(out, ", ");
}

void tell(const Converted& from, const std::string& file, Integrity& integrity) {
  const auto warn = [&](const char* id, int64_t count, const std::string& what, const char* advice) {
    if (count > 0) integrity.add(id, Severity::kWarning, count, fmt::format("{}: {} {}", file, count, what), advice);
  };
  std::map<uint32_t, int64_t> told = from.left_out;
  int64_t left = 0;
  for (const uint32_t known : {33U, 35U, 36U, 45U, 89U}) told.erase(known);  // say nothing of what ran
  for (const auto& [field, count] : told) left += count;
  if (left > 0)
    integrity.add("packets-not-read", Severity::kWarning, left,
                  fmt::format("{}: {} packets hold no tracks and are not read: {}", file, left, packets_text(told)),
                  told.contains(kCompressedPackets) ? "unpack it first: traceconv decompress_packets FILE OUT"
                                                    : "no report includes them; Perfetto shows them");
  warn("packets-lost", from.dropped, "times the recorder lost packets before they were written",
       "record again with a larger buffer: spans are missing");
  warn("packets-without-state", from.without_state, "events name texts that were lost, and are left out",
       "record again with a larger buffer, or stop the recording before the buffer wraps");
  warn("unknown-clock", from.unknown_clock, "events use a clock that the trace does not describe, and are left out",
       "record again with clock snapshots");
  warn("ends-without-begin", from.unopened, "spans began before the recording; their ends are left out",
       "nothing to do at the start of a trace; elsewhere spans are missing");
  warn("begins-without-end", from.unclosed, "spans had not ended when the recording did; they last to its end",
       "record until the work is done");
  warn("no-track", from.without_track, "events without a track are on a separate track",
       "check the program that wrote the trace");
}

Status read(Input& input, const ReadOptions& options, Profile& profile) {
  WL_ASSIGN(const std::string bytes, input.read_all());
  Converted converted = to_trace_events(bytes);
  WL_TRY(converted.growth.check(input.name()));
  const bool damaged = converted.damaged || !input.damage().ok();
  if (converted.events == 0)
    return invalid_input(fmt::format("{}: a Perfetto trace without an event of a track{}{}", input.name(),
                                     converted.left_out.empty() ? "" : ": it holds " + packets_text(converted.left_out),
                                     damaged ? ", and is cut off or damaged" : ""));
  Input events = Input::of_bytes(input.name(), std::exchange(converted.json, std::string()));
  WL_TRY(read_input(events, options, profile));
  tell(converted, input.name(), profile.integrity);
  if (damaged)
    profile.integrity.add("damaged-file", Severity::kError, 1,
                          fmt::format("{}: the trace is cut off or damaged; {} whole events were read before",
                                      input.name(), converted.events),
                          "the rest of the recording is missing: copy or record it again");
  return {};
}

}  // namespace
}  // namespace perfetto

extern const TraceFormat kPerfetto;
const TraceFormat kPerfetto = {"Perfetto's traces", perfetto::sniff, perfetto::read};

}  // namespace warplens
