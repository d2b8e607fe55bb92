#include "warplens/trace/readers/perfetto/tracks.h"

#include "warplens/base/protobuf.h"
#include "warplens/base/text.h"
#include "warplens/trace/events/perfetto_fields.h"

namespace warplens::perfetto {

using protobuf::Field;
using protobuf::Message;
using protobuf::Wire;

void Tracks::describe(std::string_view descriptor) {
  Message fields(descriptor);
  Track track;
  uint64_t uuid = 0;
  for (Field field; fields.next(&field);) {
    switch (field.number) {
      case kTrackUuid: uuid = field.value; break;
      case kParentUuid: track.parent = field.value; break;
      case kTrackName:
      case kStaticName: track.name = field.bytes; break;
      case kTrackDescription: track.description = field.bytes; break;
      case kProcess:
        track.has_process = true;
        track.pid = static_cast<int64_t>(protobuf::find(field.bytes, kPid).value);
        track.process_name = protobuf::find(field.bytes, kProcessName).bytes;
        break;
      case kThread:
        track.has_thread = true;
        track.pid = static_cast<int64_t>(protobuf::find(field.bytes, kThreadPid).value);
        track.tid = static_cast<int64_t>(protobuf::find(field.bytes, kTid).value);
        track.thread_name = protobuf::find(field.bytes, kThreadName).bytes;
        break;
      case kCounter: {
        track.is_counter = true;
        const auto unit = static_cast<int64_t>(protobuf::find(field.bytes, kUnitMultiplier).value);
        track.unit = unit == 0 ? 1 : unit;
        track.is_incremental = protobuf::find(field.bytes, kIsIncremental).value != 0;
        break;
      }
      default: break;
    }
  }
  tracks_[uuid] = track;
}

uint64_t Tracks::describe_thread(std::string_view thread) {
  Track track;
  track.has_thread = true;
  track.pid = static_cast<int64_t>(protobuf::find(thread, kThreadPid).value);
  track.tid = static_cast<int64_t>(protobuf::find(thread, kTid).value);
  track.thread_name = protobuf::find(thread, kThreadName).bytes;
  constexpr uint64_t kOwn = uint64_t{1} << 63;  // beside the numbers that writers choose
  const uint64_t uuid = kOwn | (static_cast<uint64_t>(track.pid) << 32 ^ static_cast<uint64_t>(track.tid));
  tracks_.try_emplace(uuid, track);
  return uuid;
}

uint64_t Tracks::owner(uint64_t uuid) const {
  constexpr int kMostLevels = 64;
  for (int level = 0; level < kMostLevels; ++level) {
    const auto found = tracks_.find(uuid);
    if (found == tracks_.end()) return uuid;
    const Track& track = found->second;
    if (track.has_process || track.has_thread || track.parent == 0 || track.parent == uuid) return uuid;
    if (!tracks_.contains(track.parent)) return uuid;
    uuid = track.parent;
  }
  return uuid;
}

std::string Tracks::process_name(int64_t pid) const {
  for (const auto& [uuid, track] : tracks_) {
    if (track.has_process && track.pid == pid) return track.process_name.empty() ? track.name : track.process_name;
  }
  return "";
}

const Line& Tracks::line(uint64_t uuid) {
  const auto [at, is_new] = lines_.try_emplace(uuid);
  Line& line = at->second;
  if (!is_new) return line;
  const Track track = knows(uuid) ? tracks_.at(uuid) : Track();
  const uint64_t owner_uuid = owner(track.is_counter && track.parent != 0 ? track.parent : uuid);
  const Track owner = knows(owner_uuid) ? tracks_.at(owner_uuid) : Track();
  const bool has_pid = owner.has_process || owner.has_thread;
  const std::string own_name = track.name.empty() ? fmt::format("track {}", uuid) : track.name;
  line.process = has_pid ? std::to_string(owner.pid) : owner.name.empty() ? std::string("tracks") : owner.name;
  line.process_name = has_pid ? process_name(owner.pid) : line.process;
  if (track.has_thread) {
    line.thread = std::to_string(track.tid);
    line.thread_name = track.thread_name.empty() ? track.name : track.thread_name;
  } else if (track.is_counter) {
    // A counter stands with the thread or the track that it is of.
    const Track parent = knows(track.parent) ? tracks_.at(track.parent) : Track();
    line.thread = parent.has_thread ? std::to_string(parent.tid) : parent.has_process ? line.process : parent.name;
    line.counter = own_name;
    line.counter_unit = track.unit;
    line.is_incremental = track.is_incremental;
    return line;
  } else {
    line.thread = track.has_process ? line.process : own_name;
    line.thread_name = track.description.empty() ? track.name : track.description;
  }
  const std::string base = line.thread;
  for (int n = 2; !taken_.emplace(line.process, line.thread).second; ++n) line.thread = fmt::format("{} #{}", base, n);
  return line;
}

}  // namespace warplens::perfetto
