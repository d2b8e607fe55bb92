// How many records a second the recorder takes in on one core: CUPTI's, as a launch-bound program leaves them in its
// buffers, and the ranges of a program's thread, through the code that the injected library runs.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "warplens/collect/cupti/activities.h"
#include "warplens/collect/log/thread_log.h"

namespace {

using namespace warplens;

constexpr uint64_t kStart = 1'800'000'000'000'000'000;
constexpr int kLaunches = 2'000'000, kKernels = 40;

class Counted : public stream::BlockSink {
 public:
  void put(stream::BlockKind, std::string_view block, uint64_t, uint64_t) override { bytes += block.size(); }
  size_t bytes = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A launch call and its kernel each, of kKernels kernels in turn as a training step has them.
struct Launch {
  cupti::CallRecord call;
  cupti::KernelRecord kernel;
};

std::vector<Launch> step(const std::vector<std::string>& names) {
  std::vector<Launch> out(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    Launch& launch = out[i];
    launch = {};
    launch.call.kind = cupti::kRuntime, launch.call.callback = 1, launch.call.thread = 99;
    launch.kernel.kind = cupti::kConcurrentKernel, launch.kernel.name = names[i].c_str();
    launch.kernel.grid[0] = static_cast<int32_t>(8 + i), launch.kernel.block[0] = 256, launch.kernel.stream = 7;
  }
  return out;
}

void activities() {
  std::vector<std::string> names;
  for (int i = 0; i < kKernels; ++i)
    names.push_back("void at::native::vectorized_elementwise_kernel<4, op" + std::to_string(i) + ">");
  std::vector<Launch> launches = step(names);
  Counted sink;
  stream::Encoder encoder(sink);
  cupti::ActivityWriter writer(encoder);
  writer.name_calls(cupti::kRuntimeApi, {"", "cudaLaunchKernel"});
  writer.open_window(0);
  const auto start = std::chrono::steady_clock::now();
  uint64_t now = kStart;
  for (int i = 0; i < kLaunches; ++i, now += 5000) {
    Launch& launch = launches[static_cast<size_t>(i % kKernels)];
    launch.call.start = now, launch.call.end = now + 3000 + i % 7, launch.call.correlation = static_cast<uint32_t>(i);
    launch.kernel.start = now + 4000, launch.kernel.end = now + 6000 + i % 13,
    launch.kernel.correlation = launch.call.correlation;
    writer.write(&launch.call), writer.write(&launch.kernel);
  }
  encoder.flush();
  const double s = seconds_since(start);
  std::printf("activities: %.1f million records a second, %.1f bytes a launch\n", 2 * kLaunches / s / 1e6,
              static_cast<double>(sink.bytes) / kLaunches);
}

void operators() {
  collect::ThreadLog log;
  Counted sink;
  stream::Encoder encoder(sink);
  const std::string texts[] = {"aten::add_[[1024], []]", "aten::mm[[512, 512], [512, 512]]",
                               "aten::copy_[[1024], [1024], []]"};
  constexpr uint32_t kNames[] = {10, 8, 11};
  constexpr int kAtOnce = 2000;
  uint64_t now = kStart;
  double write_s = 0, read_s = 0;
  for (int done = 0; done < kLaunches; done += kAtOnce) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kAtOnce; ++i, now += 1000) {
      log.write({collect::HostEvent::kOperator, kNames[i % 3], now, static_cast<uint64_t>(i), texts[i % 3]});
      log.write({collect::HostEvent::kPop, 0, now + 700, 0, {}});
    }
    write_s += seconds_since(start);
    start = std::chrono::steady_clock::now();
    for (collect::HostRecord record; log.read(record);) {
      if (record.event == collect::HostEvent::kPop) encoder.pop(1, record.ticks);
      else
        encoder.begin_operator(1, record.ticks, encoder.text(record.text.substr(0, record.domain)),
                               encoder.text(record.text.substr(record.domain)), static_cast<int64_t>(record.id));
    }
    read_s += seconds_since(start);
  }
  encoder.flush();
  std::printf(
      "operators with shapes: %.1f million events a second into a thread's log, %.1f out of it and encoded, %.1f bytes "
      "an operator\n",
      2 * kLaunches / write_s / 1e6, 2 * kLaunches / read_s / 1e6, static_cast<double>(sink.bytes) / kLaunches);
}

}  // namespace

int main() {
  activities();
  operators();
}
