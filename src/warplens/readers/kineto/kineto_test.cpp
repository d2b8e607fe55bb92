#include <gtest/gtest.h>

#include "warplens/readers/read.h"

namespace warplens {
namespace {

std::string trace(const std::string& name) {
  return WARPLENS_SOURCE_DIR "/tests/data/traces/" + name + ".pt.trace.json.gz";
}

TEST(Kineto, ReadsASmallTraceWhole) {
  const Result<Profile> read = read_profile({trace("square")});
  ASSERT_TRUE(read.ok()) << read.status().message();
  const Profile& profile = read.value();
  EXPECT_EQ(profile.base_ns, 1790857026000000000);
  EXPECT_EQ(profile.operators.size(), 11u);
  EXPECT_EQ(profile.calls.size(), 5u);
  ASSERT_EQ(profile.device_events.size(), 6u);
  EXPECT_EQ(profile.overheads.size(), 1u);
  EXPECT_EQ(profile.devices.size(), 1u);
  EXPECT_EQ(profile.text(profile.devices.name[0]), "NVIDIA H200");
  EXPECT_EQ(profile.operators.start_ns[0], 4390083597364557);
  EXPECT_EQ(profile.operators.duration_ns[0], 1758336);
  EXPECT_EQ(profile.text(profile.operators.input_shapes[1]), "[[10000, 10000]]");
  const uint32_t config = profile.device_events.launch_config[0];
  EXPECT_EQ(profile.launch_configs.grid_x[config], 97657);
  EXPECT_EQ(profile.launch_configs.block_x[config], 128);
  EXPECT_DOUBLE_EQ(profile.launch_configs.occupancy[config], 1.0);
  EXPECT_EQ(profile.text(profile.threads.name[profile.operators.thread[0]]), "thread 751 (python3)");
  EXPECT_TRUE(profile.integrity.issues().empty());
}

}  // namespace
}  // namespace warplens
