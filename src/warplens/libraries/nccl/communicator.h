// One rank of a communicator: its part of each meeting, in two halves, so that one thread can do it for several ranks.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "warplens/libraries/nccl/meeting.h"

namespace warplens::libraries {

class Communicator {
 public:
  Communicator(Meeting meeting, int device) : meeting_(std::move(meeting)), device_(device) {}

  const Meeting& meeting() const { return meeting_; }
  int rank() const { return meeting_.rank(); }
  int ranks() const { return meeting_.ranks(); }
  int device() const { return device_; }

  /// Waits for the other ranks to be there.
  Status ready() { return meeting_.wait_for_all(stopped_); }
  uint64_t begun() const { return began_; }  // meetings
  /// Publishes the data of this rank that the others need.
  Status begin(const Operation& operation);
  /// Waits for the data that this rank needs, and puts it at `operation.out`. Operations end in their order of begin.
  Status finish(const Operation& operation);

  /// A thread that waits in another call returns with an error.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  double factor_of(Reduction reduction) const;
  Reduction add_factor(double factor);

  /// The error of the last call that failed, kept for ncclGetLastError.
  void keep_error(const std::string& text);
  const char* error() const { return error_.c_str(); }

 private:
  Status finish_meeting(const Operation& operation);
  Status check_alike(const Operation& mine, const Note& other, int rank) const;

  Meeting meeting_;
  int device_;
  uint64_t began_ = 0, finished_ = 0;  // meetings
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::vector<double> factors_;
  std::string error_;
};

/// The data that a rank publishes, and the part of each other rank's data that it takes. In elements.
struct Shares {
  uint64_t left = 0;           // by this rank
  uint64_t at = 0, taken = 0;  // of each other
  std::optional<int> from;     // only from that rank; nullopt: from all
  bool reduces = false;
};
Shares shares_of(const Operation& operation, int rank, int ranks);

}  // namespace warplens::libraries
