#include "warplens/collect/settings/step_watch.h"

#include <algorithm>
#include <utility>

#include "warplens/base/middle.h"

namespace warplens::collect {
namespace {

std::string milliseconds(uint64_t ns) {
  const uint64_t tenths = ns / 100'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " ms";
}

}  // namespace

uint64_t StepWatch::median_ns() const { return lengths_.size() < kEnough ? 0 : middle_of(lengths_); }

std::string StepWatch::on_step(uint64_t now_ns) {
  const uint64_t began_ns = std::exchange(began_ns_, now_ns);
  if (began_ns == 0 || now_ns < began_ns) return "";
  last_ns_ = now_ns - began_ns;
  ++steps_;
  const uint64_t median = slow_.of_median > 0 ? median_ns() : 0;
  if (lengths_.size() < kKept) lengths_.push_back(last_ns_);
  else lengths_[steps_ % kKept] = last_ns_;
  std::string what = "step " + std::to_string(steps_) + " took " + milliseconds(last_ns_);
  if (slow_.longer_than_ns > 0 && last_ns_ > slow_.longer_than_ns) return what;
  if (median > 0 && static_cast<double>(last_ns_) > slow_.of_median * static_cast<double>(median))
    return what + ", the median " + milliseconds(median);
  return "";
}

}  // namespace warplens::collect
