#include <gtest/gtest.h>

#include <cstdio>

#include "warplens/base/files.h"
#include "warplens/trace/profile/append.h"
#include "warplens/trace/profile/native/read.h"
#include "warplens/trace/profile/native/write.h"

namespace warplens {
namespace {

Profile example() {
  Profile profile;
  profile.base_ns = 1'700'000'000'000'000'000;
  append(profile.ranks, {.file = profile.strings.intern("a.json"), .rank = 3, .window_end_ns = 900});
  append(profile.threads, {.rank = 0, .name = profile.strings.intern("main")});
  append(profile.devices, {.rank = 0, .name = profile.strings.intern("NVIDIA H200")});
  for (int64_t i = 0; i < 1000; ++i) {
    append(profile.operators,
           {.start_ns = i * 10, .duration_ns = 5, .name = profile.strings.intern("op" + std::to_string(i % 7))});
    append(profile.device_events,
           {.start_ns = i * 10 + 3, .kind = DeviceEventKind::kKernel, .launch_config = kNone, .collective = kNone});
  }
  profile.integrity.add("truncated", Severity::kError, 1, "cut at byte 7", "copy it again");
  return profile;
}

std::string written(const Profile& profile) {
  const std::string path = testing::TempDir() + "native_test.wlens";
  EXPECT_TRUE(native::write(profile, path, true).ok());
  const Result<std::string> bytes = read_file(path);
  std::remove(path.c_str());
  return bytes.value();
}

Result<Profile> read_bytes(std::string bytes) {
  const auto backing = std::make_shared<std::string>(std::move(bytes));
  return native::read(*backing, backing, "test.wlens");
}

TEST(Native, GivesBackWhatWasWritten) {
  const Profile original = example();
  const Result<Profile> read = read_bytes(written(original));
  ASSERT_TRUE(read.ok()) << read.status().message();
  const Profile& copy = read.value();
  EXPECT_EQ(copy.base_ns, original.base_ns);
  ASSERT_EQ(copy.operators.size(), 1000u);
  for (size_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(row_of(copy.operators, i) == row_of(original.operators, i));
    ASSERT_TRUE(row_of(copy.device_events, i) == row_of(original.device_events, i));
  }
  EXPECT_EQ(copy.text(copy.operators.name[8]), "op1");
  ASSERT_NE(copy.integrity.find("truncated"), nullptr);
  EXPECT_EQ(copy.integrity.find("truncated")->severity, Severity::kError);
  EXPECT_EQ(copy.integrity.find("truncated")->detail, "cut at byte 7");
}

TEST(Native, AnEmptyProfileIsFine) { EXPECT_TRUE(read_bytes(written(Profile())).ok()); }

TEST(Native, EveryCutIsAnError) {
  const std::string bytes = written(example());
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
    const Result<Profile> read = read_bytes(bytes.substr(0, size));
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_NE(read.status().message().find("test.wlens"), std::string::npos);
  }
}

TEST(Native, NoDamageGoesUnnoticed) {
  const std::string bytes = written(example());
  size_t in_padding = 0;
  for (size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    if (!read_bytes(damaged).ok()) continue;
    ++in_padding;
    EXPECT_EQ(bytes[at], '\0') << at;
  }
  EXPECT_LT(in_padding, bytes.size() / 7 / 4);
}

TEST(Native, ANewerFormatIsRefusedInWords) {
  std::string bytes = written(example());
  bytes[8] = 2;  // the major version
  const Result<Profile> read = read_bytes(bytes);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().message(),
            "test.wlens: written by a newer warplens (format 2, this one reads up to 1): update warplens");
}

TEST(Native, ReferencesToNothingThereAreRefused) {
  Profile to_collective = example(), to_thread = example(), to_text = example();
  to_collective.device_events.collective.at(7) = 0;
  to_thread.operators.thread.at(7) = kNone;
  to_text.operators.name.at(7) = StringId{99};
  for (const Profile* profile : {&to_collective, &to_thread, &to_text}) {
    const Result<Profile> read = read_bytes(written(*profile));
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.status().message().find("refers to missing rows"), std::string::npos);
  }
}

TEST(Append, RenumbersStringsRowsAndTimes) {
  Profile to = example();
  Profile from = example();
  from.base_ns += 500;
  append_profile(to, from);
  ASSERT_EQ(to.ranks.size(), 2u);
  EXPECT_EQ(to.threads.rank[1], 1u);
  EXPECT_EQ(to.operators.thread[1000], 1u);
  EXPECT_EQ(to.operators.start_ns[1001], 510);
  EXPECT_EQ(to.operators.duration_ns[1001], 5);
  EXPECT_EQ(to.text(to.operators.name[1008]), "op1");
  EXPECT_EQ(to.device_events.launch_config[1000], kNone);
  EXPECT_EQ(to.integrity.find("truncated")->count, 2);
}

}  // namespace
}  // namespace warplens
