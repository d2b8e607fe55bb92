// One event of Chrome's trace format at a time.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "warplens/trace/profile/profile.h"
#include "warplens/writers/byte_sink.h"

namespace warplens::writers {

/// Names of processes and threads are written as numbers where they are numbers. Times are microseconds with three
/// decimals, so that no nanosecond is lost.
class EventText {
 public:
  /// Appends to `out` and empties it into `to` now and then.
  EventText(std::string& out, const ByteSink& to) : out_(out), to_(to) {}

  EventText& begin(char phase, std::string_view category, std::string_view name, std::string_view process,
                   std::string_view thread, int64_t time_ns);
  EventText& duration(int64_t ns);
  EventText& field(std::string_view name, int64_t value);  // beside the arguments
  EventText& field(std::string_view name, std::string_view value);
  EventText& argument(std::string_view name, int64_t value);
  EventText& argument(std::string_view name, double value);
  EventText& argument(std::string_view name, std::string_view text);
  /// `interned` is of the profile and said to be JSON; left out when empty.
  EventText& argument_json(std::string_view name, std::string_view interned);
  EventText& arguments_json(std::string_view interned);  // the members of a JSON object
  EventText& argument_list(std::string_view name, std::initializer_list<int64_t> numbers);
  /// The interned `text` as it stands where it is JSON, which a file says and may lie about; else as a JSON string.
  std::string json_or_text(std::string_view text);
  void end();

  /// Hands on what is left in `out`; the first error of all hand-overs.
  Status flush();

  size_t count() const { return count_; }

 private:
  void next_argument(std::string_view name);
  std::string& out_;
  const ByteSink& to_;
  Status status_;
  size_t count_ = 0;
  bool in_arguments_ = false;
  std::unordered_map<const char*, bool> is_json_;  // by where interned texts stand: each is parsed once
};

}  // namespace warplens::writers
