// Counters of --counters FILE, of any names and sizes: joined to a small timeline, or refused.
#include <cstdlib>

#include "mutate_json.h"
#include "warplens/program/findings/counted/counted_kernels.h"

namespace {

using namespace warplens;

Profile make_profile() {
  Profile p;
  append(p.ranks, {.file = p.strings.intern("a"), .rank = 0, .world_size = 1});
  append(p.devices, {.rank = 0, .ordinal = 0, .name = p.strings.intern("GPU")});
  append(p.launch_configs, {.grid_x = 4, .grid_y = 1, .grid_z = 1, .block_x = 256, .block_y = 1, .block_z = 1});
  append(p.launch_configs, {.grid_x = 8, .grid_y = 2, .grid_z = 1, .block_x = 32, .block_y = 1, .block_z = 1});
  int64_t at = 0;
  for (const char* name : {"add", "void scale<float>(float*, int)", "_Z5scaleIfEvPT_i", "gemm", "add", ""}) {
    for (const uint32_t config : {0U, 1U, kNone})
      append(p.device_events, {.start_ns = at += 10,
                               .duration_ns = 5,
                               .name = p.strings.intern(name),
                               .launch_config = config,
                               .collective = kNone});
  }
  return p;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Profile profile = make_profile();
  const auto report = json::parse({reinterpret_cast<const char*>(data), size});
  if (!report.ok()) return 0;
  std::vector<std::string> notes;
  auto launches = findings::counted_launches(*report, &notes);
  if (!launches.ok()) return 0;
  const findings::CountedKernels joined = findings::join_counters(profile, std::move(*launches), notes);
  if (joined.any() && joined.joins.size() != profile.device_events.size()) std::abort();
  for (const findings::Join& join : joined.joins)
    if (join.launch != kNone && join.launch >= joined.launches.size()) std::abort();
  if (joined.kernels_joined > joined.kernels || joined.launches_joined > joined.launches.size()) std::abort();
  return 0;
}
