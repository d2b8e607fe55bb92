#include "warplens/trace/readers/perfetto/sequences.h"

#include <vector>

#include "warplens/trace/events/perfetto_fields.h"

namespace warplens::perfetto {

using protobuf::Field;
using protobuf::Message;
using protobuf::Wire;

void Sequence::clear() {
  names.clear();
  categories.clear();
  annotations = {};
  default_track = default_clock = 0;
  has_state = true;
}

void Sequence::intern(std::string_view data) {
  Message fields(data);
  for (Field field; fields.next(&field);) {
    if (field.wire != Wire::kBytes) continue;
    Texts* to = field.number == kCategoryNames     ? &categories
                : field.number == kEventNames      ? &names
                : field.number == kAnnotationNames ? &annotations.names
                : field.number == kAnnotationTexts ? &annotations.values
                                                   : nullptr;
    if (to != nullptr)
      (*to)[protobuf::find(field.bytes, kIid).value] = protobuf::find(field.bytes, kInternedName).bytes;
  }
}

void Sequence::take_defaults(std::string_view defaults) {
  default_clock = protobuf::find(defaults, kDefaultClock).value;
  default_track = protobuf::find(protobuf::find(defaults, kEventDefaults).bytes, kEventTrack).value;
}

void Clocks::take_snapshot(std::string_view snapshot, Sequence& sequence) {
  struct Clock {
    uint64_t id, time, unit_ns;
    bool is_incremental;
  };
  std::vector<Clock> clocks;
  std::optional<int64_t> now_ns, wall_ns;
  Message fields(snapshot);
  for (Field field; fields.next(&field);) {
    if (field.number != kClock || field.wire != Wire::kBytes) continue;
    const uint64_t unit = protobuf::find(field.bytes, kClockMultiplier).value;
    clocks.push_back({protobuf::find(field.bytes, kClockId).value, protobuf::find(field.bytes, kClockTime).value,
                      unit == 0 ? 1 : unit, protobuf::find(field.bytes, kClockIncremental).value != 0});
    if (clocks.back().id == kBoottime) now_ns = static_cast<int64_t>(clocks.back().time);
    if (clocks.back().id == kRealtime) wall_ns = static_cast<int64_t>(clocks.back().time);
  }
  if (!now_ns) {
    for (const Clock& clock : clocks) {  // by way of a clock that another snapshot told
      const auto known = offsets_.find(clock.id);
      if (known == offsets_.end()) continue;
      now_ns = static_cast<int64_t>(clock.time + static_cast<uint64_t>(known->second));
      break;
    }
  }
  if (!now_ns) return;
  const auto now = static_cast<uint64_t>(*now_ns);
  if (wall_ns && wall_ns_ == 0) wall_ns_ = static_cast<int64_t>(static_cast<uint64_t>(*wall_ns) - now);
  for (const Clock& clock : clocks) {
    const auto offset = static_cast<int64_t>(now - clock.time * clock.unit_ns);
    if (clock.id >= kFirstOfSequence && clock.id <= kLastOfSequence)
      sequence.clocks[clock.id] = {clock.is_incremental, clock.unit_ns, static_cast<int64_t>(clock.time), offset};
    else offsets_.try_emplace(clock.id, offset);
  }
}

std::optional<int64_t> Clocks::time_ns(uint64_t time, uint64_t clock, Sequence& sequence) const {
  if (clock == 0) clock = sequence.default_clock;
  if (clock == 0 || clock == kBoottime) return static_cast<int64_t>(time);
  if (clock >= kFirstOfSequence && clock <= kLastOfSequence) {
    const auto known = sequence.clocks.find(clock);
    if (known == sequence.clocks.end()) return std::nullopt;
    SequenceClock& own = known->second;
    if (own.is_incremental) own.last = static_cast<int64_t>(static_cast<uint64_t>(own.last) + time);
    else own.last = static_cast<int64_t>(time);
    return static_cast<int64_t>(static_cast<uint64_t>(own.last) * own.unit_ns + static_cast<uint64_t>(own.offset_ns));
  }
  const auto known = offsets_.find(clock);
  if (known == offsets_.end()) return std::nullopt;
  return static_cast<int64_t>(time + static_cast<uint64_t>(known->second));
}

}  // namespace warplens::perfetto
