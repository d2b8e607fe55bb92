#include "warplens/trace/readers/xplane/xplane.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "warplens/base/json.h"
#include "warplens/base/printable.h"
#include "warplens/base/protobuf.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/trace/readers/format.h"

namespace warplens {
namespace xplane {
namespace {

using protobuf::Field;
using protobuf::Message;
using protobuf::Wire;

// Numbers of fields, from tsl/profiler/protobuf/xplane.proto.
enum InSpace : uint32_t { kPlane = 1, kErrors = 2, kWarnings = 3 };
enum InPlane : uint32_t { kPlaneName = 2, kLine = 3, kEventMetadata = 4, kStatMetadata = 5, kPlaneStat = 6 };
enum InLine : uint32_t { kLineId = 1, kLineName = 2, kTimestampNs = 3, kEvent = 4, kDisplayId = 10, kDisplayName = 11 };
enum InEvent : uint32_t { kMetadataId = 1, kOffsetPs = 2, kDurationPs = 3, kEventStat = 4, kOccurrences = 5 };
enum InStat : uint32_t { kStatId = 1, kDouble = 2, kUnsigned = 3, kSigned = 4, kText = 5, kBytes = 6, kReference = 7 };
enum InMetadata : uint32_t { kName = 2, kMetadataDisplayName = 4, kMetadataStat = 5 };

struct EventName {
  std::string_view name, display;
};

struct Names {
  std::unordered_map<uint64_t, EventName> events;
  std::unordered_map<uint64_t, std::string_view> stats;
};

class Converter {
 public:
  Converter(Converted* out, uint64_t space_bytes) : out_(*out), w_(&out->json) {
    out_.json = "{\"traceEvents\": [";
    out_.growth = Growth(space_bytes);
  }

  void space(std::string_view bytes) {
    Message fields(bytes);
    for (Field field; fields.next(&field);) {
      if (field.wire != Wire::kBytes) continue;
      if (field.number == kPlane) plane(field.bytes, ++planes_);
      if (field.number == kErrors || field.number == kWarnings) out_.told.emplace_back(field.bytes);
    }
    out_.damaged |= fields.damaged();
    out_.json += "]}";
  }

 private:
  void item(const std::string& text) {
    if (!out_.growth.takes(text.size())) return;
    if (!first_) *w_ += ",\n";
    first_ = false;
    *w_ += text;
  }

  void name(const char* what, uint64_t plane, uint64_t line, std::string_view name) {
    item(fmt::format("{{\"ph\": \"M\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"args\": {{\"name\": {}}}}}", what,
                     plane, line, json::quoted(printable(name))));
  }

  Names names_of(std::string_view plane) {
    Names out;
    Message fields(plane);
    for (Field field; fields.next(&field);) {
      out_.left_out += field.number == kPlaneStat;
      if (field.wire != Wire::kBytes || (field.number != kEventMetadata && field.number != kStatMetadata)) continue;
      const uint64_t id = protobuf::find(field.bytes, 1).value;
      const std::string_view metadata = protobuf::find(field.bytes, 2).bytes;
      if (field.number == kStatMetadata) out.stats[id] = protobuf::find(metadata, kName).bytes;
      else out.events[id] = event_name(metadata);
    }
    out_.damaged |= fields.damaged();
    return out;
  }

  EventName event_name(std::string_view metadata) {
    EventName out;
    Message fields(metadata);
    for (Field field; fields.next(&field);) {
      if (field.number == kName) out.name = field.bytes;
      if (field.number == kMetadataDisplayName) out.display = field.bytes;
      out_.left_out += field.number == kMetadataStat;
    }
    out_.damaged |= fields.damaged();
    return out;
  }

  void plane(std::string_view bytes, uint64_t number) {
    const Names names = names_of(bytes);
    name("process_name", number, 0, protobuf::find(bytes, kPlaneName).bytes);
    Message fields(bytes);
    for (Field field; fields.next(&field);) {
      if (field.number == kLine && field.wire == Wire::kBytes) line(field.bytes, number, names);
    }
  }

  void line(std::string_view bytes, uint64_t plane, const Names& names) {
    uint64_t id = 0, display_id = 0;
    int64_t start_ns = 0;
    std::string_view line_name, display;
    Message fields(bytes);
    for (Field field; fields.next(&field);) {
      if (field.number == kLineId) id = field.value;
      if (field.number == kDisplayId) display_id = field.value;
      if (field.number == kTimestampNs) start_ns = static_cast<int64_t>(field.value);
      if (field.number == kLineName) line_name = field.bytes;
      if (field.number == kDisplayName) display = field.bytes;
    }
    out_.damaged |= fields.damaged();
    const uint64_t number = display_id != 0 ? display_id : id;
    name("thread_name", plane, number, display.empty() ? line_name : display);
    Message events(bytes);
    for (Field field; events.next(&field);) {
      if (field.number == kEvent && field.wire == Wire::kBytes) event(field.bytes, plane, number, start_ns, names);
    }
  }

  void event(std::string_view bytes, uint64_t plane, uint64_t line, int64_t start_ns, const Names& names) {
    if (!out_.growth.fits()) return;
    uint64_t id = 0, offset_ps = 0, duration_ps = 0, occurrences = 0;
    std::string args;
    Message fields(bytes);
    for (Field field; fields.next(&field);) {
      if (field.number == kMetadataId) id = field.value;
      if (field.number == kOffsetPs) offset_ps = field.value;
      if (field.number == kDurationPs) duration_ps = field.value;
      if (field.number == kOccurrences) occurrences = field.value;
      if (field.number == kEventStat && field.wire == Wire::kBytes) args += stat(field.bytes, names, args.empty());
    }
    out_.damaged |= fields.damaged();
    const auto known = names.events.find(id);
    const EventName what = known != names.events.end() ? known->second : EventName{};
    const std::string_view shown = what.display.empty() ? what.name : what.display;
    if (occurrences > 0) return sum(printable(shown), occurrences, duration_ps);  // instead of an offset
    ++out_.events;
    if (!what.display.empty() && what.display != what.name)
      args += fmt::format("{}\"long_name\": {}", args.empty() ? "" : ", ", json::quoted(printable(what.name)));
    item(fmt::format(
        "{{\"ph\": \"X\", \"name\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, \"dur\": {}, \"args\": {{{}}}}}",
        json::quoted(printable(shown)), plane, line, microseconds(start_ns, offset_ps), microseconds(0, duration_ps),
        args));
  }

  void sum(std::string name, uint64_t occurrences, uint64_t duration_ps) {
    if (!out_.growth.takes(name.size())) return;
    const auto times = static_cast<int64_t>(std::min<uint64_t>(occurrences, INT32_MAX));
    ++out_.sums;
    out_.occurrences += times;
    Converted::Sum& of = out_.sums_of[std::move(name)];
    of.occurrences += times;
    of.duration_ns += static_cast<double>(duration_ps) / 1e3;
  }

  /// Exactly: nanoseconds and picoseconds as microseconds with six decimals.
  static std::string microseconds(int64_t ns, uint64_t ps) {
    const auto all_ns = static_cast<int64_t>(static_cast<uint64_t>(ns) + ps / 1000);
    if (all_ns < 0) return fmt::format("{}", all_ns / 1000);  // no time of a computer: the checks tell
    return fmt::format("{}.{:03}{:03}", all_ns / 1000, all_ns % 1000, ps % 1000);
  }

  std::string stat(std::string_view bytes, const Names& names, bool first) {
    std::string value;
    std::string_view key;
    Message fields(bytes);
    for (Field field; fields.next(&field);) {
      const bool is_number = field.wire == Wire::kVarint;
      if (field.number == kStatId) {
        const auto known = names.stats.find(field.value);
        if (known != names.stats.end() && out_.growth.takes(known->second.size())) key = known->second;
      }
      if (field.number == kDouble && field.wire == Wire::kFixed64)
        value = json::Writer().value(field.as_double()).take();
      if (field.number == kUnsigned && is_number) value = fmt::format("{}", field.value);
      if (field.number == kSigned && is_number) value = fmt::format("{}", static_cast<int64_t>(field.value));
      if (field.number == kText && field.wire == Wire::kBytes) value = json::quoted(printable(field.bytes));
      if (field.number == kReference && is_number) {
        const auto known = names.stats.find(field.value);
        const bool fits = known != names.stats.end() && out_.growth.takes(known->second.size());
        value = json::quoted(fits ? printable(known->second) : "");
      }
      out_.left_out += field.number == kBytes;
    }
    out_.damaged |= fields.damaged();
    return key.empty() || value.empty()
               ? ""
               : fmt::format("{}{}: {}", first ? "" : ", ", json::quoted(printable(key)), value);
  }

  Converted& out_;
  std::string* w_;
  uint64_t planes_ = 0;
  bool first_ = true;
};

/// The longest of the sums, for a reader who wants to know what is left out.
std::string sums_text(const Converted& converted) {
  constexpr size_t kShown = 3;
  std::vector<std::pair<std::string, Converted::Sum>> all(converted.sums_of.begin(), converted.sums_of.end());
  std::ranges::stable_sort(all, std::greater(), [](const auto& sum) { return sum.second.duration_ns; });
  all.resize(std::min(all.size(), kShown));
  std::vector<std::string> parts;
  for (const auto& [name, sum] : all)
    parts.push_back(fmt::format("{} ({} in {})", name, format_ns(sum.duration_ns), sum.occurrences));
  return fmt::format("{} events are sums of {} occurrences, without a time. The longest: {}", converted.sums,
                     converted.occurrences, join(parts, ", "));
}

Status read(Input& input, const ReadOptions& options, Profile& profile) {
  WL_ASSIGN(const std::string bytes, input.read_all());
  Converted converted = to_trace_events(bytes);
  WL_TRY(converted.growth.check(input.name()));
  const std::string sums = converted.sums > 0 ? sums_text(converted) : "";
  if (converted.events == 0)
    return invalid_input(fmt::format("{}: an XSpace of XLA's profiler without an event{}{}", input.name(),
                                     converted.sums > 0 ? " at a time: " + sums : "",
                                     converted.damaged ? " before the place where it is cut off or damaged" : ""));
  Input events = Input::of_bytes(input.name(), std::move(converted.json));
  WL_TRY(read_input(events, options, profile));
  if (converted.damaged || !input.damage().ok())
    profile.integrity.add("damaged-file", Severity::kError, 1,
                          fmt::format("{}: the XSpace is cut off or damaged; {} whole events were read before",
                                      input.name(), converted.events),
                          "the rest of the recording is missing: copy or record it again");
  if (converted.sums > 0)
    profile.integrity.add("sums-not-read", Severity::kWarning, converted.sums,
                          fmt::format("{}: {}. They are left out", input.name(), sums),
                          "record with a higher trace level, which keeps each occurrence");
  if (!converted.told.empty())
    profile.integrity.add(
        "recorder-warnings", Severity::kWarning, static_cast<int64_t>(converted.told.size()),
        fmt::format("{}: the profiler said: {}", input.name(), printable(converted.told.front())),
        converted.told.size() == 1 ? "see what it says" : fmt::format("see also: {}", printable(converted.told[1])));
  if (converted.left_out > 0)
    profile.integrity.add("attributes-not-read", Severity::kInfo, converted.left_out,
                          fmt::format("{}: {} attributes are not read: those of devices and of kinds of events, and "
                                      "bytes such as compiled programs",
                                      input.name(), converted.left_out),
                          "nothing to do: they do not concern times");
  return {};
}

}  // namespace

bool sniff(std::string_view head) {
  Field field;
  // The head may end within the first plane, so its size is not asked for.
  if (!head.starts_with('\x0a')) return false;
  head.remove_prefix(1);
  while (!head.empty() && (static_cast<uint8_t>(head.front()) & 0x80) != 0) head.remove_prefix(1);
  if (head.empty()) return false;
  Message plane(head.substr(1));
  for (int k = 0; k < 2 && plane.next(&field); ++k) {
    if (field.number == kPlaneName && field.wire == Wire::kBytes)
      return field.bytes.starts_with("/host:") || field.bytes.starts_with("/device:") ||
             field.bytes == "Task Environment";
  }
  return false;
}

Converted to_trace_events(std::string_view space) {
  Converted out;
  Converter(&out, space.size()).space(space);
  return out;
}

}  // namespace xplane

extern const TraceFormat kXplane;
const TraceFormat kXplane = {"XSpaces of XLA's profiler (.xplane.pb)", xplane::sniff, xplane::read};

}  // namespace warplens
