// What ran on devices.
#include <algorithm>
#include <limits>

#include "warplens/base/text.h"
#include "warplens/trace/readers/nsys/recording.h"

namespace warplens::nsys {
namespace {

constexpr uint32_t kMostThreads = 1024;         // of a side of a block: more is no block
constexpr uint32_t kMostRegisters = 255;        // of a thread
constexpr uint32_t kMostSharedBytes = 1 << 20;  // of a block
constexpr int64_t kMemoryKinds = 7;             // ENUM_CUDA_MEM_KIND without its last, which stands for unknown

enum Common { kStart, kEnd, kProcess, kDevice, kContext, kStream, kCorrelation, kBytes, kNode, kGraph, kOwn };

/// 0 where the value is out of range.
uint32_t small(const sqlite::Rows& row, int column, uint32_t most = INT32_MAX) {
  const int64_t value = row.integer(column);
  return value < 0 || value > most ? 0 : static_cast<uint32_t>(value);
}

int32_t size(const sqlite::Rows& row, int column, uint32_t most = INT32_MAX) {
  return static_cast<int32_t>(small(row, column, most));
}

/// Nsight's numbers are CUPTI's less one.
uint32_t memory_kind(const sqlite::Rows& row, int column) {
  const int64_t kind = row.integer(column, kMemoryKinds);
  return kind < 0 || kind >= kMemoryKinds ? 0 : static_cast<uint32_t>(kind) + 1;
}

}  // namespace

sqlite::Rows Recording::device_rows(const std::string& table, std::vector<const char*> own_columns) {
  std::vector<const char*> columns = {"start",    "end",           "globalPid", "deviceId",    "contextId",
                                      "streamId", "correlationId", "bytes",     "graphNodeId", "graphId"};
  columns.insert(columns.end(), own_columns.begin(), own_columns.end());
  return rows(table, columns);
}

std::optional<OnDevice> Recording::on_device(const sqlite::Rows& row) {
  const auto at = span(row, kStart, kEnd);
  if (!at) return std::nullopt;
  // Older schemas have a graph in the upper half of its node's number.
  const int64_t node = row.integer(kNode), graph = row.is_null(kGraph) ? node >> 32 : row.integer(kGraph);
  return OnDevice{.process = process_that_uses_a_gpu(row.integer(kProcess)),
                  .device = small(row, kDevice),
                  .context = small(row, kContext),
                  .stream = static_cast<uint32_t>(std::clamp<int64_t>(row.integer(kStream), 0, UINT32_MAX)),
                  .activity = {.start_ns = absolute(at->start_ns),
                               .end_ns = absolute(at->end_ns),
                               .correlation = static_cast<uint64_t>(row.integer(kCorrelation)),
                               .bytes = static_cast<uint64_t>(row.integer(kBytes)),
                               .graph = static_cast<uint64_t>(graph),
                               .node = static_cast<uint64_t>(node)}};
}

void Recording::read_kernels() {
  const std::string table = "CUPTI_ACTIVITY_KIND_KERNEL";
  sqlite::Rows row =
      device_rows(table, {"demangledName", "mangledName", "shortName", "gridX", "gridY", "gridZ", "blockX", "blockY",
                          "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"});
  while (row.next()) {
    auto on = on_device(row);
    if (!on) continue;
    const int named = !row.is_null(kOwn) ? kOwn : !row.is_null(kOwn + 1) ? kOwn + 1 : kOwn + 2;
    const stream::KernelSite site = {
        .name = on->process.text(name(row, named)),
        .device = on->device,
        .context = on->context,
        .stream = on->stream,
        .grid = {size(row, kOwn + 3), size(row, kOwn + 4), size(row, kOwn + 5)},
        .block = {size(row, kOwn + 6, kMostThreads), size(row, kOwn + 7, kMostThreads),
                  size(row, kOwn + 8, kMostThreads)},
        .registers = small(row, kOwn + 9, kMostRegisters),
        .shared_bytes = small(row, kOwn + 10, kMostSharedBytes) + small(row, kOwn + 11, kMostSharedBytes)};
    on->activity.site = on->process.site(site);
    on->process.builder.activity(stream::Tag::kKernel, on->activity);
  }
  end(table, row);
}

void Recording::read_copies() {
  const std::string table = "CUPTI_ACTIVITY_KIND_MEMCPY";
  sqlite::Rows row = device_rows(table, {"copyKind", "srcKind", "dstKind"});
  while (row.next()) {
    auto on = on_device(row);
    if (!on) continue;
    const stream::CopySite site = {.kind = small(row, kOwn),
                                   .source = memory_kind(row, kOwn + 1),
                                   .destination = memory_kind(row, kOwn + 2),
                                   .device = on->device,
                                   .context = on->context,
                                   .stream = on->stream};
    on->activity.site = on->process.site(site);
    on->process.builder.activity(stream::Tag::kCopy, on->activity);
  }
  end(table, row);
}

void Recording::read_sets() {
  const std::string table = "CUPTI_ACTIVITY_KIND_MEMSET";
  sqlite::Rows row = device_rows(table, {"memKind"});
  while (row.next()) {
    auto on = on_device(row);
    if (!on) continue;
    const stream::SetSite site = {
        .memory = memory_kind(row, kOwn), .device = on->device, .context = on->context, .stream = on->stream};
    on->activity.site = on->process.site(site);
    on->process.builder.activity(stream::Tag::kSet, on->activity);
  }
  end(table, row);
}

/// Where nsys traced each launch of a graph as one, the device was busy with it, whatever its kernels were.
void Recording::read_whole_graphs() {
  const std::string table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
  sqlite::Rows row = device_rows(table, {});
  while (row.next()) {
    auto on = on_device(row);
    if (!on) continue;
    const stream::KernelSite site = {
        .name = on->process.text(fmt::format("CUDA graph {}, as a whole", on->activity.graph)),
        .device = on->device,
        .context = on->context,
        .stream = on->stream};
    on->activity.site = on->process.site(site);
    on->process.builder.activity(stream::Tag::kKernel, on->activity);
    ++whole_graphs_;
  }
  end(table, row);
}

}  // namespace warplens::nsys
