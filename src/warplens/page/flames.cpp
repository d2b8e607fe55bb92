#include "warplens/page/flames.h"

namespace warplens::page {
namespace {

Flames flames_of(const writers::FlameTree& tree, writers::FlameMetric metric) {
  writers::FlameChart chart = writers::flame_chart(tree, metric);
  Flames out;
  out.title = std::move(chart.title);
  out.kinds = std::move(chart.kinds);
  for (writers::FlameFrame& frame : chart.frames) {
    out.names.push_back(std::move(frame.name));
    out.parent.push_back(frame.parent);
    out.total_ns.push_back(frame.total_ns);
    out.colour.push_back(frame.colour);
  }
  return out;
}

}  // namespace

Flames device_flames(const Profile& profile) {
  return flames_of(writers::device_flames(profile), writers::FlameMetric::kDeviceTime);
}

Flames host_flames(const Profile& profile) {
  return flames_of(writers::host_flames(profile), writers::FlameMetric::kHostTime);
}

}  // namespace warplens::page
