// Events of one host thread on their way to the writer: a ring of bytes that the thread fills and the writer empties,
// without locks. If it is full, whole ranges are dropped and counted: never a pop without its push, nor the reverse.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "warplens/collect/cupti/waits.h"

namespace warplens::collect {

inline constexpr size_t kThreadLogBytes = size_t{1} << 20;
inline constexpr int kOperatorTextBits = 12;
inline constexpr size_t kOperatorTexts = size_t{1} << kOperatorTextBits;  // that a log keeps
inline constexpr size_t kMaxRangeText = 16384;                            // longer texts are cut

enum class HostEvent : uint8_t {
  kSkip,
  kPush,
  kPop,
  kMark,
  kStart,
  kEnd,
  kThreadName,
  kOperator,
  kOperatorText,   // numbers a text, which operators of the thread refer to from then on
  kKnownOperator,  // an operator with such a text
  kRuntimeCall,
  kDriverCall,
  kSample,
  kArguments  // of the operator that is open: JSON
};

struct CallEnd {
  uint64_t ticks;
  cupti::Wait wait;
};

struct HostRecord {
  HostEvent event;
  uint32_t domain;  // index of its name; 0: none; of kOperator: bytes of its name, shapes follow;
                    // of kOperatorText and kKnownOperator: the text's number; of calls: CUPTI's number of the function;
                    // of kSample: HostState
  uint64_t ticks;
  uint64_t id;  // start/end ranges; of operators: sequence number + 1; of kOperatorText: bytes of the name; of calls:
                // correlation, and their text is a CallEnd, without its wait if there is none; of kSample: the thread,
                // its stack the text
  std::string_view text;
};

class ThreadLog {
 public:
  ThreadLog();
  ThreadLog(const ThreadLog&) = delete;
  ~ThreadLog();

  // By the thread
  /// False if the record was dropped.
  bool write(const HostRecord& record);
  /// An operator whose text the log has under that key. False: it has none, and nothing is written.
  bool write_known_operator(uint64_t key, uint64_t ticks, uint64_t id);
  /// A program calls most operators with the same inputs repeatedly: the log keeps the text under `key`, which only
  /// this text has.
  void write_operator(uint64_t key, uint64_t ticks, uint64_t id, std::string_view text, size_t name_bytes);
  /// Once for each quarter that was filled: time to wake the writer.
  bool take_quarter_filled() {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - woken_at_ < kThreadLogBytes / 4) return false;
    woken_at_ = head;
    return true;
  }
  void close() { closed_.store(true, std::memory_order_release); }

  // By the writer
  bool read(HostRecord& record);  // its text holds until the next read()
  uint64_t take_lost() { return lost_.exchange(0, std::memory_order_relaxed); }
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  /// For the next thread, once it is closed and empty.
  void reopen(uint32_t thread, uint32_t cupti_thread);
  uint32_t thread() const { return thread_; }
  /// CUPTI's number of the thread: pthread_self(), cut to 32 bits. System ids would cost a system call a
  /// record.
  uint32_t cupti_thread() const { return cupti_thread_; }

 private:
  struct Header;
  static uint32_t number_of(uint64_t key) { return static_cast<uint32_t>(key >> (64 - kOperatorTextBits)); }
  bool drop(const HostRecord& record);
  size_t free_bytes(size_t wanted);

  uint8_t* bytes_;
  uint32_t thread_ = 0, cupti_thread_ = 0;
  std::atomic<bool> closed_ = false;
  std::atomic<uint64_t> lost_ = 0;
  uint64_t open_ = 0, dropped_open_ = 0;  // ranges pushed and not popped; those of them that were dropped
  uint64_t tail_seen_ = 0, woken_at_ = 0;
  std::unique_ptr<uint64_t[]> keys_;  // of operators' texts, by their number; 0: none
  size_t last_read_bytes_ = 0;        // of the record that read() gave last, which the thread may not overwrite yet
  alignas(64) std::atomic<uint64_t> head_ = 0;
  alignas(64) std::atomic<uint64_t> tail_ = 0;
};

}  // namespace warplens::collect
