#include "warplens/build/driver/stream.h"

namespace warplens::cuda {

Result<Stream> Stream::make(const Device& device) {
  Stream stream(&device.driver());
  WL_TRY(stream.driver_->check(stream.driver_->stream_create(&stream.handle_, kStreamNonBlocking),
                               "cannot create a stream"));
  return stream;
}

Stream Stream::borrow(const Device& device, StreamHandle handle) {
  Stream stream(&device.driver());
  stream.handle_ = handle;
  stream.owned_ = false;
  return stream;
}

Stream::~Stream() {
  if (owned_ && handle_ != nullptr) driver_->stream_destroy(handle_);
}

Status Stream::synchronize() const { return driver_->check(driver_->stream_synchronize(handle_), "the GPU reports"); }

Result<Event> Event::make(const Device& device) {
  Event event(&device.driver());
  WL_TRY(event.driver_->check(event.driver_->event_create(&event.handle_, 0), "cannot create an event"));
  return event;
}

Event::~Event() {
  if (handle_ != nullptr) driver_->event_destroy(handle_);
}

Status Event::record(StreamHandle stream) const {
  return driver_->check(driver_->event_record(handle_, stream), "cannot record an event");
}

Result<double> Event::elapsed_ns(const Event& begin, const Event& end) {
  float ms = 0;
  WL_TRY(begin.driver_->check(begin.driver_->event_elapsed(&ms, begin.handle_, end.handle_), "cannot read the events"));
  return static_cast<double>(ms) * 1e6;
}

}  // namespace warplens::cuda
