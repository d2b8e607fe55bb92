#include "warplens/trace/readers/rocprof/process.h"

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/format.h"

namespace warplens::rocprof {

Process::Process(Growth& growth) : growth_(growth), keep_(growth.into(text_)), events_(held_, keep_) {}

void Process::name_thread(std::string_view process, std::string_view thread, std::string_view name) {
  if (!name.empty()) events_.begin('M', "", "thread_name", process, thread, 0).argument("name", name).end();
}

bool Process::takes(int64_t start_ns, int64_t end_ns) {
  if (!growth_.fits()) return false;  // nothing of the file will be read
  const bool fits = start_ns > 0 && end_ns >= start_ns;
  dropped_.backwards += !fits;
  return fits;
}

Status Process::add_to(Profile& profile, const std::string& file) {
  (void)events_.flush();
  WL_TRY(growth_.check(file));
  json::Writer devices(false);
  devices.begin_array();
  for (const Gpu& gpu : gpus_) {
    devices.begin_object().member("id", gpu.ordinal).member("name", std::string_view(gpu.name));
    devices.member("numSms", gpu.compute_units).member("warpSize", gpu.wave_size);
    devices.member("maxThreadsPerMultiprocessor", gpu.max_threads);
    devices.member("sharedMemPerMultiprocessor", gpu.shared_bytes).end_object();
  }
  std::string json = "{\"deviceProperties\": " + devices.end_array().take() + ", \"traceEvents\": [" + text_ + "]}";
  text_ = {};
  Input events = Input::of_bytes(file, std::move(json));
  WL_TRY(read_input(events, {}, profile));
  Integrity& integrity = profile.integrity;
  if (dropped_.backwards > 0)
    integrity.add(
        "negative-durations", Severity::kWarning, dropped_.backwards,
        fmt::format("{}: {} rows end before they begin or have no time, and are left out", file, dropped_.backwards),
        "their times are lost; record again");
  std::vector<std::string> unread;
  int64_t total = 0;
  for (const auto& [what, count] : dropped_.unread) {
    if (count > 0) unread.push_back(fmt::format("{} {}", count, what));
    total += count;
  }
  if (total > 0)
    integrity.add("rows-not-read", Severity::kInfo, total, fmt::format("{}: {} are not read", file, join(unread, ", ")),
                  "kernels, copies, calls and ranges are read; the rest is in the file");
  return {};
}

}  // namespace warplens::rocprof
