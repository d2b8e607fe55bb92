// Writes a profile of many kernels, for queries to be timed on: query_events FILE.wlens COUNT
#include <fmt/core.h>

#include <cstdlib>
#include <random>

#include "warplens/trace/profile/native/write.h"
#include "warplens/trace/profile/profile.h"

namespace {

constexpr int kNames = 400;

warplens::Profile make_profile(int64_t count) {
  using namespace warplens;
  std::mt19937_64 random(1);
  Profile p;
  append(p.ranks, {.file = p.strings.intern("made"), .world_size = 1, .window_end_ns = count * 1000});
  append(p.threads, {.process = p.strings.intern("1"), .thread = p.strings.intern("1")});
  append(p.devices, {.name = p.strings.intern("NVIDIA H200"), .sm_count = 132});
  append(p.launch_configs, {.grid_x = 1024, .grid_y = 1, .grid_z = 1, .block_x = 256, .block_y = 1, .block_z = 1});
  std::vector<StringId> names;
  for (int i = 0; i < kNames; ++i)
    names.push_back(p.strings.intern(fmt::format("void kernel_{}<float, {}>()", i, i % 7)));
  for (int64_t i = 0; i < count; ++i)
    append(p.device_events, {.start_ns = i * 1000,
                             .duration_ns = 200 + static_cast<int64_t>(random() % 700),
                             .name = names[random() % kNames],
                             .kind = random() % 20 == 0 ? DeviceEventKind::kCopy : DeviceEventKind::kKernel,
                             .stream = 7 + static_cast<int64_t>(random() % 3),
                             .correlation = i + 1,
                             .external_id = i / 3 + 1,
                             .launch_config = 0,
                             .collective = kNone});
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto written = warplens::native::write(make_profile(std::atoll(argv[2])), argv[1], true);
  if (!written.ok()) fmt::print(stderr, "{}\n", written.message());
  return written.ok() ? 0 : 1;
}
