#include "warplens/collect/settings/schedule.h"

namespace warplens::collect {

void Schedule::on_capture(bool begins) {
  if (begins) ++captures_;
  else if (captures_ > 0) --captures_;
}

bool Schedule::active() const {
  if (elapsed_ns_ < plan_.delay_ns) return false;
  if (plan_.duration_ns > 0 && elapsed_ns_ >= plan_.delay_ns + plan_.duration_ns) return false;
  if (!plan_.capture.empty() && captures_ == 0) return false;
  if (plan_.active == 0) return true;
  // Warm-up steps are not recorded: there is nothing to warm up but the program, as recording costs the same
  // throughout.
  const uint64_t cycle = plan_.wait + plan_.warmup + plan_.active;
  if (plan_.repeat > 0 && steps_ / cycle >= plan_.repeat) return false;
  return steps_ % cycle >= plan_.wait + plan_.warmup;
}

}  // namespace warplens::collect
