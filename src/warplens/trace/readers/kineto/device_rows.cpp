// Rows of what happens on a device.
#include "warplens/trace/readers/kineto/numbers.h"
#include "warplens/trace/readers/kineto/rows.h"

namespace warplens::kineto {
namespace {

constexpr uint64_t kCollectiveArguments =
    bits(Argument::kCollectiveName, Argument::kInElements, Argument::kOutElements, Argument::kGroupSize,
         Argument::kDtype, Argument::kGroupName, Argument::kGroupDescription, Argument::kGroupRanks,
         Argument::kSequence, Argument::kSourceRank, Argument::kDestinationRank);
// Blocks and warps per SM follow from the launch and the device, the bandwidth from bytes and duration.
constexpr uint64_t kDeviceArguments =
    kCollectiveArguments | bits(Argument::kExternalId, Argument::kQueued, Argument::kDevice, Argument::kContext,
                                Argument::kStream, Argument::kCorrelation, Argument::kRegisters,
                                Argument::kSharedMemory, Argument::kBlocksPerSm, Argument::kWarpsPerSm, Argument::kGrid,
                                Argument::kBlock, Argument::kOccupancy, Argument::kGraphId, Argument::kGraphNodeId,
                                Argument::kBytes, Argument::kBandwidth);

/// From names as "Memcpy HtoD (Pageable -> Device)", or from ROCm's "kind".
CopyKind copy_kind(std::string_view name, std::string_view kind) {
  struct Named {
    std::string_view text;
    CopyKind kind;
  };
  static constexpr Named kKinds[] = {{"HtoD", CopyKind::kHostToDevice},
                                     {"DtoH", CopyKind::kDeviceToHost},
                                     {"DtoD", CopyKind::kDeviceToDevice},
                                     {"HtoH", CopyKind::kHostToHost},
                                     {"PtoP", CopyKind::kPeerToPeer}};
  const std::string_view word = name.starts_with("Memcpy ") ? name.substr(7, 4) : kind;
  for (const Named& known : kKinds) {
    if (known.text == word) return known.kind;
  }
  return CopyKind::kOther;
}

}  // namespace

size_t RowBuilder::add_device_event(const Event& event, const Times& times, DeviceEventKind kind) {
  const bool is_kernel = kind == DeviceEventKind::kKernel, is_copy = kind == DeviceEventKind::kCopy;
  const int64_t ordinal =
      event.has(Argument::kDevice) ? integer(event, Argument::kDevice, 0) : parse_integer(event.process).value_or(-1);
  const int64_t stream =
      event.has(Argument::kStream) ? integer(event, Argument::kStream, -1) : parse_integer(event.thread).value_or(-1);
  append(chunk_.tables.device_events,
         {.start_ns = times.start_ns,
          .duration_ns = times.duration_ns,
          .name = text(event.name),
          .kind = kind,
          .device = static_cast<uint32_t>(ordinal),
          .context = static_cast<int32_t>(integer(event, Argument::kContext, 0)),
          .stream = stream,
          .correlation = integer(event, Argument::kCorrelation, 0),
          .external_id = integer(event, Argument::kExternalId, 0),
          .graph_id = integer(event, Argument::kGraphId, 0),
          .graph_node_id = integer(event, Argument::kGraphNodeId, 0),
          .bytes = integer(event, Argument::kBytes, 0),
          .copy_kind = is_copy ? copy_kind(event.name.text, event[Argument::kKind].text) : CopyKind::kNone,
          .launch_config = is_kernel && event.has(Argument::kGrid) ? launch_config(event) : kNone,
          .collective = is_kernel && event.has(Argument::kCollectiveName) ? collective(event) : kNone,
          .args = further_arguments(event, is_copy ? kDeviceArguments | bits(Argument::kKind) : kDeviceArguments)});
  return chunk_.tables.device_events.size() - 1;
}

/// What Meta's accelerator did: requests to its copy engine, waits for and records of events, and programs.
size_t RowBuilder::add_mtia_event(const Event& event, const Times& times) {
  const bool is_copy = event.name.text == "dma_request";
  const bool is_mark = event.name.text == "event_wait" || event.name.text == "event_record";
  CopyKind direction = CopyKind::kNone;
  for (const Member& member : event.members) {
    if (is_copy && member.key == "direction")
      direction = member.value.text == "HOST_TO_DEVICE"   ? CopyKind::kHostToDevice
                  : member.value.text == "DEVICE_TO_HOST" ? CopyKind::kDeviceToHost
                                                          : CopyKind::kOther;
  }
  append(chunk_.tables.device_events,
         {.start_ns = times.start_ns,
          .duration_ns = times.duration_ns,
          .name = text(event.name),
          .kind = is_copy   ? DeviceEventKind::kCopy
                  : is_mark ? DeviceEventKind::kRange
                            : DeviceEventKind::kKernel,
          .device = static_cast<uint32_t>(parse_integer(event.process).value_or(-1)),
          .stream = event.has(Argument::kStream) ? integer(event, Argument::kStream, -1)
                                                 : parse_integer(event.thread).value_or(-1),
          .correlation = integer(event, Argument::kCorrelation, 0),
          .bytes = integer(event, Argument::kSize, 0),
          .copy_kind = direction,
          .launch_config = kNone,
          .collective = kNone,
          .args = further_arguments(event, bits(Argument::kStream, Argument::kCorrelation, Argument::kSize))});
  return chunk_.tables.device_events.size() - 1;
}

uint32_t RowBuilder::launch_config(const Event& event) {
  int32_t grid[3], block[3];
  parse_extent(event[Argument::kGrid], grid);
  parse_extent(event[Argument::kBlock], block);
  const double percent = parse_real(event[Argument::kOccupancy]).value_or(-100);
  const launch_configs_row config = {
      .grid_x = grid[0],
      .grid_y = grid[1],
      .grid_z = grid[2],
      .block_x = block[0],
      .block_y = block[1],
      .block_z = block[2],
      .registers_per_thread = static_cast<int32_t>(integer(event, Argument::kRegisters, 0)),
      .shared_bytes = integer(event, Argument::kSharedMemory, 0),
      .occupancy = percent / 100};
  launch_configs_table& table = chunk_.tables.launch_configs;
  const auto [found, is_new] = config_rows_.try_emplace(config, static_cast<uint32_t>(table.size()));
  if (is_new) append(table, config);
  return found->second;
}

uint32_t RowBuilder::collective(const Event& event) {
  const auto small = [&](Argument argument, int64_t otherwise) {
    return static_cast<int32_t>(integer(event, argument, otherwise));
  };
  append(chunk_.tables.collectives, {.name = text(event[Argument::kCollectiveName]),
                                     .dtype = text(event[Argument::kDtype]),
                                     .in_elements = integer(event, Argument::kInElements, 0),
                                     .out_elements = integer(event, Argument::kOutElements, 0),
                                     .group_size = small(Argument::kGroupSize, 0),
                                     .group_name = text(event[Argument::kGroupName]),
                                     .group_description = text(event[Argument::kGroupDescription]),
                                     .group_ranks = text(event[Argument::kGroupRanks]),
                                     .sequence = integer(event, Argument::kSequence, -1),
                                     .source_rank = small(Argument::kSourceRank, -1),
                                     .destination_rank = small(Argument::kDestinationRank, -1)});
  return static_cast<uint32_t>(chunk_.tables.collectives.size() - 1);
}

size_t RowBuilder::add_synchronization(const Event& event, const Times& times) {
  const int64_t ordinal =
      event.has(Argument::kDevice) ? integer(event, Argument::kDevice, 0) : parse_integer(event.process).value_or(-1);
  append(chunk_.tables.synchronizations, {.start_ns = times.start_ns,
                                          .duration_ns = times.duration_ns,
                                          .name = text(event.name),
                                          .device = static_cast<uint32_t>(ordinal),
                                          .stream = integer(event, Argument::kStream, -1),
                                          .wait_on_stream = integer(event, Argument::kWaitOnStream, -1),
                                          .wait_on_event = integer(event, Argument::kWaitOnEvent, -1),
                                          .wait_on_correlation = integer(event, Argument::kWaitOnCorrelation, 0),
                                          .correlation = integer(event, Argument::kCorrelation, 0)});
  return chunk_.tables.synchronizations.size() - 1;
}

}  // namespace warplens::kineto
