// Rows of what happens on the host.
#include "warplens/trace/readers/kineto/numbers.h"
#include "warplens/trace/readers/kineto/rows.h"

namespace warplens::kineto {
namespace {

// "Ev Idx" and "Record function id" number the profiler's own records and say nothing of the program.
constexpr uint64_t kOperatorArguments =
    bits(Argument::kExternalId, Argument::kSequenceNumber, Argument::kForwardThread, Argument::kRecordFunctionId,
         Argument::kEventIndex, Argument::kInputDims, Argument::kInputDimsOld, Argument::kInputStrides,
         Argument::kInputType, Argument::kConcreteInputs, Argument::kCallStack, Argument::kModule);

}  // namespace

size_t RowBuilder::add_operator(const Event& event, const Times& times, OperatorKind kind) {
  const Value& dims = event.has(Argument::kInputDims) ? event[Argument::kInputDims] : event[Argument::kInputDimsOld];
  append(chunk_.tables.operators, {.start_ns = times.start_ns,
                                   .duration_ns = times.duration_ns,
                                   .name = text(event.name),
                                   .thread = thread_of(event),
                                   .kind = kind,
                                   .external_id = integer(event, Argument::kExternalId, 0),
                                   .sequence_number = integer(event, Argument::kSequenceNumber, -1),
                                   .forward_thread = integer(event, Argument::kForwardThread, 0),
                                   .input_shapes = text(dims),
                                   .input_types = text(event[Argument::kInputType]),
                                   .input_strides = text(event[Argument::kInputStrides]),
                                   .concrete_inputs = text(event[Argument::kConcreteInputs]),
                                   .call_stack = text(event[Argument::kCallStack]),
                                   .module = text(event[Argument::kModule]),
                                   .args = further_arguments(event, kOperatorArguments)});
  return chunk_.tables.operators.size() - 1;
}

size_t RowBuilder::add_call(const Event& event, const Times& times, CallKind kind) {
  const int64_t correlation = integer(event, Argument::kCorrelation, 0);
  append(chunk_.tables.calls, {.start_ns = times.start_ns,
                               .duration_ns = times.duration_ns,
                               .name = text(event.name),
                               .thread = thread_of(event),
                               .kind = kind,
                               .correlation = correlation,
                               .external_id = integer(event, Argument::kExternalId, 0)});
  const bool describes_launch = event.has(Argument::kGrid) || event.has(Argument::kSize);
  if (describes_launch && correlation != 0)
    chunk_.launches.push_back({correlation, launch_config(event), integer(event, Argument::kSize, 0)});
  return chunk_.tables.calls.size() - 1;
}

size_t RowBuilder::add_python_frame(const Event& event, const Times& times) {
  append(chunk_.tables.python_frames, {.start_ns = times.start_ns,
                                       .duration_ns = times.duration_ns,
                                       .name = text(event.name),
                                       .thread = thread_of(event),
                                       .python_id = integer(event, Argument::kPythonId, -1),
                                       .python_parent_id = integer(event, Argument::kPythonParentId, -1),
                                       .python_module_id = integer(event, Argument::kPythonModuleId, -1)});
  return chunk_.tables.python_frames.size() - 1;
}

size_t RowBuilder::add_overhead(const Event& event, const Times& times) {
  append(chunk_.tables.overheads, {.start_ns = times.start_ns,
                                   .duration_ns = times.duration_ns,
                                   .name = text(event.name),
                                   .thread = thread_of(event),
                                   .external_id = integer(event, Argument::kExternalId, 0)});
  return chunk_.tables.overheads.size() - 1;
}

void RowBuilder::add_allocation(const Event& event, int64_t time_ns) {
  append(chunk_.tables.allocations, {.time_ns = time_ns,
                                     .thread = thread_of(event),
                                     .address = static_cast<uint64_t>(integer(event, Argument::kAddress, 0)),
                                     .bytes = integer(event, Argument::kMemoryBytes, 0),
                                     .total_allocated_bytes = integer(event, Argument::kTotalAllocated, 0),
                                     .total_reserved_bytes = integer(event, Argument::kTotalReserved, 0),
                                     .device_type = static_cast<int32_t>(integer(event, Argument::kDeviceType, 0)),
                                     .device_ordinal = static_cast<int32_t>(integer(event, Argument::kDeviceId, -1))});
}

}  // namespace warplens::kineto
