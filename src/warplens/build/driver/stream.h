// Streams and events with owners.
#pragma once
#include <utility>

#include "warplens/build/driver/device.h"

namespace warplens::cuda {

/// A stream that does not wait for the default one, or one that the caller owns.
class Stream {
 public:
  static Result<Stream> make(const Device& device);
  /// `handle` may be nullptr: the default stream.
  static Stream borrow(const Device& device, StreamHandle handle);
  Stream(Stream&& other) noexcept
      : driver_(other.driver_), handle_(std::exchange(other.handle_, nullptr)), owned_(other.owned_) {}
  Stream& operator=(Stream&&) = delete;
  ~Stream();
  StreamHandle handle() const { return handle_; }
  Status synchronize() const;

 private:
  explicit Stream(const Driver* driver) : driver_(driver) {}
  const Driver* driver_;
  StreamHandle handle_ = nullptr;
  bool owned_ = true;
};

class Event {
 public:
  static Result<Event> make(const Device& device);
  Event(Event&& other) noexcept : driver_(other.driver_), handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event();
  Status record(StreamHandle stream) const;
  /// GPU time between two events that have happened.
  static Result<double> elapsed_ns(const Event& begin, const Event& end);

 private:
  explicit Event(const Driver* driver) : driver_(driver) {}
  const Driver* driver_;
  EventHandle handle_ = nullptr;
};

}  // namespace warplens::cuda
