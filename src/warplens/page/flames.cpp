#include "warplens/page/flames.h"

#include "warplens/program/analysis/kernel_name.h"
#include "warplens/writers/flamegraph/flame_tree.h"

namespace warplens::page {
namespace {

Flames flames_of(const writers::FlameTree& tree, const char* title) {
  Flames out;
  out.title = title;
  for (const writers::FlameNode& node : tree.nodes) {
    out.names.push_back(analysis::short_kernel_name(node.name));
    out.parent.push_back(node.parent);
    out.total_ns.push_back(node.total_ns);
  }
  if (out.total_ns.empty() || out.total_ns[0] == 0) return {};
  out.names[0] = "all";
  return out;
}

}  // namespace

Flames device_flames(const Profile& profile) {
  return flames_of(writers::device_flames(profile), "GPU time by Python code, operator and kernel");
}

Flames host_flames(const Profile& profile) {
  return flames_of(writers::host_flames(profile), "Host time by Python code and operator");
}

}  // namespace warplens::page
