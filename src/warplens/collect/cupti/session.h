// CUPTI in this process: the kinds that it records, switched on and off.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/collect/cupti/calls.h"
#include "warplens/collect/cupti/guest.h"
#include "warplens/collect/cupti/library.h"

namespace warplens::cupti {

struct Levels {
  bool calls = true, all_calls = false, memory = false;
  bool profiler_calls = false;  // report cudaProfilerStart and cudaProfilerStop
};

/// CUPTI's callbacks while the program runs, on threads of its own or the program's.
struct Listener {
  RequestBuffer request;
  CompleteBuffer complete;
  void (*profiler)(bool starts);
  void (*guest)(bool begins);                            // another profiler of this process records, or has ended
  void (*graph_node)(uint64_t node, uint64_t original);  // created (original 0) or cloned
  uint64_t (*now)();                                     // in units of its own
  /// `wait`: nullptr for most calls.
  void (*call)(Domain domain, uint32_t id, uint64_t start, uint64_t end, uint32_t correlation, const Wait* wait);
};

class Session {
 public:
  /// Begins; the text says why it cannot be, with the remedy, and is empty when all is well.
  std::string attach(const std::string& paths, const Levels& levels, const Listener& listener);
  bool attached() const { return attached_.load(std::memory_order_acquire); }
  const Library& library() const { return cupti_; }

  /// From now on, records all driver calls, not only launches. Readers leave out those inside runtime
  /// calls.
  void enable_driver_calls();
  /// Starts or stops recording device work and the calls that cause it. A second call does nothing. CUPTI's own records
  /// of calls (Levels::all_calls) start at attach().
  void enable(bool on);
  /// Hands over complete buffers; at the end all of them.
  void flush(bool at_end);
  /// The contents of a buffer are for another profiler of this process, too.
  void hand_on(uint8_t* buffer, size_t valid_bytes) { guest_.hand_on(buffer, valid_bytes); }
  /// Now and then: libraries that were loaded since may bring a profiler.
  void look_for_guests() {
    if (attached()) guest_.look_for_libraries();
  }
  /// True if records of this kind are for the recorder.
  bool records(uint32_t kind) const { return ever_.on(kind); }
  uint64_t dropped(void* context, uint32_t stream) const;
  std::vector<std::string> call_names(Domain domain) const;

 private:
  static void callback(void* user, uint32_t domain, uint32_t id, const void* data);
  void on_call(Domain domain, uint32_t id, const ApiCallback& call);
  std::string subscribe();
  void enable_all_calls();
  void call_back(Domain domain, bool on);
  void enable_callback(bool on, uint32_t domain, uint32_t id);
  void enable_kind(uint32_t kind, bool on);

  Library cupti_;
  Levels levels_;
  Listener listener_{};
  void* subscriber_ = nullptr;
  Own own_;
  Switches<kMostKinds> ever_;  // kinds that were on once: their records may come late
  Guest guest_;
  std::vector<Call> runtime_calls_, driver_calls_;
  std::atomic<bool> attached_{false};
  bool enabled_ = false, driver_calls_on_ = false;
};

}  // namespace warplens::cupti
