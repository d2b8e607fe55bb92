// Where trace events go, one at a time: Chrome's text, Perfetto's packets.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "warplens/base/status.h"

namespace warplens {

/// One event after the other: begin(), its members, end(). Phases, categories and arguments are those of Chrome's trace
/// events as torch.profiler writes them.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual EventSink& begin(char phase, std::string_view category, std::string_view name, std::string_view process,
                           std::string_view thread, int64_t time_ns) = 0;
  virtual EventSink& duration(int64_t ns) = 0;
  virtual EventSink& field(std::string_view name, int64_t value) = 0;  // beside the arguments
  virtual EventSink& field(std::string_view name, std::string_view value) = 0;
  virtual EventSink& argument(std::string_view name, int64_t value) = 0;
  virtual EventSink& argument(std::string_view name, double value) = 0;
  virtual EventSink& argument(std::string_view name, std::string_view text) = 0;
  /// `value` is said to be JSON, and lives as long as the sink; left out when empty.
  virtual EventSink& argument_json(std::string_view name, std::string_view value) = 0;
  virtual EventSink& arguments_json(std::string_view object) = 0;  // the members of a JSON object
  virtual EventSink& argument_list(std::string_view name, std::initializer_list<int64_t> numbers) = 0;
  virtual void end() = 0;

  /// Hands on the rest; returns the first error of all hand-overs.
  virtual Status flush() = 0;
};

}  // namespace warplens
