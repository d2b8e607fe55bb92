// Packets as Perfetto's SDK writes them: tracks, interned names, clocks of a sequence, counters, flows.
#include "warplens/trace/readers/perfetto/perfetto.h"

#include <gtest/gtest.h>

#include <random>

#include "warplens/base/protobuf_writer.h"
#include "warplens/trace/events/perfetto_fields.h"
#include "warplens/trace/readers/format.h"

namespace warplens::perfetto {
namespace {

using protobuf::put;

std::string message(std::initializer_list<std::pair<uint32_t, uint64_t>> numbers,
                    std::initializer_list<std::pair<uint32_t, std::string>> texts = {}) {
  std::string out;
  for (const auto& [field, value] : numbers) put(out, field, value);
  for (const auto& [field, value] : texts) put(out, field, std::string_view(value));
  return out;
}

std::string packet(const std::string& content, uint64_t flags = kNeedsState) {
  std::string inner = content, out;
  put(inner, kSequenceId, 3);
  put(inner, kSequenceFlags, flags);
  put(out, kPacket, std::string_view(inner));
  return out;
}

std::string event(uint64_t time, const std::string& body, uint64_t clock = 0) {
  std::string out = message({{kTimestamp, time}}, {{kTrackEvent, body}});
  if (clock != 0) put(out, kTimestampClock, clock);
  return packet(out);
}

std::string interned(uint32_t field, uint64_t number, const std::string& text) {
  return message({}, {{field, message({{kIid, number}}, {{kInternedName, text}})}});
}

std::string head() {
  const std::string names = interned(kEventNames, 1, "outer") + interned(kEventNames, 2, "inner") +
                            interned(kCategoryNames, 1, "app") + interned(kAnnotationNames, 1, "size");
  return packet(message({}, {{kInternedData, names}}), kCleared) +
         packet(message({}, {{kTrackDescriptor,
                              message({{kTrackUuid, 5}},
                                      {{kThread, message({{kThreadPid, 9}, {kTid, 10}}, {{kThreadName, "main"}})}})}}));
}

std::string body(uint64_t type, uint64_t name = 0, const std::string& more = "") {
  std::string out = message({{kType, type}, {kEventTrack, 5}});
  if (name != 0) out += message({{kNameIid, name}, {kCategoryIids, 1}});
  return out + more;
}

Profile read(const std::string& file, Status* status = nullptr) {
  Input input = Input::of_bytes("run.pftrace", file);
  Profile profile;
  const Status got = read_input(input, {}, profile);
  if (status != nullptr) *status = got;
  else EXPECT_TRUE(got.ok()) << got.message();
  return profile;
}

TEST(Perfetto, SpansNestAndCarryTheirArguments) {
  const std::string size = message({}, {{kAnnotation, message({{kAnnotationNameIid, 1}, {kSigned, 64}})}});
  const Profile p = read(head() + event(100, body(kBegin, 1, size)) + event(200, body(kBegin, 2)) +
                         event(250, body(kEnd)) + event(400, body(kEnd)));
  ASSERT_EQ(p.operators.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    const bool outer = p.text(p.operators.name[i]) == "outer";
    EXPECT_EQ(p.operators.start_ns[i], outer ? 100 : 200);
    EXPECT_EQ(p.operators.duration_ns[i], outer ? 300 : 50);
    EXPECT_EQ(p.text(p.operators.args[i]), outer ? "{\"size\": 64}" : "");
  }
  EXPECT_EQ(p.text(p.threads.name[0]), "main");
}

TEST(Perfetto, ClocksOfASequenceCountOn) {
  const std::string clocks = message(
      {}, {{kClock, message({{kClockId, 6}, {kClockTime, 1000}})},
           {kClock, message({{kClockId, 64}, {kClockTime, 0}, {kClockIncremental, 1}, {kClockMultiplier, 1000}})}});
  const Profile p = read(head() + packet(message({}, {{kClockSnapshot, clocks}})) + event(2, body(kBegin, 1), 64) +
                         event(3, body(kEnd), 64));
  ASSERT_EQ(p.operators.size(), 1U);
  EXPECT_EQ(p.operators.start_ns[0], 3000);
  EXPECT_EQ(p.operators.duration_ns[0], 3000);
}

TEST(Perfetto, WhatIsLeftOutIsCounted) {
  const Profile p = read(head() + event(100, body(kBegin, 1)) + event(200, body(kEnd)) + event(300, body(kEnd)) +
                         event(350, body(kBegin, 2)) + event(400, body(kBegin, 1)) +
                         packet(message({}, {{1, "ftrace"}})) + event(500, body(kBegin, 1), 77));
  EXPECT_EQ(p.integrity.find("ends-without-begin")->count, 1);
  EXPECT_EQ(p.integrity.find("begins-without-end")->count, 2);
  EXPECT_EQ(p.integrity.find("packets-not-read")->count, 1);
  EXPECT_EQ(p.integrity.find("unknown-clock")->count, 1);
}

TEST(Perfetto, EventsWhoseNamesWereLostAreNotInvented) {
  Status status;
  read(event(100, body(kBegin, 1)) + event(200, body(kEnd)), &status);
  EXPECT_NE(status.message().find("without an event"), std::string::npos) << status.message();
}

TEST(Perfetto, CountersOfDifferencesAreSummed) {
  const std::string track =
      message({}, {{kTrackDescriptor,
                    message({{kTrackUuid, 8}}, {{kTrackName, "bytes"}, {kCounter, message({{kIsIncremental, 1}})}})}});
  const auto count = [](uint64_t time, uint64_t value) {
    return event(time, message({{kType, kCount}, {kEventTrack, 8}, {kCounterValue, value}}));
  };
  const Profile p = read(head() + packet(track) + count(10, 5) + count(20, 7));
  ASSERT_EQ(p.counter_samples.size(), 2U);
  EXPECT_EQ(p.counter_samples.value[1], 12);
  EXPECT_EQ(p.text(p.counter_samples.name[0]), "bytes");
}

TEST(Perfetto, CutAnywhereOrChangedItIsReadOrRefused) {
  const std::string whole = head() + event(100, body(kBegin, 1)) + event(200, body(kEnd));
  std::mt19937 dice(3);
  for (size_t size = 1; size < whole.size(); ++size) {
    to_trace_events(whole.substr(0, size));
    std::string changed = whole;
    changed[size] = static_cast<char>(dice());
    Status status;
    read(changed, &status);
    EXPECT_TRUE(status.ok() || !status.message().empty());
  }
}

}  // namespace
}  // namespace warplens::perfetto
