#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "warplens/collect/buffers.h"
#include "warplens/collect/cupti/calls.h"
#include "warplens/collect/log/thread_log.h"
#include "warplens/collect/output.h"
#include "warplens/collect/process/clock.h"
#include "warplens/collect/process/ticks.h"
#include "warplens/collect/settings/schedule.h"
#include "warplens/collect/stacks/host_state.h"
#include "warplens/collect/torch_inputs.h"
#include "warplens/collect/torch_shapes.h"
#include "warplens/trace/stream/torch_text.h"

namespace warplens::collect {
namespace {

std::string steps_recorded(Schedule::Plan plan, int steps) {
  Schedule schedule(std::move(plan));
  std::string out;
  for (int i = 0; i < steps; ++i, schedule.on_step()) out += schedule.active() ? 'R' : '.';
  return out;
}

TEST(Schedule, RecordsTheStepsAskedFor) {
  EXPECT_EQ(steps_recorded({}, 4), "RRRR");
  EXPECT_EQ(steps_recorded({.wait = 1, .warmup = 2, .active = 2}, 11), "...RR...RR.");
  EXPECT_EQ(steps_recorded({.wait = 1, .active = 1, .repeat = 2}, 8), ".R.R....");
}

TEST(Schedule, RecordsTheTimeAskedFor) {
  Schedule schedule({.delay_ns = 100, .duration_ns = 50});
  const auto at = [&](uint64_t ns) {
    schedule.on_time(ns);
    return schedule.active();
  };
  EXPECT_FALSE(at(99));
  EXPECT_TRUE(at(100));
  EXPECT_TRUE(at(149));
  EXPECT_FALSE(at(150));
}

TEST(Schedule, RecordsWithinCaptures) {
  Schedule schedule({.capture = "forward"});
  EXPECT_TRUE(schedule.is_capture_range("forward"));
  EXPECT_FALSE(schedule.is_capture_range("backward"));
  EXPECT_FALSE(schedule.active());
  schedule.on_capture(true);
  schedule.on_capture(true);
  schedule.on_capture(false);
  EXPECT_TRUE(schedule.active());
  schedule.on_capture(false);
  schedule.on_capture(false);
  EXPECT_FALSE(schedule.active());
  EXPECT_TRUE(Schedule({.capture = "cudaProfilerApi"}).captures_profiler());
}

TEST(TorchText, IsTakenApart) {
  const stream::TorchText text = stream::parse_torch_text(
      "aten::add_, seq = 12, op_id = 77, sizes = [[4, 8], []], input_op_ids = [(76,0), (0,-1)]");
  EXPECT_EQ(text.name, "aten::add_");
  EXPECT_EQ(text.sequence, 12);
  EXPECT_EQ(text.sizes, "[[4, 8], []]");
  EXPECT_TRUE(text.is_operator);
  EXPECT_EQ(stream::parse_torch_text("step, op_id = 3").name, "step");
  EXPECT_EQ(stream::parse_torch_text("epoch 1, seq = 4").name, "epoch 1, seq = 4");
  EXPECT_FALSE(stream::parse_torch_text("epoch 1").is_operator);
}

TEST(TorchText, ListThatWasCutIsLeftOut) {
  EXPECT_EQ(stream::parse_torch_text("aten::cat, op_id = 7, sizes = [[4, 8], [1").sizes, "");
}

std::string shapes_of(const Sizes& sizes, ListArgument list) {
  char text[200];
  return std::string(text, put_sizes(sizes, list, text, text + sizeof text));
}

TEST(TorchShapes, ListsOfTensorsAreListsOfTheirOwn) {
  const Sizes without = {{}, {}}, flattened = {{0}, {8, 12}, {}};  // aten::cat(tensors, dim)
  const ListArgument cat = ListArgument::find(without, flattened);
  EXPECT_EQ(cat.place, 0);
  EXPECT_EQ(shapes_of(flattened, cat), "[[[0], [8, 12]], []]");
  EXPECT_EQ(shapes_of({{5}, {6}, {7}, {}}, cat), "[[[5], [6], [7]], []]");
  EXPECT_EQ(shapes_of(Sizes(41, {3}), cat), "[[], [3]]") << "long lists are left out, as torch does";
  const ListArgument sum = ListArgument::find({{16}, {}, {}}, {{16}, {}});  // a list of numbers has no shapes
  EXPECT_EQ(shapes_of({{4, 4}, {}}, sum), "[[4, 4], [], []]");
  const ListArgument add = ListArgument::find({{1024}, {}}, {{1024}, {}});
  EXPECT_EQ(add.place, ListArgument::kNone);
  EXPECT_EQ(shapes_of({{1024}, {}}, add), "[[1024], []]");
  const ListArgument foreach = ListArgument::find({{}, {}, {}}, {{4, 4}, {4}, {4, 4}, {4}, {}});
  EXPECT_EQ(foreach.lists, 2u);  // aten::_foreach_add_(self, other, alpha)
  EXPECT_EQ(shapes_of({{2}, {3}, {5}, {2}, {3}, {5}, {}}, foreach), "[[[2], [3], [5]], [[2], [3], [5]], []]");
  EXPECT_EQ(ListArgument::find({{}, {}, {7}}, {{1}, {2}, {3}, {4}, {7}}).place, ListArgument::kSeveral);
  EXPECT_EQ(shapes_of({}, {}), "");
  EXPECT_EQ(shapes_of(Sizes(100, {1024}), {}), "") << "what does not fit";
}

std::vector<std::string> read_all(ThreadLog& log) {
  std::vector<std::string> out;
  for (HostRecord record; log.read(record);)
    out.push_back(std::to_string(static_cast<int>(record.event)) + std::string(record.text));
  return out;
}

TEST(TickClock, FollowsTheClock) {
  TickClock clock;
  const uint64_t first = ticks(), first_ns = now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const uint64_t second = ticks(), second_ns = now_ns();
  clock.sample();
  for (const auto& [at, ns] : {std::pair(first, first_ns), std::pair(second, second_ns)})
    EXPECT_LT(std::abs(static_cast<double>(static_cast<int64_t>(clock.ns(at) - ns))), 200'000);
  EXPECT_LT(clock.ns(first), clock.ns(second));
}

TEST(TickClock, KeepsALongLineThroughShortTurns) {
  TickClock clock;
  const TickClock::Pair start = {ticks() + 1'000'000'000, now_ns() + 1'000'000'000};
  clock.sample(start);
  for (uint64_t turn = 1; turn <= 10; ++turn)  // two ticks a nanosecond, read up to a microsecond late
    clock.sample({start.ticks + turn * 400'000'000, start.ns + turn * 200'000'000 + turn % 2 * 1000});
  clock.sample({start.ticks + 4'000'020'000, start.ns + 2'000'011'000});  // a turn 10 us later, a microsecond late
  EXPECT_LT(std::abs(static_cast<double>(clock.ns(start.ticks + 2'000'000'000) - (start.ns + 1'000'000'000))), 20'000);
}

TEST(HostState, TellsWhatAThreadWaitsFor) {
  constexpr uint64_t kRuntime = 0x5600000, kBytes = 0x1000;
  const auto state = [&](std::string_view line) { return parse_thread(line, kRuntime, kBytes).state; };
  EXPECT_EQ(state("running\n"), HostState::kRunning);
  EXPECT_EQ(state("202 0x5600a10 0x189 0x0 0x7ffd 0x0 0xffffffff 0x7ffe 0x7f00\n"), HostState::kGil);
  EXPECT_EQ(state("202 0x5601000 0x189 0x0 0x7ffd 0x0 0xffffffff 0x7ffe 0x7f00\n"), HostState::kLock);
  EXPECT_EQ(state("0 0x3 0x7f00 0x100 0x0 0x0 0x0 0x7ffe 0x7f00\n"), HostState::kInput);
  EXPECT_EQ(state("230 0x1 0x0 0x7ffe 0x0 0x0 0x0 0x7ffe 0x7f00\n"), HostState::kSleep);
  EXPECT_EQ(state("61 0x1 0x0\n"), HostState::kOther);
  EXPECT_EQ(state("-1 0x7ffe 0x7f00\n"), HostState::kUnknown);
  EXPECT_EQ(state(""), HostState::kUnknown);
  EXPECT_EQ(look_at_thread(UINT32_MAX).state, HostState::kUnknown);
  std::atomic<uint32_t> id{0};
  std::atomic<bool> done{false};
  std::thread sleeper([&] {
    id = static_cast<uint32_t>(::gettid());
    while (!done) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  HostState seen = HostState::kRunning;
  for (int i = 0; i < 1000 && seen != HostState::kSleep; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (id != 0) seen = look_at_thread(id).state;
  }
  done = true;
  sleeper.join();
  EXPECT_TRUE(seen == HostState::kSleep || seen == HostState::kUnknown);  // where /proc does not tell
}

TEST(ThreadLog, GivesBackInOrder) {
  ThreadLog log;
  log.write({HostEvent::kPush, 0, 1, 0, "outer"});
  log.write({HostEvent::kMark, 0, 2, 0, ""});
  log.write({HostEvent::kPop, 0, 3, 0, ""});
  EXPECT_EQ(read_all(log), (std::vector<std::string>{"1outer", "3", "2"}));
  EXPECT_EQ(log.take_lost(), 0u);
}

TEST(ThreadLog, DropsWholeRangesWhenFull) {
  ThreadLog log;
  const std::string text(1000, 'x');
  constexpr int kRanges = 2000;  // four times what fits
  for (int i = 0; i < kRanges; ++i) log.write({HostEvent::kPush, 0, 1, 0, text});
  for (int i = 0; i < kRanges; ++i) log.write({HostEvent::kPop, 0, 2, 0, ""});
  int pushes = 0, pops = 0;
  for (HostRecord record; log.read(record);) (record.event == HostEvent::kPush ? pushes : pops)++;
  EXPECT_GT(pushes, 100);
  EXPECT_EQ(pushes, pops);
  EXPECT_EQ(log.take_lost(), static_cast<uint64_t>(kRanges - pushes));
}

TEST(ThreadLog, KeepsTextsOfOperators) {
  constexpr uint64_t kAdd = uint64_t{5} << 52 | 1, kElsewhere = uint64_t{5} << 52 | 3;  // of one number
  ThreadLog log;
  const auto record = [&](uint64_t key, std::string_view text) {
    if (!log.write_known_operator(key, 1, 7)) log.write_operator(key, 1, 7, text, 3);
    log.write({HostEvent::kPop, 0, 2, 0, ""});
  };
  record(kAdd, "add[[4]]"), record(kAdd, "never read"), record(kElsewhere, "mul[[8]]"), record(kAdd, "add[[4]]");
  std::vector<std::string> seen;
  std::string text;
  for (HostRecord each; log.read(each);) {
    EXPECT_EQ(each.domain, each.event == HostEvent::kPop ? 0u : 5u);
    if (each.event == HostEvent::kOperatorText) text = each.text.substr(0, each.id);
    if (each.event == HostEvent::kKnownOperator) seen.push_back(text);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"add", "add", "mul", "add"}));
  log.reopen(1, 1);
  EXPECT_FALSE(log.write_known_operator(kAdd, 1, 7)) << "another thread's writer does not know it";
}

TEST(ThreadLog, DropsWholeRangesOfKnownOperators) {
  constexpr uint64_t kKey = uint64_t{9} << 52 | 1;
  ThreadLog log;
  int opened = 0, closed = 0, texts = 0;
  const std::string filling(10000, 'x');
  for (int i = 0; i < 200; ++i) {
    if (!log.write_known_operator(kKey, 1, 1)) log.write_operator(kKey, 1, 1, "add", 3);
    log.write({HostEvent::kPush, 0, 1, 0, filling});
  }
  for (int i = 0; i < 400; ++i) log.write({HostEvent::kPop, 0, 2, 0, ""});
  for (HostRecord each; log.read(each);) {
    texts += each.event == HostEvent::kOperatorText;
    opened += each.event == HostEvent::kKnownOperator || each.event == HostEvent::kPush;
    closed += each.event == HostEvent::kPop;
  }
  EXPECT_EQ(texts, 1);
  EXPECT_EQ(opened, closed);
  EXPECT_EQ(log.take_lost(), static_cast<uint64_t>(400 - opened));
}

TEST(ThreadLog, OneWritesWhileAnotherReads) {
  ThreadLog log;
  constexpr uint64_t kRanges = 200'000;
  uint64_t pushes = 0, pops = 0, last_ticks = 0;
  bool in_order = true, whole = true;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (uint64_t i = 0; i < kRanges; ++i) {
      log.write({HostEvent::kPush, 0, 2 * i, 0, std::string_view("0123456789").substr(0, i % 11)});
      log.write({HostEvent::kPop, 0, 2 * i + 1, 0, ""});
    }
    done = true;
  });
  for (bool last = false; !last;) {
    last = done;
    for (HostRecord record; log.read(record);) {
      in_order = in_order && record.ticks >= last_ticks;
      last_ticks = record.ticks;
      whole = whole && record.text == std::string_view("0123456789").substr(0, record.text.size());
      (record.event == HostEvent::kPush ? pushes : pops)++;
    }
  }
  writer.join();
  EXPECT_TRUE(in_order && whole);
  EXPECT_EQ(pushes, pops);
  EXPECT_EQ(pushes + log.take_lost(), kRanges);
}

TEST(Buffers, AreBoundedAndRecycled) {
  BufferPool pool(3 * kBufferBytes);
  pool.populate();
  std::vector<uint8_t*> taken;
  while (uint8_t* buffer = pool.take()) taken.push_back(buffer);
  ASSERT_EQ(taken.size(), 3u);
  pool.fill({taken[1], 10});
  FilledBuffer filled{};
  ASSERT_TRUE(pool.next_filled(filled));
  EXPECT_EQ(filled.data, taken[1]);
  EXPECT_FALSE(pool.next_filled(filled));
  pool.give_back(taken[1]);
  EXPECT_EQ(pool.take(), taken[1]);
}

TEST(Output, TakenNamesGetANumber) {
  const std::string path = testing::TempDir() + "output_test.wlens",
                    second = testing::TempDir() + "output_test.2.wlens";
  ::unlink(path.c_str());
  ::unlink(second.c_str());
  Output first_output(path, 0, 1000), second_output(path, 0, 1000);
  first_output.open();
  second_output.open();
  EXPECT_EQ(first_output.path(), path);
  EXPECT_EQ(second_output.path(), second);
  ::unlink(path.c_str());
  ::unlink(second.c_str());
}

TEST(Output, SaysWhyItCannotWrite) {
  const std::string folder = "/no/such/folder/run.wlens";
  Output missing(folder, 0, 1000);
  missing.open();
  EXPECT_EQ(missing.failure(), folder + ": No such file or directory");
}

TEST(Output, WritesNothingIntoWhatTheProgramOpenedInItsPlace) {
  const std::string path = testing::TempDir() + "closed_test.wlens";
  ::unlink(path.c_str());
  Output output(path, 0, 1000);
  output.open();
  output.put(stream::BlockKind::kEvents, "whole", 0, 1);
  const int theirs = ::memfd_create("theirs", 0);
  struct stat ours{}, there{};
  ASSERT_EQ(::stat(path.c_str(), &ours), 0);
  for (int number = 3; number < 1024; ++number) {
    if (::fstat(number, &there) == 0 && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev) {
      EXPECT_GE(number, 768);
      ::dup2(theirs, number);
    }
  }
  output.put(stream::BlockKind::kEvents, "lost", 1, 2);
  EXPECT_EQ(output.failure(), path + ": the program closed the recorder's file");
  EXPECT_EQ(::lseek(theirs, 0, SEEK_END), 0);
  ::close(theirs);
  ::unlink(path.c_str());
}

TEST(Output, RingKeepsTheLastSeconds) {
  const std::string path = testing::TempDir() + "ring_test.wlens";
  ::unlink(path.c_str());
  Output ring(path, 1000, 1 << 20);
  for (uint64_t i = 0; i < 10; ++i) ring.put(stream::BlockKind::kEvents, std::string(100, 'e'), i * 500, i * 500 + 499);
  EXPECT_EQ(ring.take_overwritten(), 7u);
  EXPECT_EQ(ring.dump(), path);
  ::unlink(path.c_str());
}

TEST(Calls, OnlyWorkIsRecorded) {
  EXPECT_EQ(cupti::plain_call_name("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(cupti::plain_call_name("cuMemcpyHtoD_v2"), "cuMemcpyHtoD");
  for (const char* name :
       {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx", "cudaGraphLaunch", "cudaMemcpyAsync",
        "cudaMalloc", "cudaStreamSynchronize", "cudaStreamBeginCapture", "cuMemsetD8Async", "cudaEventRecord"})
    EXPECT_TRUE(cupti::is_recorded_call(name)) << name;
  for (const char* name : {"cudaGetDevice", "cudaPeekAtLastError", "cudaEventQuery", "cuCtxGetCurrent",
                           "cudaFuncGetAttributes", "cudaStreamIsCapturing", "cudaMemGetInfo"})
    EXPECT_FALSE(cupti::is_recorded_call(name)) << name;
  EXPECT_TRUE(cupti::is_launch_call("cuLaunchKernelEx") && cupti::is_launch_call("cuLaunchCooperativeKernel"));
  EXPECT_FALSE(cupti::is_launch_call("cuGraphLaunch") || cupti::is_launch_call("cuMemcpyAsync"));
}

TEST(TorchInputs, TypesAndValuesAreWrittenAsTorchWritesThem) {
  TorchValues torch;
  torch.dtype = [](const void*, int32_t* type) {
    *type = 15;
    return 0;
  };
  enum : uint32_t { kNone, kTensor, kDouble, kInt, kBool, kList, kString };
  const std::pair<uint32_t, const char*> kinds[] = {
      {kDouble, "Double"}, {kInt, "Int"}, {kBool, "Bool"}, {kList, "GenericList"}, {kString, ""}};
  for (const auto& [tag, name] : kinds) torch.learn({0, tag, 0}, name);
  const auto number = [](double value) { return TorchValue{std::bit_cast<uint64_t>(value), kDouble, 0}; };
  std::vector<TorchValue> sizes = {{4, kInt, 0}, {static_cast<uint64_t>(-1), kInt, 0}}, tensors = {{1, kTensor, 0}};
  struct List {
    uint64_t functions, counts;
    const TorchValue *begin, *end;
  };
  const List of_sizes = {1, 1, sizes.data(), sizes.data() + 2}, of_tensors = {1, 1, tensors.data(), tensors.data() + 1},
             empty = {1, 1, nullptr, nullptr};
  const auto list = [](const List& list) { return TorchValue{reinterpret_cast<uintptr_t>(&list), kList, 0}; };
  const std::vector<TorchValue> inputs = {{7, kTensor, 0}, {2, kInt, 0},   number(2),        number(1e-5),
                                          {1, kBool, 0},   list(of_sizes), list(of_tensors), list(empty),
                                          {0, kNone, 0},   {9, kString, 0}};
  char text[512];
  const std::string written(text, put_inputs(torch, inputs, text, text + sizeof text));
  EXPECT_EQ(written,
            "\x1f[\"c10::BFloat16\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\", \"ScalarList\", \"TensorList\", "
            "\"ScalarList\", \"\", \"\"]"
            "\x1f[\"\", \"2\", \"2.\", \"1.0000000000000001e-05\", \"True\", \"[4, -1]\", \"\", \"[]\", \"\", \"\"]");
  EXPECT_EQ(put_inputs(torch, inputs, text, text + 40), 0u);
}

TEST(TorchInputs, SizesAreReadFromTensors) {
  enum : uint32_t { kNone, kTensor, kInt, kList };
  static constexpr uint64_t kMatrix = 7, kRow = 8, kNoTensor = 0x1000, kNested = 9;
  static std::vector<int64_t> matrix = {4, 8}, row = {16};
  TorchValues torch;
  EXPECT_FALSE(torch.give_sizes());
  const auto sizes_of = [](const void* value) -> std::vector<int64_t>& {
    return static_cast<const TorchValue*>(value)->payload == kMatrix ? matrix : row;
  };
  static const auto of = sizes_of;
  torch.dim = [](const void* tensor, int64_t* dims) {
    *dims = static_cast<int64_t>(of(tensor).size());
    return static_cast<const TorchValue*>(tensor)->payload == kNested ? 1 : 0;
  };
  torch.sizes = [](const void* tensor, int64_t** sizes) {
    *sizes = of(tensor).data();
    return 0;
  };
  torch.undefined = reinterpret_cast<const void*>(kNoTensor);
  EXPECT_TRUE(torch.give_sizes());
  torch.learn({0, kInt, 0}, "Int");
  torch.learn({0, kList, 0}, "GenericList");
  const std::vector<TorchValue> tensors = {{kMatrix, kTensor, 0}, {kRow, kTensor, 0}};
  struct List {
    uint64_t functions, counts;
    const TorchValue *begin, *end;
  };
  const List list = {1, 1, tensors.data(), tensors.data() + tensors.size()};
  const TorchValue of_tensors = {reinterpret_cast<uintptr_t>(&list), kList, 0};
  const std::vector<TorchValue> inputs = {
      tensors[0], of_tensors, {3, kInt, 0}, {kNoTensor, kTensor, 0}, {kNested, kTensor, 0}};
  char text[200];
  const auto written = [&](ListArgument lists) {
    return std::string(text, put_sizes(torch, inputs, lists, text, text + sizeof text));
  };
  EXPECT_EQ(written({1, 5, 1}), "[[4, 8], [[4, 8], [16]], [], [], []]");
  EXPECT_EQ(written({}), "[[4, 8], [], [], [], []]") << "a list of what may be none is no list of tensors to torch";
  EXPECT_EQ(put_sizes(torch, inputs, {}, text, text + 10), 0u);
}

}  // namespace
}  // namespace warplens::collect
