// A stretch of the event array, parsed into tables of its own; merged into the profile in the order of the text.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "warplens/trace/profile/profile.h"
#include "warplens/trace/readers/kineto/event.h"
#include "warplens/trace/readers/kineto/interner.h"

namespace warplens::kineto {

/// A thread as a pid and a tid of the text.
struct ThreadKey {
  StringId process, thread;
  auto operator<=>(const ThreadKey&) const = default;
};

enum class SpanTable : uint8_t {
  kOperators,
  kCalls,
  kDeviceEvents,
  kSynchronizations,
  kPythonFrames,
  kOverheads,
  kOther
};
inline constexpr SpanTable kSpanTables[] = {
    SpanTable::kOperators,    SpanTable::kCalls,     SpanTable::kDeviceEvents, SpanTable::kSynchronizations,
    SpanTable::kPythonFrames, SpanTable::kOverheads, SpanTable::kOther};

/// A span whose begin (phase B) or end (phase E) this is; the two are joined once everything is read.
struct SpanMark {
  int64_t time_ns;
  uint32_t thread;  // row of threads
  bool is_end;
  SpanTable table;  // of begins
  uint64_t row;     // of begins
};

/// A thread's or process's name (phase M).
struct NameMark {
  ThreadKey thread;
  bool of_process;
  StringId name;
};

/// A launch call that describes its kernel itself, as ROCm's traces do.
struct LaunchMark {
  int64_t correlation;
  uint32_t launch_config;
  int64_t bytes;
};

/// The skipped events, and the place of the first one.
struct Damage {
  int64_t count = 0;
  uint64_t first_offset = 0;
  std::string what;
};

/// In `tables`, StringIds count in `texts` (from 1), `thread` in `threads`, `launch_config` in tables.launch_configs;
/// `device` is the ordinal.
struct Chunk {
  Tables tables;
  std::vector<UsedText> texts;
  std::shared_ptr<TextPool> pool;
  std::vector<ThreadKey> threads;
  std::vector<SpanMark> spans;
  std::vector<NameMark> names;
  std::vector<LaunchMark> launches;

  Damage syntax;       // events that are not valid JSON
  Damage unusable;     // events without a name, phase or valid time
  int64_t events = 0;  // whole ones, the unusable included
  int64_t repaired_texts = 0;
  int64_t negative_durations = 0;
};

/// Where parsing a chunk's text came to.
struct Stop {
  enum Why { kAllRead, kArrayEnd, kInsideEvent } why = kAllRead;
  const char* at = nullptr;  // kArrayEnd: after the bracket; kInsideEvent: the event's beginning
};

/// Parses events from text that begins at an event, a comma before it, or the array's end. Broken text is skipped up to
/// the next event; an event that the end of the text cuts off is left for the caller.
class ChunkParser {
 public:
  ChunkParser() { event_.members.reserve(64); }
  /// `offset` is the position of `text` in the input, for messages. `text` is followed by kTextPadding zero bytes.
  std::unique_ptr<Chunk> parse(std::string_view text, uint64_t offset, Stop& stop);

 private:
  Stop parse_events(const char* begin, const char* end, uint64_t offset, Chunk& chunk);

  Interner interner_;
  Event event_;
};

}  // namespace warplens::kineto
