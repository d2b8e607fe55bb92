#include <gtest/gtest.h>

#include "tests/source_path.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/read.h"

namespace warplens {
namespace {

std::string trace(const std::string& name) {
  return tests::source_path("tests/data/traces/") + name + ".pt.trace.json.gz";
}

Profile of_text(const std::string& text, const ReadOptions& options = {}) {
  Input input = Input::of_bytes("test.json", text);
  Profile profile;
  const Status status = read_input(input, options, profile);
  EXPECT_TRUE(status.ok()) << status.message();
  return profile;
}

std::string in_array(const std::string& events) { return R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}"; }

std::string operator_at(int us, const std::string& name = "aten::mm") {
  return R"({"ph": "X", "cat": "cpu_op", "name": ")" + name + R"(", "pid": 1, "tid": 2, "ts": )" + std::to_string(us) +
         R"(.250, "dur": 1.5, "args": {"External id": 7, "Input Dims": [[2, 3], []]}})";
}

void expect_same(const Profile& a, const Profile& b) {
  for_each_table(a, [&](const std::string name, const auto& left, const char*) {
    for_each_table(b, [&](const std::string other, const auto& right, const char*) {
      if constexpr (std::is_same_v<decltype(left), decltype(right)>) {
        ASSERT_EQ(name, other);
        ASSERT_EQ(left.size(), right.size()) << name;
        for (size_t i = 0; i < left.size(); ++i)
          ASSERT_TRUE(row_of(left, i) == row_of(right, i)) << name << " row " << i;
      }
    });
  });
  ASSERT_EQ(a.strings.size(), b.strings.size());
  for (uint32_t i = 0; i < a.strings.size(); ++i) ASSERT_EQ(a.strings[StringId{i}], b.strings[StringId{i}]);
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
}

TEST(Kineto, ThreadsAndBlocksDoNotMatter) {
  for (const char* name : {"attention", "cuda_graph", "gpt2_compiled"}) {
    const Result<Profile> whole = read_profile({trace(name)}, {.threads = 1, .block_bytes = size_t{64} << 20});
    const Result<Profile> pieces = read_profile({trace(name)}, {.threads = 3, .block_bytes = 3000});
    ASSERT_TRUE(whole.ok() && pieces.ok());
    expect_same(whole.value(), pieces.value());
  }
}

TEST(Kineto, SeveralFilesAreRanksOnOneTimeAxis) {
  const std::string base = R"("baseTimeNanoseconds": )", info = R"(, "distributedInfo": {"rank": 5, "world_size": 8}})";
  Profile profile;
  for (const std::string& text : {"{\"traceEvents\": [" + operator_at(10) + "], " + base + "1000000000000}",
                                  "{\"traceEvents\": [" + operator_at(10) + "], " + base + "1000000002000" + info}) {
    Input input = Input::of_bytes("rank.json", text);
    ASSERT_TRUE(read_input(input, {}, profile).ok());
  }
  ASSERT_EQ(profile.operators.size(), 2u);
  EXPECT_EQ(profile.operators.start_ns[0], 10250);
  EXPECT_EQ(profile.operators.start_ns[1], 12250);
  EXPECT_EQ(profile.ranks.rank[1], 5);
  EXPECT_EQ(profile.ranks.world_size[1], 8);
  EXPECT_NE(profile.operators.thread[0], profile.operators.thread[1]);
}

TEST(Kineto, AGpuNumberedOtherwiseThanItsDescriptionIsOfTheDescribedKind) {
  const auto read = [](const std::string& names) {
    return of_text(
        R"({"deviceProperties": [)" + names +
        R"(], "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 6, "tid": 1, "ts": 1, "dur": 1,
                   "args": {"device": 6, "stream": 1}}]})");
  };
  const auto name_of_event = [](const Profile& p) { return p.text(p.devices.name[p.device_events.device[0]]); };
  const std::string first = R"({"id": 0, "name": "AMD Instinct MI300X", "numSms": 304})";
  const Profile profile = read(first + R"(, {"id": 1, "name": "AMD Instinct MI300X", "numSms": 304})");
  ASSERT_EQ(profile.device_events.size(), 1u);
  EXPECT_EQ(name_of_event(profile), "AMD Instinct MI300X");
  EXPECT_EQ(profile.devices.sm_count[profile.device_events.device[0]], 304);
  EXPECT_EQ(name_of_event(read(first + R"(, {"id": 1, "name": "AMD Instinct MI210", "numSms": 104})")), "")
      << "of two kinds nobody knows which";
}

TEST(Kineto, TimesAreExactHoweverTheyAreWritten) {
  const std::string texts[] = {
      "1682725898236567", "1682725898236567.001", "1682725898236567.0014", "\"12.5\"", "1.5e3", "15E-1", "-3"};
  const int64_t wanted[] = {1682725898236567000, 1682725898236567001, 1682725898236567001, 12500, 1500000, 1500, -3000};
  for (size_t i = 0; i < std::size(texts); ++i) {
    const Profile profile = of_text(in_array(R"({"ph": "X", "cat": "cpu_op", "name": "a", "ts": )" + texts[i] + "}"));
    ASSERT_EQ(profile.operators.size(), 1u) << texts[i];
    EXPECT_EQ(profile.operators.start_ns[0], wanted[i]);
  }
}

TEST(Kineto, TimesThatNoSumOfCanHoldAreCountedAndLeftOut) {
  const std::string base = R"("baseTimeNanoseconds": 9223372036854775807, )";
  for (const char* times : {R"("ts": 9223372036854775.807, "dur": 5)", R"("ts": 5, "dur": 9223372036854775.807)",
                            R"("ts": -9223372036854775.807, "dur": 5)", R"("ts": 9223372036854775.5, "dur": 9e15)"}) {
    const std::string far =
        std::string(R"({"ph": "X", "cat": "cpu_op", "name": "far", "pid": 1, "tid": 1, )") + times + "}";
    const Profile profile = of_text("{" + base + "\"traceEvents\": [" + operator_at(1) + "," + far + "]}");
    ASSERT_EQ(profile.operators.size(), 1u) << times;
    ASSERT_NE(profile.integrity.find("unusable-events"), nullptr) << times;
    EXPECT_EQ(profile.integrity.find("unusable-events")->count, 1);
    EXPECT_LT(profile.ranks.window_end_ns[0], 1'000'000'000);
  }
}

TEST(Kineto, ABareArrayMayStayOpen) {
  for (const char* end : {"]", "", ",\n", "\n]\n"}) {
    const Profile profile = of_text("[" + operator_at(1) + "," + operator_at(5) + end);
    EXPECT_EQ(profile.operators.size(), 2u);
    EXPECT_EQ(profile.integrity.find("truncated"), nullptr);
    EXPECT_EQ(profile.integrity.find("invalid-json"), nullptr);
  }
}

TEST(Kineto, JoinsBeginsAndEnds) {
  const auto mark = [](const char* phase, const char* name, int us) {
    return std::string(R"({"ph": ")") + phase + R"(", "cat": "user_annotation", "name": ")" + name +
           R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(us) + "}";
  };
  const Profile profile = of_text(in_array(mark("B", "outer", 0) + "," + mark("B", "inner", 2) + "," +
                                           mark("E", "", 5) + "," + mark("E", "", 9) + "," + mark("B", "open", 10)));
  ASSERT_EQ(profile.operators.size(), 3u);
  EXPECT_EQ(profile.operators.duration_ns[0], 9000);
  EXPECT_EQ(profile.operators.duration_ns[1], 3000);
  EXPECT_EQ(profile.operators.duration_ns[2], 0);
  ASSERT_NE(profile.integrity.find("unmatched-spans"), nullptr);
  EXPECT_EQ(profile.integrity.find("unmatched-spans")->count, 1);
}

TEST(Kineto, SkipsWhatIsNotJsonAndSaysWhere) {
  const std::string good = operator_at(1), after = operator_at(50, "after");
  const std::string broken[] = {operator_at(2, "raw\nnewline"),
                                operator_at(2, "raw\ttab"),
                                operator_at(2, R"(un"quoted)"),
                                operator_at(2, R"(bad \q)"),
                                R"({"ph": "X", "name": "x", "ts": 12x})",
                                R"({"ph": "X", "args": {"a": [1, 2}}})",
                                "garbage",
                                R"({"ph" "X"})"};
  for (const std::string& bad : broken) {
    const std::string head = R"({"traceEvents": [)" + good + ",\n";
    const Profile profile = of_text(head + bad + ",\n" + after + "]}");
    ASSERT_EQ(profile.operators.size(), 2u) << bad;
    EXPECT_EQ(profile.text(profile.operators.name[1]), "after");
    const IntegrityIssue* issue = profile.integrity.find("invalid-json");
    ASSERT_NE(issue, nullptr) << bad;
    EXPECT_EQ(issue->count, 1);
    const size_t offset = std::stoul(issue->detail.substr(issue->detail.find("byte ") + 5));
    EXPECT_GE(offset, head.size());
    EXPECT_LE(offset, head.size() + bad.size());
  }
}

TEST(Kineto, ReadsACutTraceUpToTheCut) {
  const std::string text = in_array(operator_at(1) + ", " + operator_at(2) + ", " + operator_at(3));
  const size_t third = text.find(operator_at(3));
  const Profile profile = of_text(text.substr(0, third + 20));
  EXPECT_EQ(profile.operators.size(), 2u);
  ASSERT_NE(profile.integrity.find("truncated"), nullptr);
  EXPECT_EQ(profile.integrity.find("truncated")->severity, Severity::kError);
  EXPECT_NE(profile.integrity.find("truncated")->detail.find("byte " + std::to_string(third)), std::string::npos);
}

TEST(Kineto, KeepsWhatNoTableTakes) {
  const Profile profile = of_text(in_array(
      operator_at(0) +
      R"(, {"ph": "b", "cat": "async", "name": "n", "id": "0x1", "pid": 1, "tid": 1, "ts": 1, "args": {"k": [1]}},
         {"ph": "C", "name": "GPU 0", "pid": 1, "tid": 1, "ts": 2, "args": {"busy": 0.5, "free": 3}},
         {"ph": "X", "cat": "mtia_queue", "name": "m", "pid": 1, "tid": 1, "ts": 3, "dur": 2}, {})"));
  ASSERT_EQ(profile.other_events.size(), 2u);
  EXPECT_EQ(profile.other_events.phase[0], 'b');
  EXPECT_EQ(profile.text(profile.other_events.id[0]), "0x1");
  EXPECT_EQ(profile.text(profile.other_events.args[0]), R"({"k": [1]})");
  ASSERT_EQ(profile.counter_samples.size(), 2u);
  EXPECT_EQ(profile.text(profile.counter_samples.name[1]), "GPU 0 free");
  EXPECT_EQ(profile.counter_samples.value[0], 0.5);
}

TEST(Kineto, SpansOfOtherWritersAreRanges) {
  const Profile profile = of_text(R"([{"ph": "B", "cat": "FEE", "name": "f", "pid": "main", "tid": 1, "ts": 1},
                                      {"ph": "E", "pid": "main", "tid": 1, "ts": "4"},
                                      {"ph": "X", "name": "g", "pid": "main", "tid": 1, "ts": 2, "dur": 1}])");
  ASSERT_EQ(profile.operators.size(), 2u);
  EXPECT_EQ(profile.operators.kind[0], OperatorKind::kRange);
  EXPECT_EQ(profile.operators.duration_ns[0], 3000);
  EXPECT_EQ(profile.text(profile.operators.module[0]), "FEE");
  EXPECT_EQ(profile.other_events.size(), 0u);
  EXPECT_EQ(profile.ranks.window_end_ns[0], 4000);
}

TEST(Kineto, RangesOf2021AreRanges) {
  const auto span = [](const std::string& name) {
    return R"({"ph": "X", "cat": "Operator", "name": ")" + name + R"(", "pid": 1, "tid": "1", "ts": 5, "dur": 2})";
  };
  const Profile profile = of_text(
      in_array(span("ProfilerStep#7") + "," + span("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") +
               "," + span("Optimizer.step#SGD.step") + "," + span("## forward ##") + "," + span("aten::add") + "," +
               span("autograd::engine::evaluate_function: AddmmBackward") +
               R"(, {"ph": "s", "cat": "async", "id": 1, "pid": 1, "tid": 1, "ts": 1})"));
  ASSERT_EQ(profile.operators.size(), 6u);
  for (size_t row = 0; row < 6; ++row)
    EXPECT_EQ(profile.operators.kind[row], row < 4 ? OperatorKind::kRange : OperatorKind::kOperator) << row;
  EXPECT_EQ(profile.flows.size(), 0u);
}

TEST(Kineto, DevicesOfXlaAreRead) {
  const std::string names = R"j({"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:3"}},
    {"ph": "M", "pid": 1, "tid": 4, "name": "thread_name", "args": {"name": "Stream #14(Compute,MemcpyD2H)"}},
    {"ph": "M", "pid": 1, "tid": 5, "name": "thread_name", "args": {"name": "XLA Modules"}},
    {"ph": "M", "pid": 7, "name": "process_name", "args": {"name": "/host:CPU"}},)j";
  const Profile profile = of_text(in_array(
      names +
      R"j({"ph": "X", "pid": 1, "tid": 4, "ts": 10.5, "dur": 3, "name": "fusion_2", "args": {"hlo_op": "fusion.2",
        "correlation_id": "81", "kernel_details": "regs:40 static_shared:128 dynamic_shared:64 grid:7,2,1 block:64,1,1 occ_pct:50.0"}},
       {"ph": "X", "pid": 1, "tid": 4, "ts": 20, "dur": 1, "name": "MemcpyD2H", "args": {"memcpy_details": "kind_src:device size:4096 async:1"}},
       {"ph": "X", "pid": 1, "tid": 5, "ts": 10, "dur": 12, "name": "jit_f", "args": {}},
       {"ph": "X", "pid": 7, "tid": 9, "ts": 1, "dur": 2, "name": "cuLaunchKernel", "args": {"correlation_id": 81}},
       {"ph": "X", "pid": 7, "tid": 9, "ts": 0, "dur": 9, "name": "PjitFunction(f)", "args": {}}, {})j"));
  ASSERT_EQ(profile.device_events.size(), 2u);
  EXPECT_EQ(profile.devices.ordinal[profile.device_events.device[0]], 3);
  EXPECT_EQ(profile.device_events.stream[0], 14);
  EXPECT_EQ(profile.device_events.start_ns[0], 10'500);
  EXPECT_EQ(profile.device_events.correlation[0], profile.calls.correlation[0]);
  const uint32_t config = profile.device_events.launch_config[0];
  ASSERT_NE(config, kNone);
  EXPECT_EQ(profile.launch_configs.grid_y[config], 2);
  EXPECT_EQ(profile.launch_configs.block_x[config], 64);
  EXPECT_EQ(profile.launch_configs.shared_bytes[config], 192);
  EXPECT_DOUBLE_EQ(profile.launch_configs.occupancy[config], 0.5);
  EXPECT_EQ(profile.device_events.kind[1], DeviceEventKind::kCopy);
  EXPECT_EQ(profile.device_events.copy_kind[1], CopyKind::kDeviceToHost);
  EXPECT_EQ(profile.device_events.bytes[1], 4096);
  ASSERT_EQ(profile.operators.size(), 1u);
  EXPECT_EQ(profile.text(profile.operators.name[0]), "PjitFunction(f)");
  EXPECT_EQ(profile.integrity.find("derived-lines")->count, 1);
}

TEST(Kineto, DevicesOfRocmsRpdAreRead) {
  const Profile profile = of_text(
      R"([ {},{"name": "process_name", "ph": "M", "pid":"2","args":{"name":"GPU2"}}
,{"name":"thread_name","ph":"M","pid":"77","tid":"77","args":{"name":"Hip 77"}}
,{"pid":"2","tid":"1","name":"CopyHostToDevice","ts":"100","dur":"40","ph":"X","args":{"desc":"CopyHostToDevice"}}
,{"pid":"2","tid":"1","name":"Cijk_Ailk_Bljk_SB","ts":"150","dur":"26","ph":"X","args":{"desc":"KernelExecution"}}
,{"pid":"2","tid":"1","name":"FillBuffer","ts":"180","dur":"2","ph":"X","args":{"desc":"FillBuffer"}}
,{"pid":"77","tid":"77","name":"hipLaunchKernel","ts":"90","dur":"5","ph":"X","args":{"desc":""}}])");
  ASSERT_EQ(profile.device_events.size(), 3u);
  EXPECT_EQ(profile.devices.ordinal[profile.device_events.device[0]], 2);
  EXPECT_EQ(profile.device_events.stream[0], 1);
  EXPECT_EQ(profile.device_events.kind[0], DeviceEventKind::kCopy);
  EXPECT_EQ(profile.device_events.copy_kind[0], CopyKind::kHostToDevice);
  EXPECT_EQ(profile.device_events.kind[1], DeviceEventKind::kKernel);
  EXPECT_EQ(profile.device_events.kind[2], DeviceEventKind::kSet);
  EXPECT_EQ(profile.operators.size(), 1u) << "a call that nothing links is a range of the host";
}

TEST(Kineto, EventsWithoutASpanAreTold) {
  const Profile profile = of_text(R"([{"cat": "request", "name": "1", "id": "1", "ph": "b", "ts": 10, "pid": 0},
      {"cat": "request", "name": "1", "id": "1", "ph": "e", "ts": 30, "pid": 0}])");
  EXPECT_EQ(profile.operators.size(), 0u);
  ASSERT_NE(profile.integrity.find("no-spans"), nullptr);
  EXPECT_EQ(profile.integrity.find("no-spans")->count, 2);
}

TEST(Kineto, MtiaIsReadAndCountersAreTold) {
  const auto span = [](const char* category, const char* name, const char* args) {
    return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 9, "tid": 4, "ts": 5, "dur": 2, "args": {}}})",
                       category, name, args);
  };
  const Profile profile = of_text(
      in_array(span("mtia_ccp_events", "dma_request", R"({"direction": "HOST_TO_DEVICE", "size": 64, "stream": 3})") +
               "," + span("mtia_ccp_events", "fc-dtype_Float", "{}") + "," +
               span("mtia_ccp_events", "event_wait", "{}") + "," + span("mtia_insight", "x", "{}")));
  ASSERT_EQ(profile.device_events.size(), 3u);
  EXPECT_EQ(profile.device_events.copy_kind[0], CopyKind::kHostToDevice);
  EXPECT_EQ(profile.device_events.bytes[0], 64);
  EXPECT_EQ(profile.device_events.stream[0], 3);
  EXPECT_EQ(profile.device_events.kind[1], DeviceEventKind::kKernel);
  EXPECT_EQ(profile.device_events.kind[2], DeviceEventKind::kRange);
  EXPECT_EQ(profile.integrity.find("unknown-categories")->severity, Severity::kWarning);
  EXPECT_EQ(profile.ranks.window_start_ns[0], 5000) << "what the accelerator did is within the window";
  EXPECT_EQ(profile.ranks.window_end_ns[0], 7000);
  const Profile counted = of_text(in_array(
      operator_at(1) +
      R"(, {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 1, "dur": 1, "args": {"correlation": 5}},)" +
      span("cuda_profiler_range", "k", R"({"smsp__inst.sum": 3})")));
  EXPECT_EQ(counted.integrity.find("counters-instead-of-kernels")->count, 1);
  EXPECT_EQ(counted.integrity.find("no-device-activity"), nullptr);
}

TEST(Kineto, RefusalsNameTheFormat) {
  const auto why = [](const std::string& name, const std::string& text) {
    Input input = Input::of_bytes(name, text);
    Profile profile;
    return std::string(read_input(input, {}, profile).message());
  };
  EXPECT_NE(why("m.raw.gz", "[[-1, 1, 37888, 7], [-1, 1, 512, 7]]").find("memory timeline"), std::string::npos);
  EXPECT_NE(why("r.json", R"({"rocprofiler-sdk-tool": [{"metadata": {}}]})").find("rocprofv3"), std::string::npos);
  EXPECT_NE(why("host.xplane.pb", "\n\x07\x08\x01").find("XSpace"), std::string::npos);
  EXPECT_NE(why("list.json", R"([{"a": 1}, {"b": 2}])").find("not a trace's events"), std::string::npos);
  EXPECT_NE(why("et.json", R"({"schema": "1.1.1-chakra.0.0.4", "nodes": []})").find("execution trace"),
            std::string::npos);
  EXPECT_NE(why("x.sqlite", "SQLite format 3").find("SQLite"), std::string::npos);
  EXPECT_NE(why("odd.bin", "\x01\x02").find("warplens cannot read this file"), std::string::npos);
}

// Published traces of other recorders, where they are at hand.
TEST(Kineto, ReadsRocmAndOldTraces) {
  const std::string folder = tests::source_path("../shared/data/third_party/");
  if (!read_profile({folder + "kineto_rocm62_mi250.json.gz"}).ok()) GTEST_SKIP() << "no traces in " << folder;
  const Profile rocm = std::move(read_profile({folder + "kineto_rocm62_mi250.json.gz"})).value();
  EXPECT_EQ(rocm.operators.size(), 73u);
  EXPECT_EQ(rocm.calls.size(), 21u);
  ASSERT_EQ(rocm.device_events.size(), 18u);
  for (size_t i = 0; i < rocm.device_events.size(); ++i) {
    const DeviceEventKind kind = rocm.device_events.kind[i];
    EXPECT_TRUE(kind != DeviceEventKind::kKernel || rocm.device_events.launch_config[i] != kNone);
    EXPECT_TRUE(kind != DeviceEventKind::kCopy || rocm.device_events.bytes[i] > 0);
  }
  const Profile old = std::move(read_profile({folder + "kineto_2022_rank0.json.gz"})).value();
  EXPECT_EQ(old.operators.size(), 2402u);
  EXPECT_EQ(old.device_events.size(), 1204u);
  EXPECT_EQ(old.ranks.world_size[0], 128);
  EXPECT_EQ(old.operators.start_ns[0], 1682725898236567000);
  const Profile synced = std::move(read_profile({folder + "kineto_2023_alexnet_sync.json.gz"})).value();
  EXPECT_EQ(synced.synchronizations.size(), 41u);
}

TEST(Kineto, SaysWhyAFileGivesNothing) {
  for (const std::string& text :
       {std::string("{}"), std::string(R"({"a": 1})"), std::string("{\"traceEvents\": []}")}) {
    Input input = Input::of_bytes("empty.json", text);
    Profile profile;
    const Status status = read_input(input, {}, profile);
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.message().find("empty.json"), std::string::npos);
  }
}

std::string one_launch(int process, int device, int correlation) {
  return fmt::format(
      R"({{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":{0},"tid":{0},"ts":1,"dur":9,"args":{{"External id":1}}}},)"
      R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":{0},"tid":{0},"ts":2,"dur":3,"args":{{"correlation":{2},"External id":1}}}},)"
      R"({{"ph":"X","cat":"kernel","name":"k","pid":{1},"tid":7,"ts":5,"dur":4,"args":{{"device":{1},"stream":7,"correlation":{2},"External id":1}}}})",
      process, device, correlation);
}

TEST(Kineto, RecordingsOfSeveralProcessesInOneFileAreRanks) {
  const Profile profile = of_text("{\"traceEvents\":[" + one_launch(100, 0, 11) + "," + one_launch(200, 0, 12) + "]}");
  ASSERT_EQ(profile.ranks.size(), 2u);
  EXPECT_EQ(profile.ranks.rank[1], 1);
  ASSERT_EQ(profile.devices.size(), 2u);  // one each, though both call it 0
  EXPECT_EQ(profile.devices.rank[profile.device_events.device[1]], 1u);
  EXPECT_EQ(profile.threads.rank[profile.calls.thread[1]], 1u);
}

TEST(Kineto, ProcessesThatShareIdsAreOneRank) {  // which launched what nobody can tell: an integrity check says so
  const Profile profile = of_text("{\"traceEvents\":[" + one_launch(100, 0, 11) + "," + one_launch(200, 0, 11) + "]}");
  EXPECT_EQ(profile.ranks.size(), 1u);
}

}  // namespace
}  // namespace warplens
