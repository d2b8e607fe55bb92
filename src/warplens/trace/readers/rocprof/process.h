// One process that rocprofv3 recorded, on its way to a rank of the profile.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/byte_sink.h"
#include "warplens/base/status.h"
#include "warplens/trace/events/event_text.h"
#include "warplens/trace/profile/profile.h"
#include "warplens/trace/readers/input/growth.h"

namespace warplens::rocprof {

struct Gpu {
  int64_t ordinal = 0;
  std::string name;
  int64_t compute_units = 0, wave_size = 0, max_threads = 0, shared_bytes = 0;  // of a compute unit; 0: not given
};

/// The other contents of a file, counted.
struct Dropped {
  int64_t backwards = 0;                  // rows that end before they begin, or have no time
  std::map<std::string, int64_t> unread;  // by kind
};

class Process {
 public:
  /// growth: of the whole file.
  explicit Process(Growth& growth);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  EventText& events() { return events_; }
  void add(const Gpu& gpu) { gpus_.push_back(gpu); }
  void name_thread(std::string_view process, std::string_view thread, std::string_view name);
  /// True if the times are those of something that ran; counts it if not.
  bool takes(int64_t start_ns, int64_t end_ns);
  Dropped& dropped() { return dropped_; }
  size_t count() const { return events_.count(); }

  /// Adds the process to the profile as a rank of the file.
  Status add_to(Profile& profile, const std::string& file);

 private:
  Growth& growth_;
  std::string held_, text_;
  ByteSink keep_;
  EventText events_;
  std::vector<Gpu> gpus_;
  Dropped dropped_;
};

/// GPUs by a file's handle or number, in the order of the file; other agents are not GPUs.
class GpuNumbers {
 public:
  void add(int64_t handle) { numbers_.try_emplace(handle, static_cast<int64_t>(numbers_.size())); }
  bool has(int64_t handle) const { return numbers_.contains(handle); }
  int64_t operator[](int64_t handle) const {
    const auto found = numbers_.find(handle);
    return found == numbers_.end() ? 0 : found->second;
  }

 private:
  std::map<int64_t, int64_t> numbers_;
};

/// Small numbers for queue handles, in the order of their first use.
class QueueNumbers {
 public:
  int64_t operator[](int64_t handle) {
    return numbers_.try_emplace(handle, static_cast<int64_t>(numbers_.size())).first->second;
  }

 private:
  std::map<int64_t, int64_t> numbers_;
};

}  // namespace warplens::rocprof
