// Another profiler in this process (torch.profiler) that wants CUPTI for itself. CUPTI has one subscriber and one set
// of buffers. The guest's CUPTI calls are answered here: it gets the callbacks and records that it would get alone, and
// the recorder keeps its own.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "warplens/collect/cupti/library.h"

namespace warplens::cupti {

inline constexpr uint32_t kDomains = 8, kMostIds = 2048, kMostKinds = 64;

/// Callbacks or kinds of records that are switched on. Read while CUPTI calls back, from any thread.
template <size_t Count>
class Switches {
 public:
  bool on(uint32_t i) const { return i < Count && on_[i].load(std::memory_order_relaxed); }
  void set(uint32_t i, bool on) {
    if (i < Count) on_[i].store(on, std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<bool>, Count> on_{};
};

/// Kinds that the recorder has switched on: a guest cannot switch them off.
struct Own {
  std::array<Switches<kMostIds>, kDomains> callbacks;
  Switches<kMostKinds> kinds;
};

class Guest {
 public:
  /// From now on, CUPTI calls of others in this process come here. `at_work` is called when the guest begins to record,
  /// and when it ends.
  void admit(const Library& cupti, void* subscriber, const Own& own, void (*at_work)(bool begins));
  /// Again, where libraries were loaded since.
  void look_for_libraries();

  bool wants_callback(uint32_t domain, uint32_t id) const { return domain < kDomains && callbacks_[domain].on(id); }
  bool wants_kind(uint32_t kind) const { return kinds_.on(kind); }
  /// Passes on a callback that the guest asked for.
  void call_back(uint32_t domain, uint32_t id, const void* data) const;
  /// Copies the records that the guest asked for into its buffer, and hands the buffer over when it is full or flushed.
  void hand_on(uint8_t* buffer, size_t valid_bytes);

  // CUPTI's functions, as the guest sees them.
  Result subscribe(void** subscriber, Callback callback, void* user);
  Result unsubscribe(void* subscriber);
  Result enable_callback(uint32_t on, void* subscriber, uint32_t domain, uint32_t id);
  Result enable_domain(uint32_t on, void* subscriber, uint32_t domain);
  Result register_buffers(RequestBuffer request, CompleteBuffer complete);
  Result register_clock(uint64_t (*clock)());
  Result enable_kind(uint32_t kind, bool on);
  Result flush(uint32_t flag);
  Result leave();

 private:
  struct Moment {
    uint64_t theirs = 0, ours_ns = 0;
  };
  Moment moment() const;
  uint64_t theirs(uint64_t time_ns, const Moment& now) const;
  void translate(uint8_t* record, uint32_t kind, const Moment& now) const;
  bool wants(const uint8_t* record, uint32_t kind) const;
  void open_buffer();
  void complete_buffer();
  bool is_guest(const void* subscriber) const { return subscriber == this; }

  const Library* cupti_ = nullptr;
  void* subscriber_ = nullptr;  // the recorder's
  const Own* own_ = nullptr;
  void (*at_work_)(bool begins) = nullptr;
  std::mutex mutex_;
  std::atomic<Callback> callback_{nullptr};
  std::atomic<void*> user_{nullptr};
  std::array<Switches<kMostIds>, kDomains> callbacks_;
  Switches<kMostKinds> kinds_;
  // Below `mutex_`:
  Switches<kMostKinds> wanted_;  // kinds of the stretch that continues, or was the last
  uint32_t kinds_on_ = 0;
  uint64_t begin_ns_ = UINT64_MAX, end_ns_ = 0;  // of that stretch
  RequestBuffer request_ = nullptr;
  CompleteBuffer complete_ = nullptr;
  uint8_t* buffer_ = nullptr;  // of the guest, open
  size_t room_ = 0, used_ = 0;
  uint64_t (*clock_)() = nullptr;
  Moment clock_began_;  // when its clock was registered
  unsigned long long libraries_ = 0;
};

}  // namespace warplens::cupti
