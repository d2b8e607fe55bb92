// A program's settings for CUPTI, and the events since.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "warplens/cuda_api/activity.h"

namespace warplens::libraries {

using RequestBuffer = void (*)(uint8_t** buffer, size_t* size_bytes, size_t* most_records);
using CompleteBuffer = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t size_bytes, size_t valid_bytes);

/// The program's correlation id for its present work, such as one of PyTorch's operators.
struct ExternalId {
  uint32_t kind;
  uint64_t id;
};

struct HeardEvent {
  cuda_api::ActivityEvent event;
  uint32_t thread = 0;
  std::vector<ExternalId> external;  // of a call that begins
};

struct CuptiSession {
  static CuptiSession& get();

  std::mutex mutex;  // of all below
  RequestBuffer request = nullptr;
  CompleteBuffer complete = nullptr;
  uint64_t (*timestamp)() = nullptr;  // the program's clock; none: ns since 1970
  uint64_t first_timestamp = 0;       // of that clock, when it was registered
  uint64_t first_ns = 0;              // of ours, at the same time
  std::array<bool, 64> enabled{};     // by kind of activity
  std::vector<HeardEvent> heard;
  uint8_t* buffer = nullptr;  // created at the first event: PyTorch does not request earlier events
  size_t buffer_bytes = 0;

  void ask_for_buffer();
  void set_timestamp(uint64_t (*clock)());
  /// Begins or ends listening, as kinds ask for it.
  void listen();
  /// Hands over all that was heard, in buffers of the program's.
  void flush();
};

/// Of this host thread, by kind.
std::map<uint32_t, std::vector<uint64_t>>& external_ids();

/// The record at `at` of the output of flush(), and the position of the next one.
inline constexpr size_t kRecordBytes = 256;

/// The name of a callback's number; nullptr if it has none.
const char* callback_name(uint32_t domain, uint32_t number);

}  // namespace warplens::libraries
