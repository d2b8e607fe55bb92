#include "warplens/run/sass/kept.h"

#include <algorithm>

#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/decoder.h"

namespace warplens::simt::sass_machine {

std::string why_not_kept(const Run& run, const MachineLaunch& launch) {
  if (launch.cooperative) return "a cooperative grid";
  if (blocks_of(launch.cluster) > 1 &&
      std::any_of(run.ops.begin(), run.ops.end(), [](const Op& op) { return op.ordered || op.sums; }))
    return "blocks of a cluster take turns, and their effect on device memory depends on their order";
  const auto found = std::find_if(run.ops.begin(), run.ops.end(), [](const Op& op) { return op.inexact; });
  if (found == run.ops.end()) return "";
  return described(*found) + " is not followed to the last bit";
}

}  // namespace warplens::simt::sass_machine
