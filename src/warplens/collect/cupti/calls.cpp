#include "warplens/collect/cupti/calls.h"

namespace warplens::cupti {
namespace {

constexpr uint32_t kMaxId = 2048;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// What a recorded call's name holds behind cuda or cu.
constexpr std::string_view kRecorded[] = {
    "LaunchKernel",
    "LaunchCooperative",
    "LaunchGrid",
    "Launch",
    "GraphLaunch",
    "GraphInstantiate",
    "StreamBeginCapture",
    "StreamEndCapture",
    "Memcpy",
    "Memset",
    "Malloc",
    "Free",
    "MemAlloc",
    "MemFree",
    "HostAlloc",
    "HostRegister",
    "MemHostAlloc",
    "StreamSynchronize",
    "DeviceSynchronize",
    "EventSynchronize",
    "CtxSynchronize",
    "EventRecord",
    "StreamWaitEvent",
    "MemPrefetch",
    "MemMap",
    "MemCreate",
};
// Names that hold one of these only ask.
constexpr std::string_view kQueries[] = {"Attribute", "HostFunc", "GetInfo", "Occupancy",
                                         "Get",       "NodeSet",  "Node",    "ExecUpdate"};

}  // namespace

std::string_view plain_call_name(std::string_view name) {
  for (;;) {
    const size_t underscore = name.rfind('_');
    if (underscore == std::string_view::npos) return name;
    const std::string_view tail = name.substr(underscore + 1);
    const bool version = tail.size() > 1 && tail[0] == 'v' && all_digits(tail.substr(1));
    if (!version && tail != "ptsz" && tail != "ptds") return name;
    name = name.substr(0, underscore);
  }
}

bool is_recorded_call(std::string_view name) {
  std::string_view rest = name;
  if (rest.starts_with("cuda")) rest.remove_prefix(4);
  else if (rest.starts_with("cu")) rest.remove_prefix(2);
  for (const std::string_view query : kQueries) {
    if (contains(rest, query)) return false;
  }
  for (const std::string_view recorded : kRecorded) {
    if (rest.starts_with(recorded)) return true;
  }
  return false;
}

bool is_launch_call(std::string_view name) {
  return is_recorded_call(name) &&
         (contains(name, "LaunchKernel") || contains(name, "LaunchCooperative") || contains(name, "LaunchGrid"));
}

std::optional<bool> profiler_call(std::string_view name) {
  if (name == "cudaProfilerStart" || name == "cuProfilerStart") return true;
  if (name == "cudaProfilerStop" || name == "cuProfilerStop") return false;
  return std::nullopt;
}

std::vector<Call> list_calls(const Library& cupti, Domain domain) {
  std::vector<Call> calls(1);
  for (uint32_t id = 1; id < kMaxId; ++id) {
    const char* text = nullptr;
    if (cupti.cuptiGetCallbackName(domain, id, &text) != kSuccess || text == nullptr) break;
    const std::string_view name = plain_call_name(text);
    calls.push_back({id, std::string(name), is_recorded_call(name), is_launch_call(name), wait_call(name)});
  }
  return calls;
}

}  // namespace warplens::cupti
