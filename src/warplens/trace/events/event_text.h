// One event of Chrome's trace format at a time.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "warplens/base/byte_sink.h"
#include "warplens/trace/events/event_sink.h"

namespace warplens {

/// Names of processes and threads are written as numbers where they are numbers. Times are microseconds with three
/// decimals, so that no nanosecond is lost.
class EventText final : public EventSink {
 public:
  /// Appends to `out` and empties it into `to` now and then.
  EventText(std::string& out, const ByteSink& to) : out_(out), to_(to) {}

  EventText& begin(char phase, std::string_view category, std::string_view name, std::string_view process,
                   std::string_view thread, int64_t time_ns) override;
  EventText& duration(int64_t ns) override;
  EventText& field(std::string_view name, int64_t value) override;
  EventText& field(std::string_view name, std::string_view value) override;
  EventText& argument(std::string_view name, int64_t value) override;
  EventText& argument(std::string_view name, double value) override;
  EventText& argument(std::string_view name, std::string_view text) override;
  EventText& argument_json(std::string_view name, std::string_view value) override;
  EventText& arguments_json(std::string_view object) override;
  EventText& argument_list(std::string_view name, std::initializer_list<int64_t> numbers) override;
  void end() override;
  Status flush() override;

  EventText& raw(std::string_view name, std::string_view json);  // which is JSON for certain
  EventText& members(std::string_view json);                     // of an object: valid JSON without its braces
  /// `text` unchanged if it is JSON, which a file may claim wrongly; else as a JSON string.
  std::string json_or_text(std::string_view text);
  size_t count() const { return count_; }

 private:
  void next_argument(std::string_view name);
  std::string& out_;
  const ByteSink& to_;
  Status status_;
  size_t count_ = 0;
  bool in_arguments_ = false;
  std::unordered_map<const char*, bool> is_json_;  // by position: each text is parsed once
};

}  // namespace warplens
