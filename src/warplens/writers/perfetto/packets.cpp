#include "warplens/writers/perfetto/packets.h"

#include <algorithm>

#include "warplens/base/json.h"
#include "warplens/base/protobuf_writer.h"
#include "warplens/base/text.h"
#include "warplens/trace/events/json_members.h"
#include "warplens/trace/events/perfetto_fields.h"

namespace warplens::writers {
namespace {

using protobuf::put;
using protobuf::put_double;
using protobuf::put_fixed64;

/// A process or thread id that a descriptor can hold.
std::optional<uint64_t> small_id(std::string_view text) {
  const auto id = parse_int(text);
  if (!id || *id <= 0 || *id > INT32_MAX) return std::nullopt;
  return static_cast<uint64_t>(*id);
}

std::string unescaped(std::string_view key) {
  const Result<json::Value> parsed = json::parse(fmt::format("[\"{}\"]", key));
  return parsed.ok() && parsed.value().array()->size() == 1 ? *(*parsed.value().array())[0].string() : std::string(key);
}

}  // namespace

uint64_t InternedTexts::number(std::string_view text) {
  const auto [at, is_new] = numbers_.try_emplace(std::string(text), order_.size() + 1);
  if (is_new) order_.push_back(&at->first);
  return at->second;
}

uint32_t PacketEvents::track(std::string_view process, std::string_view thread) {
  const auto [at, is_new] = track_of_.try_emplace({std::string(process), std::string(thread)}, tracks_.size());
  if (!is_new) return at->second;
  const auto [owner, is_new_process] = processes_.try_emplace(std::string(process));
  if (is_new_process) owner->second.uuid = next_uuid_++;
  tracks_.push_back({&owner->first, &at->first.second, "", "", next_uuid_++});
  return at->second;
}

uint32_t PacketEvents::counter_track(uint32_t below, std::string_view name) {
  const auto [at, is_new] = counter_of_.try_emplace({below, std::string(name)}, tracks_.size());
  if (is_new) tracks_.push_back({tracks_[below].process, tracks_[below].thread, "", std::string(name), next_uuid_++});
  return at->second;
}

PacketEvents& PacketEvents::begin(char phase, std::string_view category, std::string_view name,
                                  std::string_view process, std::string_view thread, int64_t time_ns) {
  current_ = {.phase = phase,
              .track = track(process, thread),
              .start_ns = time_ns,
              .end_ns = time_ns,
              .annotations_at = annotations_.size()};
  current_text_ = name;
  current_category_ = category;
  current_id_ = 0;
  first_ns_ = std::min(first_ns_, time_ns);
  return *this;
}

PacketEvents& PacketEvents::duration(int64_t ns) {
  current_.end_ns = current_.start_ns + ns;
  return *this;
}

PacketEvents& PacketEvents::field(std::string_view name, int64_t value) {
  if (name == "id") current_id_ = value;
  return *this;
}

PacketEvents& PacketEvents::field(std::string_view name, std::string_view value) {
  const bool of_viewers = name == "s" || name == "bp";  // an instant's scope, an arrow's binding
  return of_viewers ? *this : argument(name == "id" ? perfetto::kEventId : name, value);
}

std::string PacketEvents::annotation(std::string_view name) {
  std::string out;
  put(out, perfetto::kAnnotationNameIid, annotation_names_.number(name));
  return out;
}

void PacketEvents::annotate(const std::string& annotation) { put(annotations_, perfetto::kAnnotation, annotation); }

PacketEvents& PacketEvents::argument(std::string_view name, int64_t value) {
  std::string out = annotation(name);
  put(out, perfetto::kSigned, static_cast<uint64_t>(value));
  annotate(out);
  return *this;
}

PacketEvents& PacketEvents::argument(std::string_view name, double value) {
  if (current_.phase == 'C') {
    current_value_ = value;
    return *this;
  }
  std::string out = annotation(name);
  put_double(out, perfetto::kDouble, value);
  annotate(out);
  return *this;
}

PacketEvents& PacketEvents::argument(std::string_view name, std::string_view text) {
  if (current_.phase == 'M') {
    label_track(name, text);
    return *this;
  }
  std::string out = annotation(name);
  put(out, perfetto::kText, text);
  annotate(out);
  return *this;
}

PacketEvents& PacketEvents::argument_json(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  const auto [at, is_new] = is_json_.try_emplace(value.data(), false);
  if (is_new) at->second = json::parse(value).ok();
  std::string out = annotation(name);
  put(out, at->second ? perfetto::kJson : perfetto::kText, value);
  annotate(out);
  return *this;
}

PacketEvents& PacketEvents::arguments_json(std::string_view given) {
  const std::string_view object = trim(given);
  if (object.empty()) return *this;
  const auto [at, is_new] = is_json_.try_emplace(object.data(), false);
  if (is_new) at->second = object.starts_with('{') && json::parse(object).ok();
  if (!at->second) return argument("args", object);
  for (const auto& [key, value] : json_members(object)) {
    std::string out = annotation(contains(key, "\\") ? unescaped(key) : std::string(key));
    put(out, perfetto::kJson, value);
    annotate(out);
  }
  return *this;
}

PacketEvents& PacketEvents::argument_list(std::string_view name, std::initializer_list<int64_t> numbers) {
  std::string out = annotation(name);
  for (const int64_t number : numbers) {
    std::string item;
    put(item, perfetto::kSigned, static_cast<uint64_t>(number));
    put(out, perfetto::kItems, item);
  }
  annotate(out);
  return *this;
}

void PacketEvents::label_track(std::string_view name, std::string_view label) {
  if (name == "labels") processes_.find(*tracks_[current_.track].process)->second.label = label;
  else tracks_[current_.track].label = label;
}

uint64_t PacketEvents::flow_id(std::string_view category, int64_t id) {
  auto at = std::find(flow_categories_.begin(), flow_categories_.end(), category);
  if (at == flow_categories_.end()) at = flow_categories_.insert(at, std::string(category));
  const auto number = static_cast<uint64_t>(at - flow_categories_.begin()) + 1;
  return number << perfetto::kFlowCategoryShift |
         (static_cast<uint64_t>(id) & ((uint64_t{1} << perfetto::kFlowCategoryShift) - 1));
}

void PacketEvents::end() {
  tracks_[current_.track].used |= current_.phase != 'M';
  switch (current_.phase) {
    case 'M': return;  // names tell nothing of a track on which nothing is
    case 's':
    case 'f':
      flows_.push_back(
          {current_.track, current_.start_ns, flow_id(current_category_, current_id_), current_.phase == 'f'});
      return;
    case 'C':
      counts_.push_back({counter_track(current_.track, current_text_), current_.start_ns, current_value_});
      return;
    case 'X':
    case 'i': break;
    default: argument(perfetto::kPhase, std::string_view(&current_.phase, 1));
  }
  current_.name = names_.number(current_text_);
  if (!current_category_.empty()) current_.category = categories_.number(current_category_);
  current_.annotations_size = annotations_.size() - current_.annotations_at;
  events_.push_back(current_);
}

void PacketEvents::hand_on(bool all) {
  constexpr size_t kMostHeld = 1 << 18;
  if (!all && out_.size() < kMostHeld) return;
  if (status_.ok()) status_ = to_(out_);
  out_.clear();
}

void PacketEvents::packet(std::string_view content, uint64_t flags) {
  std::string whole(content);
  put(whole, perfetto::kSequenceId, 1);
  put(whole, perfetto::kSequenceFlags, flags);
  put(out_, perfetto::kPacket, whole);
  hand_on(false);
}

void PacketEvents::write_interned() {
  constexpr size_t kTextsAPacket = 4096;
  uint64_t flags = perfetto::kCleared;
  const auto write = [&](const InternedTexts& texts, uint32_t field) {
    for (size_t first = 0; first < texts.texts().size(); first += kTextsAPacket) {
      std::string data, content;
      for (size_t i = first; i < std::min(first + kTextsAPacket, texts.texts().size()); ++i) {
        std::string entry;
        put(entry, perfetto::kIid, i + 1);
        put(entry, perfetto::kInternedName, *texts.texts()[i]);
        put(data, field, entry);
      }
      put(content, perfetto::kInternedData, data);
      packet(content, flags);
      flags = perfetto::kNeedsState;
    }
  };
  write(annotation_names_, perfetto::kAnnotationNames);
  write(names_, perfetto::kEventNames);
  write(categories_, perfetto::kCategoryNames);
}

void PacketEvents::write_tracks() {
  const auto write = [&](const std::string& descriptor) {
    std::string content;
    put(content, perfetto::kTrackDescriptor, descriptor);
    packet(content);
  };
  const auto is_process = [](const std::string& id, const Process& process) {
    return process.label.empty() && small_id(id);
  };
  for (const auto& [id, process] : processes_) {
    std::string descriptor, inner;
    put(descriptor, perfetto::kTrackUuid, process.uuid);
    if (is_process(id, process)) {
      put(inner, perfetto::kPid, *small_id(id));
      put(descriptor, perfetto::kProcess, inner);
    } else {
      put(descriptor, perfetto::kTrackName, process.label.empty() ? std::string_view(id) : process.label);
    }
    write(descriptor);
  }
  for (const Track& track : tracks_) {
    if (!track.used && track.counter.empty()) continue;
    const Process& owner = processes_.find(*track.process)->second;
    std::string descriptor, inner;
    put(descriptor, perfetto::kTrackUuid, track.uuid);
    if (!track.counter.empty()) {
      const uint32_t below = track_of_.find({*track.process, *track.thread})->second;
      put(descriptor, perfetto::kParentUuid, tracks_[below].uuid);
      put(descriptor, perfetto::kTrackName, track.counter);
      put(descriptor, perfetto::kCounter, inner);
    } else if (const auto tid = small_id(*track.thread); tid && is_process(*track.process, owner)) {
      put(inner, perfetto::kThreadPid, *small_id(*track.process));
      put(inner, perfetto::kTid, *tid);
      if (!track.label.empty()) put(inner, perfetto::kThreadName, track.label);
      put(descriptor, perfetto::kThread, inner);
    } else {
      const bool of_gpu = !owner.label.empty() && !track.label.empty();
      put(descriptor, perfetto::kParentUuid, owner.uuid);
      put(descriptor, perfetto::kTrackName, of_gpu ? track.label : *track.thread);
      if (!of_gpu && !track.label.empty()) put(descriptor, perfetto::kTrackDescription, track.label);
    }
    write(descriptor);
  }
}

/// The instant that holds what the trace says beside its events; made before anything is written.
void PacketEvents::write_head() {
  head_.emplace_back(perfetto::kTimeOffset, std::to_string(offset_ns_));
  json::Writer categories(false);
  categories.begin_array();
  for (const std::string& category : flow_categories_) categories.value(category);
  head_.emplace_back(perfetto::kFlowCategories, categories.end_array().take());
  begin('i', perfetto::kHeadCategory, "trace", "trace", "head", first_ns_);
  for (const auto& [key, value] : head_) {
    std::string out = annotation(key);
    put(out, perfetto::kJson, value);
    annotate(out);
  }
  end();
}

void PacketEvents::write_event(uint64_t type, const Event& event, int64_t time_ns, std::string_view flows) {
  std::string body, content;
  put(body, perfetto::kType, type);
  put(body, perfetto::kEventTrack, tracks_[event.track].uuid);
  if (type != perfetto::kEnd) {
    if (event.category != 0) put(body, perfetto::kCategoryIids, event.category);
    if (event.name != 0) put(body, perfetto::kNameIid, event.name);
    body.append(annotations_, event.annotations_at, event.annotations_size);
    body += flows;
  }
  put(content, perfetto::kTimestamp, absolute(time_ns));
  put(content, perfetto::kTrackEvent, body);
  packet(content);
}

/// The spans and instants of one track, each with the flows that begin or end in it: those of its own begin first.
void PacketEvents::write_track_events(std::vector<const Event*>& spans, std::vector<const Flow*>& flows) {
  std::stable_sort(spans.begin(), spans.end(), [](const Event* a, const Event* b) {
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
  });
  std::stable_sort(flows.begin(), flows.end(), [](const Flow* a, const Flow* b) { return a->time_ns < b->time_ns; });
  std::vector<const Event*> open;
  std::map<const Event*, std::string> flows_of;
  std::vector<Event> marks;  // of arrows that meet no span
  const auto close_until = [&](int64_t time_ns, auto&& leave) {
    while (!open.empty() && open.back()->end_ns <= time_ns) {
      leave(*open.back());
      open.pop_back();
    }
  };
  const auto ignore = [](const Event&) {};
  size_t next = 0;
  std::string lost;
  for (const Flow* flow : flows) {
    for (; next < spans.size() && spans[next]->start_ns <= flow->time_ns; ++next) {
      if (spans[next]->phase != 'X') continue;
      close_until(spans[next]->start_ns, ignore);
      open.push_back(spans[next]);
    }
    while (open.size() > 1 && open.back()->end_ns < flow->time_ns) open.pop_back();
    std::string& to = open.empty() ? lost : flows_of[open.back()];
    put_fixed64(to, flow->ends ? perfetto::kFlowEnd : perfetto::kFlow, flow->id);
    if (!open.empty()) continue;
    write_event(perfetto::kInstant, {.track = flow->track}, flow->time_ns, lost);
    lost.clear();
  }
  open.clear();
  for (const Event* event : spans) {
    close_until(event->start_ns, [&](const Event& done) { write_event(perfetto::kEnd, done, done.end_ns, {}); });
    const bool is_span = event->phase == 'X';
    const auto found = flows_of.find(event);
    write_event(is_span ? perfetto::kBegin : perfetto::kInstant, *event, event->start_ns,
                found == flows_of.end() ? std::string_view() : found->second);
    if (is_span) open.push_back(event);
  }
  close_until(INT64_MAX, [&](const Event& done) { write_event(perfetto::kEnd, done, done.end_ns, {}); });
}

Status PacketEvents::flush() {
  int64_t base_ns = 0;
  for (const auto& [key, value] : head_) {
    if (key == "baseTimeNanoseconds") base_ns = parse_int(value).value_or(0);
  }
  offset_ns_ = std::max(base_ns, first_ns_ == INT64_MIN ? INT64_MAX : -first_ns_);
  write_head();
  write_interned();
  write_tracks();
  std::vector<std::vector<const Event*>> events(tracks_.size());
  std::vector<std::vector<const Flow*>> flows(tracks_.size());
  for (const Event& event : events_) events[event.track].push_back(&event);
  for (const Flow& flow : flows_) flows[flow.track].push_back(&flow);
  for (size_t track = 0; track < tracks_.size(); ++track) write_track_events(events[track], flows[track]);
  for (const Count& count : counts_) {
    std::string body, content;
    put(body, perfetto::kType, perfetto::kCount);
    put(body, perfetto::kEventTrack, tracks_[count.track].uuid);
    put_double(body, perfetto::kDoubleCounterValue, count.value);
    put(content, perfetto::kTimestamp, absolute(count.time_ns));
    put(content, perfetto::kTrackEvent, body);
    packet(content);
  }
  hand_on(true);
  return status_;
}

}  // namespace warplens::writers
