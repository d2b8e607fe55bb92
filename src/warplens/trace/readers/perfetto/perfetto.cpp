#include "warplens/trace/readers/perfetto/perfetto.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/base/protobuf.h"
#include "warplens/base/text.h"
#include "warplens/trace/events/event_text.h"
#include "warplens/trace/events/json_members.h"
#include "warplens/trace/events/perfetto_fields.h"
#include "warplens/trace/readers/perfetto/sequences.h"
#include "warplens/trace/readers/perfetto/tracks.h"
#include "warplens/trace/readers/rocprof/events.h"

namespace warplens::perfetto {
namespace {

using protobuf::Field, protobuf::Message, protobuf::Wire;

constexpr uint64_t kNoTrack = UINT64_MAX;

struct Item {
  uint64_t track = kNoTrack;
  int64_t time_ns = 0;
  uint64_t type = 0;
  std::string_view name, category;
  size_t args_at = 0, args_size = 0;  // members of a JSON object
  double value = 0;
  uint64_t first_flow = 0, flows = 0;
};

struct Flow {
  uint64_t id;
  size_t item;
};

/// A JSON text's key without its quotes.
std::string key_text(std::string_view name) {
  const std::string quoted = json::quoted(name);
  return quoted.substr(1, quoted.size() - 2);
}

int64_t whole(const json::Value& args, const char* key) {
  const json::Value* found = args.find(key);
  return found == nullptr ? 0 : found->integer().value_or(0);
}

class Converter {
 public:
  Converter(Converted& out, uint64_t trace_bytes)
      : out_(out), growth_(trace_bytes), keep_(growth_.into(out_.json)), events_(held_, keep_) {}

  void run(std::string_view trace) {
    Message packets(trace);
    for (Field field; packets.next(&field);) {
      if (field.number == kPacket && field.wire == Wire::kBytes) packet(field.bytes);
    }
    out_.damaged |= packets.damaged();
    std::string head;
    for (const auto& [key, value] : head_) head += fmt::format("\"{}\": {}, ", key, value);
    if (!has_base_ && clocks_.wall_ns() > 0) head += fmt::format("\"baseTimeNanoseconds\": {}, ", clocks_.wall_ns());
    out_.json = "{" + head + "\"traceEvents\": [";
    spans();
    flows();
    names();
    (void)events_.flush();
    out_.json += "]}";
    out_.growth = growth_;
  }

 private:
  void packet(std::string_view bytes) {
    uint64_t sequence_id = 0, timestamp = 0, clock = 0, flags = 0;
    std::string_view event, interned, defaults, track, snapshot, thread;
    bool has_event = false;
    uint32_t other = 0;
    Message fields(bytes);
    for (Field field; fields.next(&field);) {
      const bool is_bytes = field.wire == Wire::kBytes;
      switch (field.number) {
        case kSequenceId: sequence_id = field.value; break;
        case kTimestamp: timestamp = field.value; break;
        case kTimestampClock: clock = field.value; break;
        case kSequenceFlags: flags = field.value; break;
        case kStateCleared:
          if (field.value != 0) flags |= kCleared;
          break;
        case kPacketsDropped: out_.dropped += field.value != 0; break;
        case kTrackEvent: event = field.bytes, has_event = is_bytes; break;
        case kInternedData: interned = field.bytes; break;
        case kDefaults: defaults = field.bytes; break;
        case kTrackDescriptor: track = field.bytes; break;
        case kClockSnapshot: snapshot = field.bytes; break;
        case kThreadDescriptorOfPacket: thread = field.bytes; break;
        default:
          if (is_bytes && other == 0) other = field.number;
      }
    }
    out_.damaged |= fields.damaged();
    Sequence& sequence = sequences_[sequence_id];
    if ((flags & kCleared) != 0) sequence.clear();
    if (!defaults.empty()) sequence.take_defaults(defaults);
    if (!interned.empty()) sequence.intern(interned);
    if (!snapshot.empty()) clocks_.take_snapshot(snapshot, sequence);
    if (!track.empty()) tracks_.describe(track);
    if (!thread.empty()) {
      sequence.thread_track = tracks_.describe_thread(thread);
      sequence.reference_ns = static_cast<int64_t>(protobuf::find(thread, kReferenceUs).value * 1000);
    }
    if (has_event) {
      if ((flags & kNeedsState) != 0 && !sequence.has_state) {
        ++out_.without_state;
        return;
      }
      track_event(event, timestamp, clock, sequence);
    } else if (other != 0) {
      ++out_.left_out[other];
    }
  }

  void track_event(std::string_view bytes, uint64_t timestamp, uint64_t clock, Sequence& sequence) {
    Item item;
    item.track = sequence.default_track != 0  ? sequence.default_track
                 : sequence.thread_track != 0 ? sequence.thread_track
                                              : kNoTrack;
    item.args_at = args_.size();
    item.first_flow = flows_.size();
    std::optional<int64_t> old_ns;
    Message fields(bytes);
    for (Field field; fields.next(&field);) {
      switch (field.number) {
        case kType: item.type = field.value; break;
        case kEventTrack: item.track = field.value; break;
        case kNameIid: item.name = text_of(sequence.names, field.value); break;
        case kEventName: item.name = field.bytes; break;
        case kCategoryIids:
          if (item.category.empty()) item.category = text_of(sequence.categories, first_number(field));
          break;
        case kCategories:
          if (item.category.empty()) item.category = field.bytes;
          break;
        case kAnnotation:
          if (field.wire == Wire::kBytes) annotation(read_annotation(field.bytes, sequence.annotations, growth_), item);
          break;
        case kCounterValue: item.value = static_cast<double>(static_cast<int64_t>(field.value)); break;
        case kDoubleCounterValue: item.value = field.as_double(); break;
        case kFlow:
        case kFlowEnd:
        case kFlowOld:
        case kFlowEndOld: add_flows(field); break;
        case kDeltaUs: old_ns = sequence.reference_ns = plus(sequence.reference_ns, field.value * 1000); break;
        case kAbsoluteUs: old_ns = static_cast<int64_t>(field.value * 1000); break;
        default: break;
      }
    }
    out_.damaged |= fields.damaged();
    if (item.category == kHeadCategory) return;
    const std::optional<int64_t> time_ns = old_ns ? old_ns : clocks_.time_ns(timestamp, clock, sequence);
    if (!time_ns) {
      ++out_.unknown_clock;
      return;
    }
    item.time_ns = *time_ns;
    item.args_size = args_.size() - item.args_at;
    item.flows = flows_.size() - item.first_flow;
    if (item.track == kNoTrack) ++out_.without_track;
    items_.push_back(item);
    ++out_.events;
  }

  static std::string_view text_of(const Texts& texts, uint64_t number) {
    const auto found = texts.find(number);
    return found == texts.end() ? std::string_view() : found->second;
  }

  /// Of a packed list too.
  static uint64_t first_number(const Field& field) {
    if (field.wire != Wire::kBytes) return field.value;
    const std::string as_field = std::string(1, '\x08') + std::string(field.bytes);
    return protobuf::find(as_field, 1).value;
  }

  void add_flows(const Field& field) {
    if (field.wire == Wire::kFixed64 || field.wire == Wire::kVarint) flows_.push_back({field.value, items_.size()});
    for (std::string_view packed = field.bytes; packed.size() >= 8; packed.remove_prefix(8)) {
      const std::string as_field = std::string(1, '\x09') + std::string(packed.substr(0, 8));
      flows_.push_back({protobuf::find(as_field, 1).value, items_.size()});
    }
  }

  void annotation(const Annotation& read, const Item& item) {
    if (read.json.empty()) return;
    if (item.category == kHeadCategory) {
      if (read.name == kTimeOffset) offset_ns_ = parse_int(read.json).value_or(0);
      else if (read.name == kFlowCategories) flow_categories(read.json);
      else if (read.name != "traceEvents") {
        has_base_ |= read.name == "baseTimeNanoseconds";
        head_.emplace_back(key_text(read.name), read.json);
      }
      return;
    }
    if (args_.size() > item.args_at) args_ += ", ";
    args_ += fmt::format("\"{}\": {}", key_text(read.name), read.json);
  }

  void flow_categories(const std::string& list) {
    const Result<json::Value> parsed = json::parse(list);
    if (!parsed.ok() || parsed.value().array() == nullptr) return;
    for (const json::Value& name : *parsed.value().array())
      flow_categories_.push_back(name.string() != nullptr ? *name.string() : std::string());
  }

  std::string_view args(const Item& item) const { return std::string_view(args_).substr(item.args_at, item.args_size); }
  /// Times of a file can be any; sums out of range wrap around, and the checks of the profile call such times absurd.
  static int64_t plus(int64_t time_ns, uint64_t more_ns) {
    return static_cast<int64_t>(static_cast<uint64_t>(time_ns) + more_ns);
  }
  int64_t local(int64_t time_ns) const { return plus(time_ns, 0 - static_cast<uint64_t>(offset_ns_)); }

  // --- what was gathered, in order
  void spans() {
    std::vector<size_t> order(items_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const Item &x = items_[a], &y = items_[b];
      return x.track != y.track ? x.track < y.track : x.time_ns < y.time_ns;
    });
    int64_t last_ns = INT64_MIN;
    for (const Item& item : items_) last_ns = std::max(last_ns, item.time_ns);
    std::vector<size_t> open;
    double sum = 0;
    for (size_t at = 0; at < order.size(); ++at) {
      const Item& item = items_[order[at]];
      switch (item.type) {
        case kBegin: open.push_back(order[at]); break;
        case kEnd:
          if (open.empty()) {
            ++out_.unopened;
          } else {
            span(items_[open.back()], item.time_ns);
            open.pop_back();
          }
          break;
        case kCount: counter(item, sum); break;
        default: instant(item);
      }
      const bool is_last = at + 1 == order.size() || items_[order[at + 1]].track != item.track;
      if (!is_last) continue;
      out_.unclosed += static_cast<int64_t>(open.size());
      for (; !open.empty(); open.pop_back()) span(items_[open.back()], last_ns);
      sum = 0;
    }
  }

  EventText& begin(char phase, const Item& item) {
    const Line& line = tracks_.line(item.track);
    return events_.begin(phase, item.category, item.name, line.process, line.thread, local(item.time_ns));
  }

  void span(const Item& item, int64_t end_ns) {
    if (const auto kind = rocprof::kind_of(item.category); kind && rocprof_event(item, *kind, end_ns)) return;
    begin('X', item).duration(plus(end_ns, 0 - static_cast<uint64_t>(item.time_ns)));
    if (item.args_size > 0) events_.members(args(item));
    events_.end();
  }

  /// What rocprofv3 records of AMD's devices, when it has its arguments.
  bool rocprof_event(const Item& item, rocprof::Kind kind, int64_t end_ns) {
    const Result<json::Value> parsed = json::parse(fmt::format("{{{}}}", args(item)));
    if (!parsed.ok()) return false;
    const json::Value& args = parsed.value();
    const Line& line = tracks_.line(item.track);
    const int64_t correlation = whole(args, "corr_id");
    const std::string name(item.name);
    if (kind == rocprof::Kind::kCall)
      rocprof::put_call(events_, name, line.process, line.thread, local(item.time_ns), local(end_ns), correlation);
    else if (kind == rocprof::Kind::kRange)
      rocprof::put_range(events_, name, line.process, line.thread, local(item.time_ns), local(end_ns));
    else {
      const bool is_kernel = kind == rocprof::Kind::kKernel;
      const rocprof::DeviceWork work = {.name = name,
                                        .device = whole(args, is_kernel ? "agent" : "dst_agent"),
                                        .stream = whole(args, is_kernel ? "queue" : "stream"),
                                        .correlation = correlation,
                                        .start_ns = local(item.time_ns),
                                        .end_ns = local(end_ns),
                                        .items = {whole(args, "grid_size"), 1, 1},
                                        .group = {whole(args, "workgroup_size"), 1, 1},
                                        .shared_bytes = whole(args, "group_segment_size"),
                                        .bytes = whole(args, "copy_bytes")};
      if (is_kernel) rocprof::put_kernel(events_, work);
      else rocprof::put_copy(events_, work);
    }
    return true;
  }

  void instant(const Item& item) {
    char phase = 'i';
    std::string id;
    std::string_view members = args(item);
    std::string rest;
    if (contains(members, kPhase) || contains(members, kEventId)) {
      const Result<json::Value> parsed = json::parse(fmt::format("{{{}}}", members));
      const auto text = [&](std::string_view key) {
        const json::Value* found = parsed.ok() ? parsed.value().find(key) : nullptr;
        return found != nullptr && found->string() != nullptr ? *found->string() : std::string();
      };
      if (const std::string told = text(kPhase); told.size() == 1) phase = told[0];
      id = text(kEventId);
      rest = without(members, {kPhase, kEventId});
      members = rest;
    }
    begin(phase, item);
    if (!id.empty()) events_.field("id", id);
    if (!members.empty()) events_.members(members);
    events_.end();
  }

  static std::string without(std::string_view members, std::initializer_list<std::string_view> keys) {
    std::string out;
    const std::string object = fmt::format("{{{}}}", members);
    for (const auto& [key, value] : json_members(object)) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      out += fmt::format("{}\"{}\": {}", out.empty() ? "" : ", ", key, value);
    }
    return out;
  }

  void counter(const Item& item, double& sum) {
    const Line& line = tracks_.line(item.track);
    const double value = item.value * static_cast<double>(line.counter_unit);
    sum = line.is_incremental ? sum + value : value;
    const std::string name = line.counter.empty() ? std::string(item.name) : line.counter;
    events_.begin('C', "", name, line.process, line.thread, local(item.time_ns));
    events_.argument(key_text(name), sum).end();
  }

  void flows() {
    std::stable_sort(flows_.begin(), flows_.end(), [&](const Flow& a, const Flow& b) {
      return a.id != b.id ? a.id < b.id : items_[a.item].time_ns < items_[b.item].time_ns;
    });
    for (size_t i = 0; i < flows_.size(); ++i) {
      if (flows_[i].item >= items_.size()) continue;
      const bool starts = i == 0 || flows_[i - 1].id != flows_[i].id;
      const bool alone = starts && (i + 1 == flows_.size() || flows_[i + 1].id != flows_[i].id);
      if (alone) continue;  // both ends are needed
      const Item& item = items_[flows_[i].item];
      const Line& line = tracks_.line(item.track);
      const uint64_t number = flows_[i].id >> kFlowCategoryShift;
      const bool is_own = number >= 1 && number <= flow_categories_.size();
      const std::string category = is_own ? flow_categories_[number - 1] : "flow";
      const uint64_t id = is_own ? flows_[i].id & ((uint64_t{1} << kFlowCategoryShift) - 1) : flows_[i].id;
      events_.begin(starts ? 's' : 'f', category, category, line.process, line.thread, local(item.time_ns));
      events_.field("id", static_cast<int64_t>(id)).end();
    }
  }

  void names() {
    std::map<uint64_t, bool> seen;
    for (const Item& item : items_) {
      if (!seen.try_emplace(item.track, true).second) continue;
      const Line& line = tracks_.line(item.track);
      const auto name = [&](const char* what, const std::string& text) {
        events_.begin('M', "", what, line.process, line.thread, 0);
        events_.argument("name", text).end();
      };
      if (!line.thread_name.empty() && line.thread_name != line.thread) name("thread_name", line.thread_name);
      if (!line.process_name.empty() && line.process_name != line.process) name("process_name", line.process_name);
    }
  }

  Converted& out_;
  Growth growth_;
  std::string held_;
  ByteSink keep_;
  EventText events_;
  std::map<uint64_t, Sequence> sequences_;
  Clocks clocks_;
  Tracks tracks_;
  std::vector<Item> items_;
  std::vector<Flow> flows_;
  std::string args_;
  std::vector<std::pair<std::string, std::string>> head_;
  std::vector<std::string> flow_categories_;
  int64_t offset_ns_ = 0;
  bool has_base_ = false;
};

}  // namespace

Converted to_trace_events(std::string_view trace) {
  Converted out;
  Converter(out, trace.size()).run(trace);
  return out;
}

}  // namespace warplens::perfetto
