#include "warplens/cuda_api/clock.h"

#include <algorithm>

#include "warplens/cuda_api/pool.h"
#include "warplens/model/constants.h"
#include "warplens/model/time_model.h"
#include "warplens/model/transfer.h"

namespace warplens::cuda_api {
namespace {

constexpr uint32_t kNonBlocking = 1;

bool waits_for_legacy(const Stream& stream) { return (stream.flags & kNonBlocking) == 0; }

}  // namespace

Span spend(Runtime& runtime, double ns) {
  Stream* working = runtime.working;
  double begin_ns = std::max(working->clock_ns, runtime.host_waited_ns);
  if (runtime.recording) begin_ns = std::max(begin_ns, runtime.recording->arrival_ns());
  if (runtime.is_legacy(working)) {
    for (const Stream* other : runtime.streams) {
      if (other->device == working->device && waits_for_legacy(*other)) begin_ns = std::max(begin_ns, other->clock_ns);
    }
  } else if (waits_for_legacy(*working)) {
    begin_ns = std::max(begin_ns, runtime.legacy[static_cast<size_t>(working->device)].clock_ns);
  }
  working->clock_ns = begin_ns + ns;
  return {begin_ns, working->clock_ns};
}

Span spend_on_sms(Runtime& runtime, double ns, double share) {
  const Span span = runtime.residents.place(current_device(), spend(runtime, 0).begin_ns, ns, share);
  runtime.working->clock_ns = span.end_ns;
  return span;
}

double finished_ns(const Runtime& runtime) {
  const int device = current_device();
  double latest_ns = runtime.legacy[static_cast<size_t>(device)].clock_ns;
  for (const Stream* stream : runtime.streams) {
    if (stream->device == device) latest_ns = std::max(latest_ns, stream->clock_ns);
  }
  return latest_ns;
}

void wait_until(Runtime& runtime, Wait what, double ns, const Stream* stream) {
  release_unused();
  runtime.host_waited_ns = std::max(runtime.host_waited_ns, ns);
  if (runtime.recording) runtime.recording->wait_until(what, ns, stream);
}

double copy_ns(const Runtime& runtime, uint64_t size_bytes, bool pageable) {
  return model::host_copy_ns(static_cast<double>(size_bytes), runtime.device->architecture().cc() / 10, pageable);
}

double transfer_ns(const Runtime& runtime, uint64_t read_bytes, uint64_t warm_sectors, uint64_t written_bytes) {
  const auto sectors = [](uint64_t bytes) { return static_cast<double>((bytes + 31) / 32); };
  const model::Work work =
      model::transfer_work(sectors(read_bytes), static_cast<double>(warm_sectors), sectors(written_bytes));
  return model::estimate_time(work, *runtime.device).recorded_ns;
}

}  // namespace warplens::cuda_api
