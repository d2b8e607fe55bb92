// CUPTI's records through the writer and back through the decoder.
#include "warplens/collect/cupti/activities.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "warplens/trace/stream/decoder.h"
#include "warplens/trace/stream/file_blocks.h"

namespace warplens::cupti {
namespace {

class Blocks : public stream::BlockSink {
 public:
  Blocks() {
    const stream::FileHeader header = stream::file_header();
    bytes.assign(reinterpret_cast<const char*>(&header), sizeof header);
  }
  void put(stream::BlockKind, std::string_view block, uint64_t, uint64_t) override { bytes += numbers.next(block); }
  stream::FileBlocks numbers;
  std::string bytes;
};

/// What came of activities, one line each.
class Seen : public stream::Visitor {
 public:
  void text(uint64_t id, std::string_view text) override { texts[id] = text; }
  void site(uint64_t id, const stream::KernelSite& s) override {
    sites[id] = texts[s.name] + " grid " + std::to_string(s.grid[0]) + " shared " + std::to_string(s.shared_bytes);
  }
  void site(uint64_t id, const stream::CallSite& s) override {
    sites[id] = (s.is_driver ? "driver " : "runtime ") + texts[s.name] + " of thread " + std::to_string(s.thread);
  }
  void site(uint64_t id, const stream::CopySite& s) override { sites[id] = "copy kind " + std::to_string(s.kind); }
  void site(uint64_t id, const stream::SetSite& s) override { sites[id] = "set memory " + std::to_string(s.memory); }
  void site(uint64_t id, const stream::SyncSite& s) override { sites[id] = "sync type " + std::to_string(s.type); }
  void device(const stream::Device&, uint64_t) override {}
  void thread_name(uint64_t, uint64_t) override {}
  void metadata(uint64_t, uint64_t) override {}
  void graph_node(uint64_t, uint64_t, uint64_t) override {}
  void activity(stream::Tag, const stream::Activity& a) override {
    std::string line = sites[a.site] + ", " + std::to_string(a.end_ns - a.start_ns) + " ns, correlation " +
                       std::to_string(a.correlation);
    if (a.bytes > 0) line += ", " + std::to_string(a.bytes) + " bytes";
    if (a.graph > 0) line += ", node " + std::to_string(a.node);
    if (a.event_plus_1 > 0) line += ", event " + std::to_string(a.event_plus_1 - 1);
    lines.push_back(line);
  }
  void allocation(uint64_t, uint64_t, uint64_t, int64_t bytes, int64_t device) override {
    lines.push_back("allocated " + std::to_string(bytes) + " on " + std::to_string(device));
  }
  void push(uint64_t, uint64_t, uint64_t, uint64_t) override {}
  void begin_operator(uint64_t, uint64_t, uint64_t, uint64_t, int64_t) override {}
  void pop(uint64_t, uint64_t) override {}
  void mark(uint64_t, uint64_t, uint64_t, uint64_t) override {}
  void range_start(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) override {}
  void range_end(uint64_t, uint64_t, uint64_t) override {}
  void clock(uint64_t, uint64_t) override {}
  void lost(stream::Lost, uint64_t) override {}
  void pause(uint64_t, bool) override {}
  void end() override {}

  std::vector<std::string> lines;
  std::map<uint64_t, std::string> texts, sites;
};

constexpr uint64_t kStart = 1'800'000'000'000'000'000;
using Lines = std::vector<std::string>;

struct Bench {
  Blocks blocks;
  stream::Encoder encoder{blocks};
  ActivityWriter writer{encoder};

  Lines lines() {
    encoder.flush();
    Seen seen;
    EXPECT_TRUE(stream::decode(blocks.bytes, seen).ok());
    return seen.lines;
  }
};

KernelRecord kernel(const char* name, uint32_t correlation) {
  KernelRecord r{};
  r.kind = kConcurrentKernel;
  r.name = name;
  r.start = kStart;
  r.end = kStart + 500;
  r.correlation = correlation;
  r.grid[0] = 8;
  r.static_shared = 16;
  r.dynamic_shared = 32;
  r.registers_per_thread = 40;
  return r;
}

CallRecord call(uint32_t kind, uint32_t callback, uint64_t start) {
  CallRecord r{};
  r.kind = kind;
  r.callback = callback;
  r.start = start;
  r.end = start + 3000;
  r.thread = 99;
  r.correlation = 7;
  return r;
}

TEST(ActivityWriter, KernelsOfSeveralNamesAndGraphs) {
  Bench bench;
  KernelRecord records[] = {kernel("add", 5), kernel("add", 6), kernel("mul", 7)};
  records[2].graph = 3;
  records[2].graph_node = 44;
  for (const KernelRecord& r : records) bench.writer.write(&r);
  EXPECT_EQ(bench.lines(),
            (Lines{"add grid 8 shared 48, 500 ns, correlation 5", "add grid 8 shared 48, 500 ns, correlation 6",
                   "mul grid 8 shared 48, 500 ns, correlation 7, node 44"}));
  EXPECT_EQ(bench.writer.totals()[0].kernels, 3u);
  EXPECT_EQ(bench.writer.totals()[0].kernel_ns, 1500u);
  EXPECT_EQ(bench.writer.take_new_devices(), std::vector<uint32_t>{0});
}

TEST(ActivityWriter, NameInAnotherModulesPlace) {
  Bench bench;
  char place[8] = "first";
  KernelRecord r = kernel(place, 1);
  bench.writer.write(&r);
  std::snprintf(place, sizeof place, "second");
  bench.writer.write(&r);
  const Lines lines = bench.lines();
  EXPECT_EQ(lines[0].substr(0, 6), "first ");
  EXPECT_EQ(lines[1].substr(0, 7), "second ");
}

TEST(ActivityWriter, CopiesSetsAndWaits) {
  Bench bench;
  CopyRecord copy{};
  copy.kind = kMemcpy;
  copy.copy_kind = 1;
  copy.bytes = 4096;
  copy.start = kStart;
  copy.end = kStart + 10;
  copy.correlation = 1;
  SetRecord set{};
  set.kind = kMemset;
  set.memory = 3;
  set.bytes = 64;
  set.start = kStart;
  set.end = kStart + 20;
  set.correlation = 2;
  SyncRecord sync{};
  sync.kind = kSynchronization;
  sync.type = 3;
  sync.start = kStart;
  sync.end = kStart + 30;
  sync.correlation = 3;
  sync.event = 5;
  MemoryRecord memory{};
  memory.kind = kMemory2;
  memory.operation = 2;
  memory.memory = 3;
  memory.bytes = 512;
  memory.timestamp = kStart;
  memory.device = 1;
  bench.writer.write(&copy);
  bench.writer.write(&set);
  bench.writer.write(&sync);
  bench.writer.write(&memory);
  EXPECT_EQ(bench.lines(),
            (Lines{"copy kind 1, 10 ns, correlation 1, 4096 bytes", "set memory 3, 20 ns, correlation 2, 64 bytes",
                   "sync type 3, 30 ns, correlation 3, event 5", "allocated -512 on 1"}));
  EXPECT_EQ(bench.writer.totals()[0].copied_bytes, 4096u);
}

TEST(ActivityWriter, CallsHaveNamesAndThreadsAndAWindow) {
  Bench bench;
  bench.writer.name_calls(kRuntimeApi, {"", "cudaLaunchKernel"});
  bench.writer.name_calls(kDriverApi, {"", "", "cuLaunchKernel"});
  bench.writer.name_thread(99, 4321);
  bench.writer.open_window(kStart);
  bench.writer.close_window(kStart + 100);
  for (const CallRecord& r : {call(kRuntime, 1, kStart - 1), call(kRuntime, 1, kStart), call(kDriver, 2, kStart + 99),
                              call(kDriver, 77, kStart + 50), call(kRuntime, 1, kStart + 100)})
    bench.writer.write(&r);
  EXPECT_EQ(bench.lines(), (Lines{"runtime cudaLaunchKernel of thread 4321, 3000 ns, correlation 7",
                                  "driver cuLaunchKernel of thread 4321, 3000 ns, correlation 7",
                                  "driver  of thread 4321, 3000 ns, correlation 7"}));
}

TEST(ActivityWriter, CallsThatThreadsTimedThemselves) {
  Bench bench;
  bench.writer.name_calls(kRuntimeApi, {"", "cudaLaunchKernel"});
  bench.writer.write_call({.start_ns = kStart, .end_ns = kStart + 5'000'000'000, .correlation = 8}, 1, false, 4321);
  EXPECT_EQ(bench.lines(), (Lines{"runtime cudaLaunchKernel of thread 4321, 5000000000 ns, correlation 8"}));
}

TEST(ActivityWriter, WaitsThatCallsTellOf) {
  Bench bench;
  const stream::Activity timed = {.start_ns = kStart, .end_ns = kStart + 70, .correlation = 9};
  bench.writer.write_wait(timed, {stream::kStreamSync, 7, 1, 0});
  bench.writer.write_wait(timed, {stream::kEventRecorded, 7, 1, 0x7f00});
  bench.writer.write_wait(timed, {stream::kStreamWaitEvent, 13, 1, 0x8f00});
  bench.writer.write_wait(timed, {stream::kEventSync, UINT32_MAX, 1, 0x7f00});
  EXPECT_EQ(bench.lines(),
            (Lines{"sync type 3, 70 ns, correlation 9", "sync type 15, 70 ns, correlation 9, event 0",
                   "sync type 2, 70 ns, correlation 9, event 1", "sync type 1, 70 ns, correlation 9, event 0"}));
}

Result stream_of_handle(void*, void* handle, uint8_t own, uint32_t* id) {
  *id = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(handle)) + own;
  return kSuccess;
}

TEST(Waits, AreReadFromParameters) {
  Library cupti;
  cupti.cuptiGetStreamIdEx = stream_of_handle;
  const uint64_t parameters[] = {40, 0x7f00, 0};
  ApiCallback data{};
  data.parameters = parameters;
  data.context_id = 3;
  data.function = "cudaStreamWaitEvent_ptsz";
  Wait wait = read_wait(cupti, wait_call("cudaStreamWaitEvent"), data);
  EXPECT_EQ(std::tie(wait.type, wait.stream, wait.context, wait.event), std::make_tuple(2u, 41u, 3u, uint64_t{0x7f00}));
  data.function = "cuEventRecord";
  wait = read_wait(cupti, wait_call("cuEventRecord"), data);
  EXPECT_EQ(std::tie(wait.type, wait.stream, wait.event), std::make_tuple(15u, 0x7f00u, uint64_t{40}));
  EXPECT_EQ(read_wait(cupti, wait_call("cudaDeviceSynchronize"), data).stream, UINT32_MAX);
  EXPECT_EQ(wait_call("cudaLaunchKernel").type, 0u);
}

TEST(ActivityWriter, CopiesWithoutCallsAreNoticed) {
  Bench bench;
  bench.writer.name_calls(kRuntimeApi, {"", "cudaMemcpyAsync", "cudaMalloc"});
  CopyRecord r{};
  r.kind = kMemcpy;
  const auto run = [&](int copies, uint32_t call) {
    for (int i = 0; i < copies; ++i) {
      bench.writer.write(&r);
      bench.writer.write_call({.start_ns = kStart, .end_ns = kStart + 1, .correlation = 1}, call, false, 1);
    }
  };
  run(60, 1);
  EXPECT_FALSE(bench.writer.misses_copies());
  run(40, 2);  // calls that copy nothing do not count; some copies are libraries' own
  EXPECT_FALSE(bench.writer.misses_copies());
  run(40, 2);
  EXPECT_TRUE(bench.writer.misses_copies());
}

TEST(ActivityWriter, UnknownKindsAreCounted) {
  Bench bench;
  const uint32_t kind = 9999;
  bench.writer.write(&kind);
  EXPECT_EQ(bench.writer.take_unknown(), 1u);
  EXPECT_EQ(bench.writer.take_unknown(), 0u);
}

}  // namespace
}  // namespace warplens::cupti
