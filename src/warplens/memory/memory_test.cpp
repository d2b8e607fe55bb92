#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "warplens/memory/analysis.h"

namespace warplens::memory {
namespace {

constexpr int64_t kMiB = 1 << 20;

/// A snapshot built by hand: one device, stacks named by their number.
struct Made {
  Snapshot snapshot;

  Made() { snapshot.events.emplace_back(); }
  uint32_t stack(std::vector<Frame> frames) {
    snapshot.stacks.push_back(std::move(frames));
    return static_cast<uint32_t>(snapshot.stacks.size() - 1);
  }
  void event(Action action, int64_t address, int64_t bytes, uint32_t stack = kNoStack, int64_t device_free = 0) {
    Event event{action, address, bytes};
    event.stack = stack, event.device_free_bytes = device_free;
    snapshot.events[0].push_back(event);
  }
  void segment(int64_t address, std::vector<Block> blocks) {
    Segment segment{0, address};
    for (Block& block : blocks) {
      block.address = address + segment.bytes;
      segment.bytes += block.bytes;
    }
    segment.blocks = std::move(blocks);
    snapshot.segments.push_back(std::move(segment));
  }
  std::vector<std::string> findings() const {
    std::vector<std::string> ids;
    for (const Finding& finding : analyse(snapshot).findings) ids.push_back(finding.id);
    return ids;
  }
};

TEST(Memory, PeakIsReplayedFromTheEnd) {
  Made made;
  const uint32_t step = made.stack({{"/x/torch/nn/modules/linear.py", "forward", 9}, {"train.py", "step", 12}});
  // 3 MiB are there all along; 2 MiB were freed in the recording; 5 MiB come and go.
  made.segment(1000, {{0, 3 * kMiB, 3 * kMiB, true, kNoStack}, {0, 7 * kMiB, 0, false, kNoStack}});
  made.event(Action::kFree, 9000, 2 * kMiB);
  made.event(Action::kAlloc, 1000 + 3 * kMiB, 5 * kMiB, step);
  made.event(Action::kFree, 1000 + 3 * kMiB, 5 * kMiB);
  const MemoryReport report = analyse(made.snapshot);
  ASSERT_EQ(report.devices.size(), 1U);
  const DeviceMemory& device = report.devices[0];
  EXPECT_EQ(device.reserved_bytes, 10 * kMiB);
  EXPECT_EQ(device.allocated_bytes, 3 * kMiB);
  EXPECT_EQ(device.peak_bytes, 8 * kMiB);
  ASSERT_EQ(device.owners.size(), 2U);
  EXPECT_EQ(device.owners[0].place, "train.py:12 step");
  EXPECT_EQ(device.owners[0].category, "activations");
  EXPECT_EQ(device.owners[0].bytes + device.owners[1].bytes, device.peak_bytes);
  EXPECT_EQ(device.largest_free_bytes, 7 * kMiB);
  EXPECT_EQ(device.stranded_bytes, 7 * kMiB);
}

TEST(Memory, PeakAtTheBeginHasWhatWasFreedSince) {
  Made made;
  made.event(Action::kFree, 1, 4 * kMiB, made.stack({{"train.py", "frees", 9}}));
  made.event(Action::kAlloc, 2, 1 * kMiB);
  made.segment(2, {{0, kMiB, kMiB, true, kNoStack}});
  const MemoryReport report = analyse(made.snapshot);
  EXPECT_EQ(report.devices[0].peak_bytes, 4 * kMiB);
  ASSERT_EQ(report.devices[0].owners.size(), 1U);
  EXPECT_THAT(report.devices[0].owners[0].place, testing::HasSubstr("before the recording"));
}

/// Steps that allocate and free `pieces` blocks of work each, and keep one block when `leaks`.
Made steps(int count, bool leaks) {
  Made made;
  const uint32_t work = made.stack({{"train.py", "work", 3}, {"train.py", "main", 20}}),
                 kept = made.stack({{"train.py", "log_loss", 7}, {"train.py", "main", 21}});
  int64_t address = 1;
  for (int step = 0; step < count; ++step) {
    const int64_t first = address;
    for (int i = 0; i < 6; ++i) made.event(Action::kAlloc, address++, kMiB, work);
    made.event(Action::kAlloc, 100'000 + step, kMiB, kept);
    for (int i = 0; i < 6; ++i) made.event(Action::kFree, first + i, kMiB, work);
    if (!leaks) made.event(Action::kFree, 100'000 + step, kMiB, kept);
  }
  return made;
}

TEST(Memory, LeaksGrowWhileOthersComeAndGo) {
  const MemoryReport report = analyse(steps(8, true).snapshot);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "memory-leak");
  EXPECT_THAT(report.findings[0].where, testing::ElementsAre("train.py:7 log_loss"));
  EXPECT_THAT(steps(8, false).findings(), testing::IsEmpty());
  // Weights that are made one after another stay too, and nothing is freed between them.
  Made weights;
  const uint32_t made_at = weights.stack({{"model.py", "__init__", 2}});
  for (int i = 0; i < 50; ++i) weights.event(Action::kAlloc, i, kMiB, made_at);
  EXPECT_THAT(weights.findings(), testing::IsEmpty());
  // Layers of one forward pass keep their activations: that loop is of no steps.
  Made layers;
  const uint32_t first = layers.stack({{"model.py", "forward", 5}, {"t.py", "main", 1}}),
                 second = layers.stack({{"model.py", "forward", 6}, {"t.py", "main", 1}});
  for (int i = 0; i < 20; ++i) layers.event(Action::kAlloc, i, kMiB, i % 2 ? second : first);
  EXPECT_THAT(layers.findings(), testing::IsEmpty());
}

TEST(Memory, OutOfMemoryTellsPiecesFromTooLittle) {
  Made pieces;
  pieces.segment(0, {{0, 6 * kMiB, 6 * kMiB, true, kNoStack},
                     {0, 3 * kMiB, 0, false, kNoStack},
                     {0, 6 * kMiB, 6 * kMiB, true, kNoStack},
                     {0, 3 * kMiB, 0, false, kNoStack}});
  pieces.event(Action::kOutOfMemory, 0, 5 * kMiB, kNoStack, kMiB);
  EXPECT_THAT(pieces.findings(), testing::Contains("fragmented-oom"));
  Made full;
  full.segment(0, {{0, 18 * kMiB, 18 * kMiB, true, kNoStack}});
  full.event(Action::kOutOfMemory, 0, 5 * kMiB, kNoStack, kMiB);
  EXPECT_THAT(full.findings(), testing::ElementsAre("out-of-memory"));
  // What the error freed while it unwound was not free when it was raised.
  full.event(Action::kFree, 77, 12 * kMiB);
  full.segment(100 * kMiB, {{0, 12 * kMiB, 0, false, kNoStack}});
  EXPECT_THAT(full.findings(), testing::Contains("out-of-memory"));
}

TEST(Memory, TheEndOfTheReplayIsWhatTheSnapshotHolds) {
  Made made;
  // Requested sizes in the events; the allocator rounds to 512 bytes, and gives a whole block where little would be
  // left.
  made.event(Action::kAlloc, 1000, 700);
  made.event(Action::kFree, 1000, 700);
  made.event(Action::kAlloc, 1000, 3 * kMiB - 100);
  made.segment(1000, {{0, 4 * kMiB, 3 * kMiB - 100, true, kNoStack}});
  const DeviceMemory device = analyse(made.snapshot).devices[0];
  EXPECT_EQ(device.slices.front().peak_bytes, 1024);
  EXPECT_EQ(device.peak_bytes, 4 * kMiB);
  EXPECT_EQ(device.slices.back().end_bytes, device.allocated_bytes);
}

/// Each step takes a large block and gives it back; a small one that was cut from it stays. Then a request fails.
Made pinned(int steps, int64_t large, int64_t kept, int64_t request, int64_t driver_has) {
  Made made;
  const uint32_t log = made.stack({{"train.py", "log", 7}});
  for (int step = 0; step < steps; ++step)
    made.segment(step * 10'000 * kMiB,
                 {{0, kept * kMiB, kept * kMiB, true, log}, {0, (large - kept) * kMiB, 0, false, kNoStack}});
  made.event(Action::kOutOfMemory, 0, request * kMiB, kNoStack, driver_has * kMiB);
  return made;
}

int64_t named_limit(const Made& made) {
  for (const Finding& finding : analyse(made.snapshot).findings) {
    if (finding.id != "fragmented-oom") continue;
    for (const auto& [key, value] : finding.evidence)
      if (key == "max_split_size_mb") return std::get<int64_t>(value);
  }
  return 0;
}

TEST(Memory, ALimitOnSplittingIsNamedWhereTheRequestThenFits) {
  EXPECT_EQ(named_limit(pinned(6, 200, 4, 600, 300)), 21);   // below it, torch refuses the setting
  EXPECT_EQ(named_limit(pinned(6, 200, 50, 600, 300)), 51);  // above the blocks that were cut
  EXPECT_EQ(named_limit(pinned(6, 200, 4, 1470, 300)), 0);   // the small blocks' own segments take too much
  EXPECT_EQ(named_limit(pinned(6, 200, 150, 700, 300)), 0);  // blocks of segments of their own fill the GPU as before
  Made expandable = pinned(6, 200, 4, 600, 300);
  for (Segment& segment : expandable.snapshot.segments) segment.expandable = true;
  EXPECT_EQ(named_limit(expandable), 0);
}

TEST(Memory, AFailureIsJudgedByTheStateOfItsTime) {
  // All was in use when the request failed; the error freed it, and a segment went back to the driver.
  Made made;
  made.event(Action::kOutOfMemory, 0, 100 * kMiB, kNoStack, kMiB);
  made.event(Action::kFree, 5000 * kMiB, 80 * kMiB);
  made.event(Action::kSegmentFree, 5000 * kMiB, 80 * kMiB);
  made.segment(0, {{0, 40 * kMiB, 40 * kMiB, true, kNoStack}});
  const MemoryReport report = analyse(made.snapshot);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "out-of-memory");
  EXPECT_THAT(report.findings[0].detail, testing::StartsWith("120 MiB were reserved, of which 0 B were free"));
}

TEST(Memory, StepsComeFromAnnotationsOrFromALoop) {
  Made made;
  const uint32_t forward =
      made.stack({{"/torch/functional.py", "relu", 3}, {"t.py", "train", 10}, {"t.py", "<module>", 30}});
  const uint32_t update = made.stack({{"t.py", "train", 12}, {"t.py", "<module>", 30}});
  const uint32_t other = made.stack({{"thread.py", "run", 1}});
  for (int step = 0; step < 3; ++step) {
    made.event(Action::kAlloc, 10 * step + 1, kMiB, forward);
    made.event(Action::kAlloc, 10 * step + 2, kMiB, other);  // of another thread: it tells no step
    made.event(Action::kFree, 10 * step + 2, kMiB, other);
    made.event(Action::kAlloc, 10 * step + 3, kMiB, update);
    made.event(Action::kFree, 10 * step + 3, kMiB, update);
  }
  DeviceMemory device = analyse(made.snapshot).devices[0];
  EXPECT_EQ(device.steps_end_at, "another round of train in t.py");
  ASSERT_EQ(device.steps.size(), 3U);
  for (int step = 0; step < 3; ++step) EXPECT_EQ(device.steps[step].end_bytes, (step + 1) * kMiB);
  EXPECT_EQ(device.steps[2].peak_bytes, 4 * kMiB);
  // Torch's own marks go first.
  for (size_t i = 0; i < made.snapshot.events[0].size(); ++i)
    made.snapshot.events[0][i].time_us = static_cast<int64_t>(i) + 1;
  made.snapshot.annotations = {{"Optimizer.step#SGD.step", false, 0, 5}, {"Optimizer.step#SGD.step", false, 0, 15}};
  device = analyse(made.snapshot).devices[0];
  EXPECT_EQ(device.steps_end_at, "the end of Optimizer.step#SGD.step");
  EXPECT_EQ(device.steps.size(), 2U);
}

TEST(Memory, SegmentsMadeAgainAreThrash) {
  Made made;
  for (int i = 0; i < 5; ++i) {
    made.event(Action::kSegmentAlloc, 0, 20 * kMiB);
    made.event(Action::kSegmentFree, 0, 20 * kMiB);
  }
  EXPECT_THAT(made.findings(), testing::ElementsAre("allocator-thrash"));
  Made growing;
  for (int i = 0; i < 50; ++i) growing.event(Action::kSegmentAlloc, i, 20 * kMiB);
  EXPECT_THAT(growing.findings(), testing::IsEmpty());
}

TEST(Memory, CategoriesComeFromTheStack) {
  EXPECT_EQ(category_of({{"/p/torch/optim/adam.py", "_init_group", 1}, {"t.py", "forward", 2}}), "optimizer");
  EXPECT_EQ(category_of({{"??", "torch::autograd::Engine::evaluate_function", 0}}), "gradients");
  EXPECT_EQ(category_of({{"m.py", "forward", 1}, {"m.py", "__init__", 2}}), "activations");
  EXPECT_EQ(category_of({{"/p/torch/nn/modules/module.py", "_apply", 1}}), "weights");
  EXPECT_EQ(category_of({{"a.py", "main", 1}}), "other");
}

TEST(Memory, OtherPicklesAreNoSnapshots) {
  for (const char* text : {"\x80\x02}.", "\x80\x02].", "\x80\x02N."}) {
    const auto snapshot = read_snapshot(text);
    ASSERT_FALSE(snapshot.ok());
    EXPECT_THAT(snapshot.status().message(), testing::HasSubstr("no memory snapshot"));
  }
}

}  // namespace
}  // namespace warplens::memory
