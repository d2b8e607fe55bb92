// From tables as nsys exports them to the profile's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/nsys/recording.h"

namespace warplens::nsys {
namespace {

Profile read(const std::string& sql) {
  sqlite3* database = nullptr;
  sqlite3_open(":memory:", &database);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, ("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);" + sql).c_str(),
                         nullptr, nullptr, &error),
            SQLITE_OK)
      << (error ? error : "");
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database, "main", &size, 0);
  Input input = Input::of_bytes("test.sqlite", std::string(reinterpret_cast<char*>(bytes), static_cast<size_t>(size)));
  sqlite3_free(bytes);
  sqlite3_close(database);
  Profile profile;
  const Status status = read_input(input, {}, profile);
  EXPECT_TRUE(status.ok()) << status.message();
  return profile;
}

constexpr const char* kNvtx =
    "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, rangeId INT, category INT, color INT, text TEXT,"
    " globalTid INT, textId INT, domainId INT, uint64Value INT, int64Value INT, doubleValue REAL, jsonText TEXT);";

TEST(Nsys, RangesHaveTheirDomainsCategoriesAndPayloads) {
  const Profile p = read(
      std::string(kNvtx) +
      "INSERT INTO StringIds VALUES (5, 'ncclAllReduce');"
      "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (0, 75, 'NCCL', 16777223, 1);"
      "INSERT INTO NVTX_EVENTS (start, eventType, text, category, globalTid, domainId) VALUES (0, 33, 'comm', 3, "
      "16777223, 1);"
      "INSERT INTO NVTX_EVENTS (start, end, eventType, textId, category, color, globalTid, domainId, jsonText) VALUES "
      "(10, 30, 59, 5, 3, 4278255360, 16777223, 1, '{\"bytes\": 64}');"
      "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, doubleValue) VALUES (40, 50, 59, "
      "'step', 16777223, 0, 1.5);"
      "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES (60, 70, 60, 'across', "
      "16777223, 0);"
      "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (80, 59, 'open', 16777223, 0);"
      "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (90, 34, 'mark', 16777223, 0);"
      "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid) VALUES (0, 39, 'MPI Rank 3', 16777223);");
  ASSERT_EQ(p.operators.size(), 4U);
  EXPECT_EQ(p.text(p.operators.name[0]), "ncclAllReduce");
  EXPECT_EQ(p.text(p.operators.args[0]),
            "{\"domain\":\"NCCL\",\"category\":\"comm\",\"color\":\"#ff00ff00\",\"payload\":{\"bytes\": 64}}");
  EXPECT_EQ(p.operators.duration_ns[0], 20);
  EXPECT_EQ(p.text(p.operators.args[1]), "{\"payload\":1.5}");
  EXPECT_EQ(p.operators.duration_ns[2], 10) << "an open range ends with the recording";
  EXPECT_EQ(p.operators.kind[3], OperatorKind::kInstant);
  ASSERT_EQ(p.other_events.size(), 1U);
  EXPECT_EQ(p.text(p.other_events.name[0]), "across");
  EXPECT_EQ(p.text(p.threads.thread[0]), "7");
  EXPECT_EQ(p.text(p.threads.process[0]), "1");
  EXPECT_EQ(p.text(p.threads.name[0]), "MPI Rank 3");
  EXPECT_EQ(p.ranks.rank[0], 3);
}

TEST(Nsys, TorchsRangesAreOperators) {
  const Profile p = read(std::string(kNvtx) +
                         "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES "
                         "(10, 30, 59, 'aten::mm, seq = 4, op_id = 9, sizes = [[2, 3], [3, 4]]', 16777223, 0), "
                         "(40, 50, 59, 'nn.Module: Linear_0', 16777223, 0), (5, 60, 59, 'forward', 16777223, 0);");
  ASSERT_EQ(p.operators.size(), 2U);
  EXPECT_EQ(p.operators.kind[0], OperatorKind::kRange);
  EXPECT_EQ(p.text(p.operators.name[1]), "aten::mm");
  EXPECT_EQ(p.operators.sequence_number[1], 4);
  EXPECT_EQ(p.text(p.operators.input_shapes[1]), "[[2, 3], [3, 4]]");
  ASSERT_EQ(p.python_frames.size(), 1U);
}

TEST(Nsys, VersionsOfCallsAreLeftOut) {
  EXPECT_EQ(without_version("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(without_version("cuMemcpyHtoD_v2"), "cuMemcpyHtoD_v2");
  EXPECT_EQ(without_version("cudaLaunchKernelExC_v11060"), "cudaLaunchKernelExC");
  EXPECT_EQ(without_version("cudaGraph_version"), "cudaGraph_version");
}

constexpr const char* kKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, "
    "demangledName, shortName, mangledName, gridX, gridY, gridZ, blockX, blockY, blockZ);";

TEST(Nsys, ATextIsNoTime) {
  const Profile p = read(std::string("INSERT INTO StringIds VALUES (0, 'zero'), (1, 'copy');") + kKernels +
                         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                         "('abc', 20, 0, 1, 7, 1, 16777216, 1, 1, 1, 1, 1, 1, 32, 1, 1), "
                         "(10, 'x', 0, 1, 7, 1, 16777216, 1, 1, 1, 1, 1, 1, 32, 1, 1), "
                         "('30', 40, 0, 1, 7, 1, 16777216, 'named here', 1, 1, 1, 1, 1, 32, 1, 1);");
  ASSERT_EQ(p.device_events.size(), 1U);
  EXPECT_EQ(p.device_events.duration_ns[0], 10);
  EXPECT_EQ(p.text(p.device_events.name[0]), "named here");
  ASSERT_NE(p.integrity.find("unusable-events"), nullptr);
  EXPECT_EQ(p.integrity.find("unusable-events")->count, 2);
  EXPECT_EQ(p.integrity.find("columns-missing"), nullptr);
}

TEST(Nsys, ColumnsThatEveryVersionWritesAreMissed) {
  std::string other = kKernels;
  other.replace(other.find("streamId"), 8, "stream");
  const Profile p = read("INSERT INTO StringIds VALUES (1, 'k');" + other +
                         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                         "(10, 20, 0, 1, 7, 1, 16777216, 1, 1, 1, 1, 1, 1, 32, 1, 1);");
  ASSERT_NE(p.integrity.find("columns-missing"), nullptr);
  EXPECT_THAT(p.integrity.find("columns-missing")->detail, testing::HasSubstr("CUPTI_ACTIVITY_KIND_KERNEL.streamId"));
}

TEST(Nsys, ACallWithinItsOwnDoubleIsOne) {
  const Profile p = read(
      "INSERT INTO StringIds VALUES (1, 'cudaMemcpy'), (2, 'cudaMemcpy_v3020'), (3, 'cuLaunchKernel');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (12, 18, 16777223, 5, 2), (10, 20, 16777223, 5, 1), (30, 40, "
      "16777223, 6, 3);");
  ASSERT_EQ(p.calls.size(), 2U);
  EXPECT_EQ(p.calls.duration_ns[0], 10);
  EXPECT_EQ(p.calls.kind[1], CallKind::kDriver);
  ASSERT_NE(p.integrity.find("nested-calls"), nullptr);
  EXPECT_EQ(p.integrity.find("nested-calls")->count, 1);
}

TEST(Nsys, WaitsForEventsNameTheStreamThatTheyStandFor) {
  const Profile p = read(
      "INSERT INTO StringIds VALUES (1, 'cudaEventRecord_v3020');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 16777223, 5, 1);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INT, contextId INT, streamId INT, correlationId INT, "
      "globalPid INT, eventId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 13, 5, 16777216, 99);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT, contextId INT, streamId "
      "INT, correlationId INT,"
      " globalPid INT, syncType INT, eventId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (30, 31, 0, 1, 7, 6, 16777216, 2, 99), (40, 45, 0, 1, "
      "4294967295, 7, 16777216, 4, 4294967295);");
  ASSERT_EQ(p.synchronizations.size(), 2U);
  EXPECT_EQ(p.text(p.synchronizations.name[0]), "Stream Wait Event");
  EXPECT_EQ(p.synchronizations.wait_on_stream[0], 13);
  EXPECT_EQ(p.synchronizations.wait_on_correlation[0], 5);
  EXPECT_EQ(p.synchronizations.stream[1], -1);
  EXPECT_EQ(p.synchronizations.wait_on_event[1], -1);
}

TEST(Nsys, MemoryLibrariesMetricsAndSamples) {
  const Profile p = read(
      "INSERT INTO StringIds VALUES (1, 'read'), (2, '/usr/lib/libc.so.6'), (3, 'main'), (4, 'C:\\work\\train');"
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INT, globalPid INT, deviceId INT, address INT, bytes INT, "
      "memKind INT,"
      " memoryOperationType INT);"
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (30, 16777216, 0, 4096, 100, 2, 1), (10, 16777216, 0, 4096, "
      "100, 2, 0), (20, 16777216, 0, 8192, 50, 2, 0);"
      "CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT, returnValue INT);"
      "INSERT INTO OSRT_API VALUES (10, 20, 16777223, 1, -1);"
      "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, metricId INT, metricName TEXT);"
      "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (257, 3, 'SM Active [Throughput %]');"
      "CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);"
      "INSERT INTO GPU_METRICS VALUES (15, 257, 3, 42);"
      "CREATE TABLE COMPOSITE_EVENTS (id INT, start INT, threadState INT, globalTid INT);"
      "INSERT INTO COMPOSITE_EVENTS VALUES (1, 10, 1, 16777223), (2, 20, 1, 16777223);"
      "CREATE TABLE SAMPLING_CALLCHAINS (id INT, symbol INT, module INT, stackDepth INT);"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 3, 4, 1), (1, 1, 2, 0), (2, 3, 4, 0);"
      "CREATE TABLE SCHED_EVENTS (start INT, cpu INT); INSERT INTO SCHED_EVENTS VALUES (1, 2), (3, 4);");
  ASSERT_EQ(p.allocations.size(), 3U);
  EXPECT_EQ(p.allocations.total_allocated_bytes[2], 50);
  EXPECT_EQ(p.allocations.bytes[2], -100);
  ASSERT_EQ(p.other_events.size(), 3U);
  EXPECT_EQ(p.text(p.other_events.category[0]), "osrt_api");
  EXPECT_EQ(p.text(p.other_events.args[0]), "{\"returned\": -1}");
  EXPECT_EQ(p.text(p.other_events.name[1]), "train: main;libc.so.6: read");
  EXPECT_EQ(p.other_events.duration_ns[1], 10);
  ASSERT_EQ(p.counter_samples.size(), 1U);
  EXPECT_EQ(p.text(p.counter_samples.name[0]), "GPU 1: SM Active [Throughput %]");
  ASSERT_NE(p.integrity.find("rows-not-read"), nullptr);
  EXPECT_EQ(p.integrity.find("rows-not-read")->count, 2);
}

TEST(Nsys, AbsurdRowsAreCounted) {
  const Profile p = read(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, globalPid INT, deviceId INT, streamId INT, "
      "demangledName INT, blockX INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 16777216, 0, 7, 1, 99999999999), (30, 20, 16777216, -5, "
      "7, 1, 1),"
      " (9223372036854775807, -9223372036854775808, 0, 0, 0, 0, 0), (NULL, NULL, 0, 0, 0, 0, 0);");
  EXPECT_EQ(p.device_events.size(), 2U);
  EXPECT_EQ(p.device_events.duration_ns[1], 0);
  for (const auto& [id, count] :
       std::map<std::string, int64_t>{{"unusable-events", 2}, {"negative-durations", 1}, {"names-missing", 1}}) {
    ASSERT_NE(p.integrity.find(id), nullptr) << id;
    EXPECT_EQ(p.integrity.find(id)->count, count) << id;
  }
}

}  // namespace
}  // namespace warplens::nsys
