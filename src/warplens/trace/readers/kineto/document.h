// The document around the events: keys and values at the top level, the event array, and where one turns into the
// other.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "warplens/trace/readers/kineto/rank_builder.h"

namespace warplens::kineto {

/// Takes the text piece by piece, in order. Text that it cannot finish with it keeps until more comes.
class Document {
 public:
  explicit Document(RankBuilder& rank) : rank_(rank) {}

  /// True if the next byte is in the event array outside of events, so that take() accepts a chunk parsed
  /// elsewhere.
  bool between_events() const { return state_ == State::kEvents && rest_.empty(); }
  bool in_events() const { return state_ == State::kEvents; }
  /// Returns the unfinished text, so that others parse it with the text after it.
  std::string take_rest() { return std::exchange(rest_, {}); }
  /// The position of the first unfinished byte.
  uint64_t offset() const { return offset_; }
  /// Takes a chunk parsed from `text` at between_events().
  void take(Chunk& chunk, const Stop& stop, std::string_view text);
  void feed(std::string_view text);
  /// The text has ended; reports the part that was cut off.
  void end(bool input_damaged);
  /// Whether there was a list of events at all.
  bool found_events() const { return found_events_; }

 private:
  enum class State { kStart, kTop, kEvents, kDone };

  void advance();
  // Each consumes its part of [p, end) and returns its end.
  const char* advance_start(const char* p, const char* end);
  const char* advance_top(const char* p, const char* end);
  const char* advance_events(const char* p, const char* end);
  const char* advance_done(const char* p, const char* end);
  void note_syntax(const char* at);

  RankBuilder& rank_;
  ChunkParser parser_;
  State state_ = State::kStart;
  bool in_object_ = false, found_events_ = false, ended_ = false, after_damage_ = false;
  std::string rest_;     // text not finished with
  uint64_t offset_ = 0;  // of rest_ in the input
  size_t retry_at_ = 0;  // do not look at rest_ again before it is this long
};

}  // namespace warplens::kineto
