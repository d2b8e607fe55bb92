// From an XSpace's planes to device events, calls and ranges.
#include "warplens/trace/readers/xplane/xplane.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "warplens/base/text.h"
#include "warplens/trace/readers/format.h"

namespace warplens::xplane {
namespace {

std::string varint(uint64_t value) {
  std::string out;
  for (; value > 127; value >>= 7) out += static_cast<char>((value & 127) | 128);
  return out + static_cast<char>(value);
}
std::string number(uint32_t field, uint64_t value) { return varint(field << 3) + varint(value); }
std::string bytes(uint32_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}
std::string metadata(uint32_t field, uint64_t id, const std::string& name) {
  return bytes(field, number(1, id) + bytes(2, number(1, id) + bytes(2, name)));
}
std::string event(uint64_t id, uint64_t offset_ps, uint64_t duration_ps, const std::string& stats = "") {
  return bytes(4, number(1, id) + number(2, offset_ps) + number(3, duration_ps) + stats);
}

std::string space() {
  const std::string kernel =
      bytes(4, number(1, 1) + number(4, 77)) +
      bytes(4,
            number(1, 2) + bytes(5, "regs:32 static_shared:16 dynamic_shared:0 grid:4,2,1 block:128,1,1 occ_pct:50")) +
      bytes(4, number(1, 3) + number(7, 4));
  const std::string gpu = number(1, 1) + bytes(2, "/device:GPU:0") +
                          bytes(3, number(1, 13) + bytes(2, "Stream #13(Compute)") + number(3, 5'000'000) +
                                       event(7, 1'000, 2'000'250, kernel)) +
                          metadata(4, 7, "fusion_1") + metadata(5, 1, "correlation_id") +
                          metadata(5, 2, "kernel_details") + metadata(5, 3, "hlo_op") + metadata(5, 4, "fusion.1");
  const std::string host = number(1, 2) + bytes(2, "/host:CPU") +
                           bytes(3, number(1, 42) + bytes(2, "python") + number(3, 4'999'000) +
                                        event(9, 0, 400'000, bytes(4, number(1, 1) + number(4, 77)))) +
                           metadata(4, 9, "cuLaunchKernel") + metadata(5, 1, "correlation_id");
  return bytes(1, gpu) + bytes(1, host);
}

Profile read(const std::string& file) {
  Input input = Input::of_bytes("run.xplane.pb", file);
  Profile profile;
  const Status status = read_input(input, {}, profile);
  EXPECT_TRUE(status.ok()) << status.message();
  return profile;
}

TEST(Xplane, StreamsOfDevicesAreDeviceEvents) {
  ASSERT_TRUE(sniff(space()));
  const Profile p = read(space());
  ASSERT_EQ(p.device_events.size(), 1U);
  EXPECT_EQ(p.text(p.device_events.name[0]), "fusion_1");
  EXPECT_EQ(p.device_events.kind[0], DeviceEventKind::kKernel);
  EXPECT_EQ(p.device_events.stream[0], 13);
  EXPECT_EQ(p.device_events.duration_ns[0], 2000);
  EXPECT_EQ(p.device_events.correlation[0], 77);
  EXPECT_EQ(p.launch_configs.grid_y[p.device_events.launch_config[0]], 2);
  EXPECT_EQ(p.launch_configs.shared_bytes[p.device_events.launch_config[0]], 16);
  ASSERT_EQ(p.calls.size(), 1U);
  EXPECT_EQ(p.text(p.calls.name[0]), "cuLaunchKernel");
  EXPECT_EQ(p.device_events.start_ns[0] - p.calls.start_ns[0], 1001);
}

TEST(Xplane, SumsAndWarningsAndProgramsAreToldNotRead) {
  const std::string sum = bytes(4, number(1, 9) + number(5, 1000) + number(3, 7'000'000));
  const std::string programs =
      number(1, 3) + bytes(2, "/host:metadata") +
      bytes(4, number(1, 1) + bytes(2, number(1, 1) + bytes(2, "jit_step") + bytes(5, number(1, 1) + bytes(6, "hlo"))));
  const std::string sums = number(1, 4) + bytes(2, "/host:CPU") + bytes(6, number(1, 1) + number(3, 5)) +
                           bytes(3, number(1, 43) + number(3, 5'000'000) + sum) + metadata(4, 9, "step");
  const Profile p = read(space() + bytes(1, programs) + bytes(1, sums) + bytes(3, "dropped 12 events"));
  std::map<std::string, int64_t> told;
  std::string message;
  for (const IntegrityIssue& issue : p.integrity.issues()) {
    told[issue.id] = issue.count;
    if (issue.id == "sums-not-read") message = issue.detail;
  }
  EXPECT_TRUE(contains(message, "step (7.00 us in 1000)")) << message;
  EXPECT_EQ(told["sums-not-read"], 1);
  EXPECT_EQ(told["attributes-not-read"], 2);
  EXPECT_EQ(told["recorder-warnings"], 1);
  EXPECT_EQ(p.operators.size() + p.calls.size(), 1U) << "no time is made of a sum";
  Input only = Input::of_bytes("run.xplane.pb", bytes(1, sums));
  Profile none;
  EXPECT_TRUE(contains(read_input(only, {}, none).message(), "sums of 1000 occurrences"));
}

TEST(Xplane, OtherMessagesAreNotTakenForIt) {
  EXPECT_FALSE(sniff(bytes(1, number(8, 5) + bytes(2, "/host:CPU"))) && sniff(bytes(2, "/host:CPU")));
  EXPECT_FALSE(sniff("\n\n\n{\"traceEvents\": []}"));
  EXPECT_FALSE(sniff("\n"));
  EXPECT_FALSE(sniff(""));
}

TEST(Xplane, CutAnywhereOrChangedItIsReadOrRefused) {
  const std::string whole = space();
  std::mt19937 dice(3);
  for (size_t size = 1; size < whole.size(); ++size) {
    const Converted cut = to_trace_events(whole.substr(0, size));
    EXPECT_LE(cut.events, 2);
    std::string changed = whole;
    changed[size] = static_cast<char>(dice());
    Input input = Input::of_bytes("changed.xplane.pb", changed);
    Profile profile;
    const Status status = read_input(input, {}, profile);
    EXPECT_TRUE(status.ok() || !status.message().empty());
  }
}

TEST(Xplane, NamesAreText) {
  const std::string plane = number(1, 1) + bytes(2, "/device:GPU:0") +
                            bytes(3, number(1, 1) + bytes(2, "Stream #1") + event(7, 0, 5'000)) +
                            metadata(4, 7, "</script>\"\\\x1b[31m\n$(id)");
  const Profile p = read(bytes(1, plane));
  ASSERT_EQ(p.device_events.size(), 1U);
  EXPECT_NE(p.text(p.device_events.name[0]).find("</script>\""), std::string_view::npos);
  EXPECT_EQ(p.text(p.device_events.name[0]).find('\x1b'), std::string_view::npos);
}

}  // namespace
}  // namespace warplens::xplane
