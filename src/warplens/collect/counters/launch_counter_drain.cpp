#include <set>

#include "warplens/collect/counters/inside.h"
#include "warplens/collect/counters/launch_counter.h"
#include "warplens/collect/counters/sampled_source.h"
#include "warplens/collect/process/device_facts.h"
#include "warplens/collect/process/journal.h"

namespace warplens::collect {

using cupti::Launch;

void LaunchCounter::drain_samples(Context& context) {
  if (!context.sampler->started()) return;
  if (const std::string problem = context.sampler->stop(); !problem.empty())
    tell_journal(settings_.journal, "stopped", problem);
}

void LaunchCounter::write_samples(const Context& context) {
  if (context.watcher) context.watcher->write(&cubins_, &file_);
  if (!context.sampler) return;
  const cupti::Sampler& sampler = *context.sampler;
  file_.sampling(sampler.reasons(), 1U << cupti::Sampler::kPeriodExponent, sampler.samples(), sampler.dropped(),
                 sampled_launches_);
  std::map<uint64_t, cupti::SourceLines> lines;  // by the cubin's CRC
  std::set<std::string> written;                 // functions whose code is
  for (const cupti::PcSamples& place : sampler.take()) {
    const std::vector<char>* cubin = cubins_.find(place.cubin_crc);
    cupti::SourceLine at;
    if (cubin != nullptr) {
      const cupti::SourceLines& own = lines.try_emplace(place.cubin_crc, *cubin).first->second;
      at = cupti::source_of(own, place, sampler.reasons());
      if (written.insert(place.function).second) file_.code(place.function, own.code(place.function));
    }
    file_.place(place, at.file, at.line);
  }
  file_.flush();
}

void LaunchCounter::drain(Context& context) {
  if (context.sampler) return drain_samples(context);
  if (!context.profiler || (context.pending.empty() && !context.profiler->started())) return;
  const Inside our_own;
  std::vector<std::vector<double>> values;
  std::string problem = context.profiler->started() ? context.profiler->stop(&values)
                                                    : context.replayer->replay(context.profiler.get(), &values);
  const std::vector<Launch> launches = std::move(context.pending);
  context.pending.clear();
  if (problem.empty() && values.size() != launches.size())
    problem = "CUPTI counted " + std::to_string(values.size()) + " ranges for " + std::to_string(launches.size()) +
              " launches";
  for (size_t i = 0; i < launches.size(); ++i) {
    Counted counted;
    if (problem.empty()) counted.values = std::move(values[i]);
    else counted.skipped = problem;
    file_.launch(launches[i], counted);
  }
  file_.flush();
}

void LaunchCounter::drain_all() {
  for (auto& [handle, context] : contexts_) drain(context);
}

/// Where CUPTI replays every launch, one that was not chosen must not be among them.
void LaunchCounter::drain_started() {
  for (auto& [handle, context] : contexts_) {
    const bool samples = context.sampler && context.sampler->started();
    if (samples || (context.profiler && context.profiler->started())) drain(context);
  }
}

void LaunchCounter::stop() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  end_ranges();
  drain_all();
  for (const auto& [handle, context] : contexts_) write_samples(context);
  stopped_ = true;
  listen(0);
  times_.finish(cupti_, &file_);
  file_.end(launches_, graph_launches_);
  file_.close();
}

void LaunchCounter::leave() {
  stop();
  const std::lock_guard lock(mutex_);
  const Inside our_own;
  for (auto& [handle, context] : contexts_) {
    if (context.profiler) context.profiler->close();
    context.watcher.reset();
  }
  contexts_.clear();
}

void LaunchCounter::describe(uint32_t ordinal, const Context& context, const std::string& refusal) {
  stream::Device device{};
  std::string name;
  device_facts(ordinal, device, name);
  device.ordinal = ordinal;
  const cupti::RangeProfiler* profiler = context.profiler.get();
  file_.device(device, profiler != nullptr ? profiler->chip() : "",
               profiler != nullptr && refusal.empty() ? &profiler->host() : nullptr, refusal);
}

/// Counters are not to be had; times are.
void LaunchCounter::refuse(Context& context, uint32_t device, const std::string& why) {
  tell_journal(settings_.journal, "refused", why);
  describe(device, context, why);
  context.profiler.reset();
  context.sampler.reset();
  context.watcher.reset();
  times_.start(cupti_);
}

}  // namespace warplens::collect
