// Databases of Nsight Systems, rocprofv3, rocmProfileData and warplens whose bytes were changed anywhere, and databases
// that are anything.
#include <sqlite3.h>

#include <cstring>
#include <iterator>

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

constexpr const char* kRocpd =
    "CREATE TABLE rocpd_string_0a (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);"
    "CREATE TABLE rocpd_info_process_0a (id INTEGER PRIMARY KEY, nid INT, pid INT);"
    "CREATE TABLE rocpd_info_thread_0a (id INTEGER PRIMARY KEY, pid INT, tid INT, name TEXT);"
    "CREATE TABLE rocpd_info_agent_0a (id INTEGER PRIMARY KEY, pid INT, type TEXT, type_index INT, name TEXT, extdata "
    "TEXT);"
    "CREATE TABLE rocpd_info_kernel_symbol_0a (id INTEGER PRIMARY KEY, display_name TEXT, arch_vgpr_count INT);"
    "CREATE TABLE rocpd_event_0a (id INTEGER PRIMARY KEY, category_id INT, stack_id INT);"
    "CREATE TABLE rocpd_region_0a (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, name_id INT, event_id "
    "INT, extdata TEXT);"
    "CREATE TABLE rocpd_kernel_dispatch_0a (id INTEGER PRIMARY KEY, pid INT, agent_id INT, kernel_id INT, queue_id "
    "INT, "
    "stream_id INT, start INT, end INT, workgroup_size_x INT, grid_size_x INT, event_id INT);"
    "CREATE TABLE rocpd_memory_copy_0a (id INTEGER PRIMARY KEY, pid INT, start INT, end INT, name_id INT, dst_agent_id "
    "INT, src_agent_id INT, size INT);"
    "INSERT INTO rocpd_string_0a VALUES (1, '', 'HIP_RUNTIME_API'), (2, '', 'hipLaunchKernel'), (3, '', "
    "'MEMORY_COPY_HOST_TO_DEVICE');"
    "INSERT INTO rocpd_info_process_0a VALUES (1, 1, 77); INSERT INTO rocpd_info_thread_0a VALUES (1, 1, 78, 'main');"
    "INSERT INTO rocpd_info_agent_0a VALUES (1, 1, 'GPU', 0, 'gfx942', '{\"cu_count\": 304}');"
    "INSERT INTO rocpd_info_kernel_symbol_0a VALUES (1, 'add(float*)', 32); INSERT INTO rocpd_event_0a VALUES (1, 1, "
    "5);"
    "INSERT INTO rocpd_region_0a VALUES (1, 1, 1, 10, 20, 2, 1, '{}');"
    "INSERT INTO rocpd_kernel_dispatch_0a VALUES (1, 1, 1, 1, 1, 2, 30, 40, 256, 1024, 1);"
    "INSERT INTO rocpd_memory_copy_0a VALUES (1, 1, 50, 60, 3, 1, 0, 4096);";

constexpr const char* kRpd =
    "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);"
    "CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, apiName_id INT, args_id "
    "INT);"
    "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INT, queueId INT, start INT, end INT, description_id INT, "
    "opType_id INT);"
    "CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INT, op_id INT);"
    "CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, gridX INT, gridY INT, gridZ INT, workgroupX INT, "
    "workgroupY INT, workgroupZ INT, groupSegmentSize INT);"
    "CREATE TABLE rocpd_copyapi (api_ptr_id INTEGER PRIMARY KEY, size INT);"
    "CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY);"
    "INSERT INTO rocpd_string VALUES (1, 'hipLaunchKernel'), (2, 'hipExtModuleLaunchKernel'), (3, 'hipMemcpyAsync'), "
    "(4, "
    "'UserMarker'), (5, 'KernelExecution'), (6, 'CopyHostToDevice'), (7, 'add(float*)');"
    "INSERT INTO rocpd_api VALUES (1, 7, 8, 10, 20, 1, 7), (2, 7, 8, 30, 40, 2, 7), (3, 7, 8, 50, 60, 3, 0), (4, 7, 8, "
    "5, "
    "70, 4, 7);"
    "INSERT INTO rocpd_op VALUES (1, 2, 0, 100, 140, 7, 5), (2, 2, 0, 150, 160, 7, 5), (3, 2, 0, 170, 180, 0, 6);"
    "INSERT INTO rocpd_api_ops VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3);"
    "INSERT INTO rocpd_kernelapi VALUES (1, 10, 1, 1, 64, 1, 1, 512), (2, 640, 1, 1, 64, 1, 1, 0);"
    "INSERT INTO rocpd_copyapi VALUES (3, 4096); INSERT INTO rocpd_monitor VALUES (1);";

/// A database of warplens itself, with a row of ranks and no other.
std::string own() {
  std::string out =
      "CREATE TABLE warplens_profile (key TEXT PRIMARY KEY, value); INSERT INTO warplens_profile VALUES ('format', 1);"
      "CREATE TABLE strings (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO strings VALUES (0, ''), (1, 'a.json');";
  const Profile none;
  for_each_table(none, [&](const char* name, const auto& table, const char*) {
    std::string columns, values;
    for_each_column(table, [&](const char* column, const auto&, const char*) {
      columns += std::string(columns.empty() ? "\"" : ", \"") + column + "\"";
      values += values.empty() ? "0" : ", 0";
    });
    out += std::string("CREATE TABLE \"") + name + "\" (" + columns + ");";
    const bool refers = std::string_view(name) == "ranks" || std::string_view(name) == "devices";
    if (refers) out += std::string("INSERT INTO \"") + name + "\" VALUES (" + values + ");";
  });
  return out;
}

std::string made_by(const std::string& sql) {
  {
    sqlite3* made = nullptr;
    sqlite3_open(":memory:", &made);
    sqlite3_exec(made, "PRAGMA page_size = 512", nullptr, nullptr, nullptr);
    if (sqlite3_exec(made, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) __builtin_trap();
    sqlite3_int64 size = 0;
    unsigned char* copy = sqlite3_serialize(made, "main", &size, 0);
    std::string out(reinterpret_cast<char*>(copy), static_cast<size_t>(size));
    sqlite3_free(copy);
    sqlite3_close(made);
    return out;
  }
}

const std::string& database(size_t which) {
  static const std::string all[] = {made_by(kExport), made_by(kRocpd), made_by(own()), made_by(kRpd)};
  return all[which % std::size(all)];
}

void read(std::string bytes) {
  Input input = Input::of_bytes("fuzz", std::move(bytes));
  Profile profile;
  if (read_input(input, {}, profile).ok() && profile.ranks.size() == 0) __builtin_trap();
}

}  // namespace

/// One thread, and no counts of memory: SQLite's locks and sums take as long as the reader.
bool is_configured() {
  sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  return true;
}

/// Three bytes each: a place, and its new content; what is left cuts the file. The last byte chooses the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  [[maybe_unused]] static const bool configured = is_configured();
  std::string changed = database(size == 0 ? 0 : data[size - 1]);
  for (size_t at = 0; at + 3 <= size; at += 3)
    changed[(size_t{data[at]} << 8 | data[at + 1]) % changed.size()] = static_cast<char>(data[at + 2]);
  if (size % 3 == 1) changed.resize(changed.size() * data[size - 1] / 256);
  read(std::move(changed));
  if (size % 16 == 0)  // such files rarely get beyond the header
    read(std::string("SQLite format 3\0", 16) + std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
