#include "warplens/collect/counters/replayer.h"

#include <algorithm>
#include <cstring>

#include "warplens/collect/counters/driver.h"

namespace warplens::cupti {
namespace {

constexpr int kNoSuchParameter = 1;                     // CUDA_ERROR_INVALID_VALUE
constexpr uintptr_t kPackedBytes = 1, kPackedSize = 2;  // CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE
constexpr uint32_t kKept[] = {1, 2, 4, 5, 8, 11, 14};   // attributes that decide how the kernel runs, not when

std::vector<Region> all_regions(const MemoryMap& memory, const std::vector<Region>& variables) {
  std::vector<Region> out = variables;
  for (const auto& [address, bytes] : memory.regions()) out.push_back({address, bytes});
  return out;
}

}  // namespace

RepeatedLaunch::RepeatedLaunch(LaunchCall call, const ApiCallback& data, const Launch& facts)
    : call_(call), facts_(facts) {
  void **values = nullptr, **packed = nullptr;
  if (call == LaunchCall::kKernelEx) {
    const auto& parameters = *static_cast<const LaunchExParameters*>(data.parameters);
    keep_attributes(*parameters.config);
    values = parameters.values;
    packed = parameters.packed;
  } else {
    const auto& parameters = *static_cast<const LaunchParameters*>(data.parameters);
    values = parameters.values;
    if (call == LaunchCall::kKernel) packed = parameters.packed;
  }
  if (values != nullptr || packed == nullptr) keep_values(values);
  else keep_packed(packed);
}

void RepeatedLaunch::keep_attributes(const LaunchConfig& config) {
  for (uint32_t k = 0; config.attributes != nullptr && k < config.attribute_count; ++k) {
    if (std::find(std::begin(kKept), std::end(kKept), config.attributes[k].id) != std::end(kKept))
      attributes_.push_back(config.attributes[k]);
  }
}

void RepeatedLaunch::keep_values(void** values) {
  const Driver& cuda = driver();
  void* function = plain_function(facts_.function);
  if (cuda.cuFuncGetParamInfo == nullptr) return;
  for (size_t k = 0;; ++k) {
    size_t offset = 0, bytes = 0;
    const int result = cuda.cuFuncGetParamInfo(function, k, &offset, &bytes);
    complete_ = result == kNoSuchParameter;
    if (result != 0) return;
    if (values == nullptr) return;
    values_.emplace_back((bytes + 7) / 8);
    std::memcpy(values_.back().data(), values[k], bytes);
  }
}

void RepeatedLaunch::keep_packed(void** packed) {
  is_packed_ = true;
  const void* bytes = nullptr;
  const size_t* size = nullptr;
  for (size_t k = 0; packed[k] != nullptr; k += 2) {
    if (packed[k] == reinterpret_cast<void*>(kPackedBytes)) bytes = packed[k + 1];
    else if (packed[k] == reinterpret_cast<void*>(kPackedSize)) size = static_cast<const size_t*>(packed[k + 1]);
    else return;
  }
  if (bytes == nullptr || size == nullptr) return;
  packed_.resize(*size);
  std::memcpy(packed_.data(), bytes, *size);
  complete_ = true;
}

std::vector<uint64_t> RepeatedLaunch::words() const {
  std::vector<uint64_t> out;
  for (const std::vector<uint64_t>& value : values_) out.insert(out.end(), value.begin(), value.end());
  for (size_t at = 0; at + 8 <= packed_.size(); at += 8) {
    out.push_back(0);
    std::memcpy(&out.back(), packed_.data() + at, 8);
  }
  return out;
}

int RepeatedLaunch::run() {
  const Driver& cuda = driver();
  std::vector<void*> values;
  for (std::vector<uint64_t>& value : values_) values.push_back(value.data());
  size_t size = packed_.size();
  void* packed[] = {reinterpret_cast<void*>(kPackedBytes), packed_.data(), reinterpret_cast<void*>(kPackedSize), &size,
                    nullptr};
  void** const extra = is_packed_ ? packed : nullptr;
  void** const arguments = is_packed_ ? nullptr : values.data();
  const Launch& f = facts_;
  void* stream = reinterpret_cast<void*>(f.stream);
  if (call_ == LaunchCall::kCooperative)
    return cuda.cuLaunchCooperativeKernel(f.function, f.grid[0], f.grid[1], f.grid[2], f.block[0], f.block[1],
                                          f.block[2], f.dynamic_shared_bytes, stream, arguments);
  if (call_ == LaunchCall::kKernel)
    return cuda.cuLaunchKernel(f.function, f.grid[0], f.grid[1], f.grid[2], f.block[0], f.block[1], f.block[2],
                               f.dynamic_shared_bytes, stream, arguments, extra);
  LaunchConfig config{};
  std::copy_n(f.grid, 3, config.grid);
  std::copy_n(f.block, 3, config.block);
  config.shared_bytes = f.dynamic_shared_bytes;
  config.stream = stream;
  config.attributes = attributes_.data();
  config.attribute_count = static_cast<uint32_t>(attributes_.size());
  return cuda.cuLaunchKernelEx(&config, f.function, arguments, extra);
}

bool Replayer::keep_memory(const MemoryMap& memory, ModuleSymbols* symbols, void* function, Snapshot* out) {
  std::vector<Region> regions = all_regions(memory, symbols->variables(function));
  for (const Region& region : regions) {
    const bool known = std::any_of(regions_.begin(), regions_.end(), [&](const Region& r) {
      return r.address == region.address && r.bytes == region.bytes;
    });
    if (!known) regions_.push_back(region);
  }
  return out->save(&room_, std::move(regions));
}

bool Replayer::keep(const MemoryMap& memory, ModuleSymbols* symbols, LaunchCall call, const ApiCallback& data,
                    const Launch& launch) {
  if (!memory.other().empty() || symbols->has_side_effects(launch.kernel)) return false;
  RepeatedLaunch repeated(call, data, launch);
  if (!repeated.is_complete()) return false;
  const std::vector<uint64_t> words = repeated.words();
  if (std::any_of(words.begin(), words.end(), [&](uint64_t word) { return memory.is_host(word); })) return false;
  const InContext in_context(context_);
  Snapshot before;
  if (driver().cuCtxSynchronize() != 0 || !keep_memory(memory, symbols, launch.function, &before)) return false;
  kept_.push_back({std::move(repeated), std::move(before)});
  return true;
}

void Replayer::forget_last() {
  if (!kept_.empty()) kept_.pop_back();
}

void Replayer::flush_caches() {
  const InContext in_context(context_);
  if (flush_caches_) caches_.flush();
}

std::string Replayer::run_all() {
  for (Kept& kept : kept_) {
    if (!kept.before.restore()) return "memory could not be restored";
    if (flush_caches_ && !caches_.flush()) return "there is no memory to empty the caches with; --cache-control none";
    if (driver().cuCtxSynchronize() != 0) return "the device failed while memory was restored";
    if (const int result = kept.launch.run(); result != 0)
      return "a launch could not be made again: CUDA error " + std::to_string(result);
  }
  return driver().cuCtxSynchronize() == 0 ? "" : "a launch that was made again failed";
}

std::string Replayer::run_passes(RangeProfiler* profiler) {
  if (std::string problem = profiler->begin_passes(); !problem.empty()) return problem;
  size_t passes = 0;
  for (bool last = false; !last;) {
    if (passes++ > profiler->host().passes()) return "CUPTI needs more passes than it planned";
    if (std::string problem = profiler->begin_pass(); !problem.empty()) return problem;
    const std::string failed = run_all();
    if (std::string problem = profiler->end_pass(&last); !problem.empty() || !failed.empty())
      return failed.empty() ? problem : failed;
  }
  return "";
}

/// CUPTI took other ranges than ours: each launch is made once more, and CUPTI replays it by itself.
std::string Replayer::recount(RangeProfiler* profiler, std::vector<std::vector<double>>* values) {
  if (std::string problem = profiler->start(); !problem.empty()) return problem;
  const std::string failed = run_all();
  const std::string problem = profiler->stop(values);
  return failed.empty() ? problem : failed;
}

std::string Replayer::replay(RangeProfiler* profiler, std::vector<std::vector<double>>* values) {
  const InContext in_context(context_);
  const std::string problem = replay_all(profiler, values);
  kept_.clear();
  regions_.clear();
  if (holds_much()) room_.release();
  return problem;
}

std::string Replayer::replay_all(RangeProfiler* profiler, std::vector<std::vector<double>>* values) {
  Snapshot now;
  std::string problem;
  if (driver().cuCtxSynchronize() != 0) problem = "the program's own work failed";
  else if (!now.save(&room_, regions_)) problem = "there is no device memory for a copy of the program's";
  else problem = run_passes(profiler);
  if (problem.empty()) problem = profiler->take(values);
  if (problem.empty() && values->size() != kept_.size()) problem = recount(profiler, values);
  now.restore();
  driver().cuCtxSynchronize();
  return problem;
}

void Replayer::close() {
  const InContext in_context(context_);
  kept_.clear();
  room_.release();
  caches_.release();
}

}  // namespace warplens::cupti
