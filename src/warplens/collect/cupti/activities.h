// From CUPTI's activity records to the stream.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "warplens/collect/cupti/abi.h"
#include "warplens/collect/cupti/waits.h"
#include "warplens/trace/stream/encoder.h"

namespace warplens::cupti {

/// The next record of a buffer after `record` (the first for nullptr); false at its end.
using NextRecord = bool (*)(uint8_t* buffer, size_t valid_bytes, void** record);

class ActivityWriter {
 public:
  explicit ActivityWriter(stream::Encoder& to) : to_(to) {}

  /// The system's id of a thread that CUPTI numbers `cupti_thread`.
  void name_thread(uint32_t cupti_thread, uint32_t thread) { threads_[cupti_thread] = thread; }
  /// CUPTI records calls all the time, because it ignores kinds that are switched on later. Only those in a window are
  /// kept.
  void open_window(uint64_t start_ns) { windows_.push_back({start_ns, UINT64_MAX}); }
  void close_window(uint64_t end_ns);
  /// True if calls that are not recorded caused most copies, so that all driver calls must be recorded.
  bool misses_copies() const { return copies_ > copy_calls_ + kMissedCopies && copies_ > 2 * copy_calls_; }
  /// Names by callback id.
  void name_calls(Domain domain, const std::vector<std::string>& names);
  /// `is_own`: true if records of a kind are the recorder's, not only another profiler's.
  template <typename IsOwn>
  void write(uint8_t* buffer, size_t valid_bytes, NextRecord next, IsOwn is_own) {
    for (void* record = nullptr; next(buffer, valid_bytes, &record);) {
      if (is_own(kind_of(record))) write(record);
    }
  }
  static uint32_t kind_of(const void* record);
  void write(const void* record);
  void write_call(const stream::Activity& call, uint32_t callback, bool is_driver, uint32_t thread);
  void write_wait(const stream::Activity& call, const Wait& wait);

  /// Devices seen since the last call, once each.
  std::vector<uint32_t> take_new_devices();
  /// Counts of each device, by ordinal; devices beyond the array are not counted.
  struct Totals {
    uint64_t kernels = 0, kernel_ns = 0, copies = 0, copied_bytes = 0;
  };
  static constexpr size_t kCountedDevices = 16;
  const std::array<Totals, kCountedDevices>& totals() const { return totals_; }
  uint64_t take_unknown() { return std::exchange(unknown_, 0); }

 private:
  struct KnownName {
    const char* at = nullptr;
    std::string text;
    uint32_t id = 0;
  };
  void write_kernel(const KernelRecord& record);
  template <typename Record>
  void write_copy(const Record& record);
  void write_set(const SetRecord& record);
  void write_call(const CallRecord& record);
  void write_sync(const SyncRecord& record);
  void write_memory(const MemoryRecord& record);
  uint32_t name_id(const char* name);
  void see_device(uint32_t device);
  void count_call(uint32_t callback, bool is_driver);
  template <typename Record>
  stream::Activity moved(const Record& record, uint32_t site);
  bool in_window(uint64_t start_ns) const;

  stream::Encoder& to_;
  std::vector<uint32_t> call_names_[2];  // texts by callback id: runtime's, driver's
  std::vector<bool> copies_by_call_[2];
  std::vector<KnownName> known_names_ = std::vector<KnownName>(1024);  // by address; a collision is only slower
  static constexpr uint64_t kMissedCopies = 16;
  struct Window {
    uint64_t start_ns, end_ns;
  };
  std::unordered_map<uint32_t, uint32_t> threads_;
  std::unordered_map<uint64_t, uint32_t> events_;  // numbers of CUDA events, by handle
  std::vector<Window> windows_;
  uint64_t devices_seen_ = 0, unknown_ = 0;
  std::array<Totals, kCountedDevices> totals_{};
  uint64_t copies_ = 0, copy_calls_ = 0;  // and sets; graphs' aside
  std::vector<uint32_t> new_devices_;
  stream::KernelSite last_kernel_{};
  uint32_t last_kernel_site_ = 0;
  stream::CallSite last_call_{};
  uint32_t last_call_site_ = 0;
};

}  // namespace warplens::cupti
