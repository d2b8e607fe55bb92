// Exports of Nsight Systems whose bytes were changed anywhere, and databases that are anything.
#include <sqlite3.h>

#include <cstring>

#include "warplens/trace/readers/format.h"

namespace {

using namespace warplens;

/// A row in each table that the reader knows, so that a changed byte is in reach of all of it.
constexpr const char* kExport =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT, "
    "correlationId INT,"
    " globalPid INT, demangledName INT, gridX INT, blockX INT, graphNodeId INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, correlationId INT, "
    "globalPid INT,"
    " bytes INT, copyKind INT, srcKind INT, dstKind INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT, streamId INT, globalPid INT, "
    "syncType INT,"
    " eventId INT);"
    "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, color INT, text TEXT, globalTid INT, domainId INT, "
    "jsonText TEXT);"
    "CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT);"
    "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, smCount INT, maxWarpsPerSm INT, threadsPerWarp INT);"
    "INSERT INTO StringIds VALUES (1, 'kernel'), (2, 'cudaLaunchKernel_v7000');"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 1, 7, 5, 16777216, 1, 4, 256, 0), (30, 40, 0, 1, 7, 6, "
    "16777216, 1, 4, 256, 9);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (50, 60, 0, 7, 7, 16777216, 64, 1, 0, 2);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 5, 16777223, 5, 2), (6, 9, 16777223, 6, 2);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (60, 70, 0, 7, 16777216, 3, 4294967295);"
    "INSERT INTO NVTX_EVENTS VALUES (0, 80, 59, 4278255360, 'aten::mm, seq = 1, op_id = 2, sizes = [[2, 3]]', "
    "16777223, 0, '{\"a\": 1}');"
    "INSERT INTO OSRT_API VALUES (1, 2, 16777223, 1); INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU', 132, 64, 32);";

const std::string& database() {
  static const std::string bytes = [] {
    sqlite3* made = nullptr;
    sqlite3_open(":memory:", &made);
    sqlite3_exec(made, "PRAGMA page_size = 512", nullptr, nullptr, nullptr);
    if (sqlite3_exec(made, kExport, nullptr, nullptr, nullptr) != SQLITE_OK) __builtin_trap();
    sqlite3_int64 size = 0;
    unsigned char* copy = sqlite3_serialize(made, "main", &size, 0);
    std::string out(reinterpret_cast<char*>(copy), static_cast<size_t>(size));
    sqlite3_free(copy);
    sqlite3_close(made);
    return out;
  }();
  return bytes;
}

void read(std::string bytes) {
  Input input = Input::of_bytes("fuzz", std::move(bytes));
  Profile profile;
  if (read_input(input, {}, profile).ok() && profile.ranks.size() == 0) __builtin_trap();
}

}  // namespace

/// Three bytes each: a place, and what stands there now; what is left cuts the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string changed = database();
  for (size_t at = 0; at + 3 <= size; at += 3)
    changed[(size_t{data[at]} << 8 | data[at + 1]) % changed.size()] = static_cast<char>(data[at + 2]);
  if (size % 3 == 1) changed.resize(changed.size() * data[size - 1] / 256);
  read(changed);
  read(std::string("SQLite format 3\0", 16) + std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
