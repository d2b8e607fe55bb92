// From events to rows of a chunk's tables.
#pragma once
#include "warplens/trace/readers/kineto/chunk.h"

namespace warplens::kineto {

class RowBuilder {
 public:
  RowBuilder(Chunk& chunk, Interner& interner) : chunk_(chunk), interner_(interner) {}
  /// Adds the event's row. False when the event cannot be used: no phase, name or valid time where its kind needs one.
  bool add(const Event& event);

 private:
  struct Times {
    int64_t start_ns = 0, duration_ns = 0;
  };

  bool add_span(const Event& event, const Times& times);
  void add_instant(const Event& event, const Times& times);
  void add_end(const Event& event, int64_t time_ns);
  void add_name(const Event& event);

  // Each returns the row number in its table.
  size_t add_operator(const Event& event, const Times& times, OperatorKind kind);
  size_t add_call(const Event& event, const Times& times, CallKind kind);
  size_t add_python_frame(const Event& event, const Times& times);
  size_t add_overhead(const Event& event, const Times& times);
  size_t add_device_event(const Event& event, const Times& times, DeviceEventKind kind);
  size_t add_mtia_event(const Event& event, const Times& times);
  size_t add_synchronization(const Event& event, const Times& times);
  size_t add_other(const Event& event, const Times& times);
  void add_allocation(const Event& event, int64_t time_ns);
  void add_flow(const Event& event, int64_t time_ns);
  void add_counter(const Event& event, int64_t time_ns);

  uint32_t launch_config(const Event& event);
  uint32_t collective(const Event& event);

  /// A string's contents with escapes replaced, any other value as its text.
  StringId text(const Value& value);
  StringId text(std::string_view plain) { return interner_.intern(plain); }
  /// The arguments outside `stored` as a JSON object; kEmpty if there are none.
  StringId further_arguments(const Event& event, uint64_t stored);
  uint32_t thread_of(const Event& event);
  int64_t integer(const Event& event, Argument argument, int64_t otherwise) const;

  Chunk& chunk_;
  Interner& interner_;
  std::string_view last_process_, last_thread_;
  uint32_t last_thread_row_ = 0;
  std::map<ThreadKey, uint32_t> thread_rows_;
  std::map<launch_configs_row, uint32_t> config_rows_;
  std::string scratch_;
};

}  // namespace warplens::kineto
