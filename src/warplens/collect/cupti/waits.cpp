#include "warplens/collect/cupti/waits.h"

#include <cstring>

#include "warplens/trace/stream/events.h"

namespace warplens::cupti {
namespace {

struct NamedCall {
  std::string_view name;
  WaitCall call;
};

constexpr NamedCall kCalls[] = {
    {"cudaStreamSynchronize", {stream::kStreamSync, 0, -1}},
    {"cuStreamSynchronize", {stream::kStreamSync, 0, -1}},
    {"cudaDeviceSynchronize", {stream::kContextSync, -1, -1}},
    {"cuCtxSynchronize", {stream::kContextSync, -1, -1}},
    {"cudaEventSynchronize", {stream::kEventSync, -1, 0}},
    {"cuEventSynchronize", {stream::kEventSync, -1, 0}},
    {"cudaStreamWaitEvent", {stream::kStreamWaitEvent, 0, 1}},
    {"cuStreamWaitEvent", {stream::kStreamWaitEvent, 0, 1}},
    {"cudaEventRecord", {stream::kEventRecorded, 1, 0}},
    {"cuEventRecord", {stream::kEventRecorded, 1, 0}},
    {"cudaEventRecordWithFlags", {stream::kEventRecorded, 1, 0}},
    {"cuEventRecordWithFlags", {stream::kEventRecorded, 1, 0}},
};

void* parameter(const ApiCallback& data, int place) {
  void* out = nullptr;
  std::memcpy(&out, static_cast<const uint8_t*>(data.parameters) + static_cast<size_t>(place) * sizeof out, sizeof out);
  return out;
}

bool has_stream_of_its_own(const char* function) {
  const std::string_view name = function != nullptr ? function : "";
  return name.find("_ptsz") != std::string_view::npos || name.find("_ptds") != std::string_view::npos;
}

}  // namespace

WaitCall wait_call(std::string_view plain_name) {
  for (const NamedCall& known : kCalls) {
    if (known.name == plain_name) return known.call;
  }
  return {};
}

Wait read_wait(const Library& cupti, const WaitCall& call, const ApiCallback& data) {
  Wait out = {call.type, UINT32_MAX, data.context_id, 0};
  if (data.parameters == nullptr) return out;
  if (call.event_at >= 0) out.event = reinterpret_cast<uintptr_t>(parameter(data, call.event_at));
  if (call.stream_at < 0) return out;
  uint32_t stream = 0;
  void* handle = parameter(data, call.stream_at);
  const uint8_t own = has_stream_of_its_own(data.function);
  if (cupti.cuptiGetStreamIdEx(data.context, handle, own, &stream) == kSuccess) out.stream = stream;
  return out;
}

}  // namespace warplens::cupti
