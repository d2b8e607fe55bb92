// Samples: of host threads' stacks, and of GPUs' metrics.
#include <algorithm>

#include "warplens/base/middle.h"
#include "warplens/base/printable.h"
#include "warplens/base/text.h"
#include "warplens/trace/profile/host_sample.h"
#include "warplens/trace/readers/nsys/recording.h"
#include "warplens/trace/stream/layout.h"

namespace warplens::nsys {
namespace {

// ENUM_SAMPLING_THREAD_STATE.
constexpr const char* kStates[] = {"unknown",    "running",     "interruptible", "uninterruptible",
                                   "stopped",    "terminated",  "unscheduled",   "waiting",
                                   "OS runtime", "initialized", "transition"};

struct Frame {
  int64_t sample, depth, symbol, module;
};

struct Sample {
  int64_t thread, time_ns, id, state;
};

/// The time between two samples of a thread, as most of them have it.
int64_t period_of(const std::vector<Sample>& samples) {
  std::vector<int64_t> gaps;
  for (size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].thread == samples[i - 1].thread) gaps.push_back(samples[i].time_ns - samples[i - 1].time_ns);
  }
  return middle_of(std::move(gaps));
}

}  // namespace

/// "libc.so.6: read": the library without its folder, and the function.
std::string Recording::frame_text(int64_t module, int64_t symbol) {
  const std::string_view path = string(module);
  const std::string library(path.substr(path.find_last_of("/\\") + 1));  // of Linux and of Windows
  return replace_all(library + ": " + std::string(string(symbol)), ";", ",");
}

void Recording::read_samples() {
  const std::string table = "COMPOSITE_EVENTS", chains = "SAMPLING_CALLCHAINS";
  std::vector<Sample> samples;
  sqlite::Rows row = rows(table, {"start", "globalTid", "id", "threadState"});
  while (row.next()) {
    if (const auto at = span(row, 0, 0))
      samples.push_back({row.integer(1), at->start_ns, row.integer(2), row.integer(3)});
  }
  end(table, row);
  std::vector<Frame> frames;
  sqlite::Rows chain = rows(chains, {"id", "stackDepth", "symbol", "module"});
  while (chain.next()) frames.push_back({chain.integer(0), chain.integer(1), chain.integer(2), chain.integer(3)});
  end(chains, chain);
  if (samples.empty()) return;
  // The outermost frame is the deepest.
  std::sort(frames.begin(), frames.end(),
            [](const Frame& a, const Frame& b) { return std::tie(a.sample, b.depth) < std::tie(b.sample, a.depth); });
  std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
    return std::tie(a.thread, a.time_ns) < std::tie(b.thread, b.time_ns);
  });
  const int64_t period_ns = period_of(samples);
  for (const auto& [id, process] : processes_)
    process->builder.metadata(process->text(stream::kSamplePeriod), process->text(fmt::format("{}", period_ns)));
  std::map<std::pair<int64_t, int64_t>, std::string> texts;
  for (const Sample& sample : samples) {
    std::string stack;
    auto frame = std::lower_bound(frames.begin(), frames.end(), sample.id,
                                  [](const Frame& f, int64_t id) { return f.sample < id; });
    for (; frame != frames.end() && frame->sample == sample.id; ++frame) {
      std::string& text = texts[{frame->module, frame->symbol}];
      if (text.empty()) text = frame_text(frame->module, frame->symbol);
      stack += (stack.empty() ? "" : ";") + text;
    }
    if (stack.empty()) continue;
    Process& process = process_of(sample.thread);
    const size_t state = sample.state >= 0 && sample.state < static_cast<int64_t>(std::size(kStates))
                             ? static_cast<size_t>(sample.state)
                             : 0;
    process.builder.sample(static_cast<uint64_t>(sample.thread),
                           sample.time_ns + base_ns_ - process.builder.profile().base_ns, stack, kStates[state]);
  }
}

void Recording::read_gpu_metrics() {
  const std::string names = "TARGET_INFO_GPU_METRICS", table = "GPU_METRICS";
  std::map<std::pair<int64_t, int64_t>, std::string> metrics;  // by type and metric
  std::map<std::pair<int64_t, int64_t>, StringId> ids;
  sqlite::Rows named = rows(names, {"typeId", "metricId", "metricName"});
  while (named.next()) metrics[{named.integer(0), named.integer(1)}] = printable(named.text(2));
  end(names, named);
  sqlite::Rows row = rows(table, {"timestamp", "typeId", "metricId", "value"});
  while (row.next()) {
    const auto at = span(row, 0, 0);
    if (!at) continue;
    recorded::Builder& builder = process_of(0).builder;
    StringId& id = ids[{row.integer(1), row.integer(2)}];
    if (id == StringId::kEmpty) {
      const auto known = metrics.find({row.integer(1), row.integer(2)});
      const std::string name = known != metrics.end() ? known->second : fmt::format("metric {}", row.integer(2));
      // The lowest byte of a type's number is the GPU's.
      id = builder.profile().strings.intern(fmt::format("GPU {}: {}", row.integer(1) & 0xff, name));
    }
    append(builder.profile().counter_samples, {.time_ns = at->start_ns + base_ns_ - builder.profile().base_ns,
                                               .name = id,
                                               .thread = builder.thread_row(0),
                                               .value = row.real(3)});
  }
  end(table, row);
}

}  // namespace warplens::nsys
