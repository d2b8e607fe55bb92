#include "warplens/collect/counters/sampler.h"

#include <dlfcn.h>

#include <algorithm>

namespace warplens::cupti {
namespace {

constexpr size_t kPcs = 8192;         // taken at a time
constexpr size_t kReasonBytes = 128;  // CUPTI_STALL_REASON_STRING_SIZE
constexpr size_t kScratchBytes = size_t{64} << 20;
constexpr size_t kHardwareBytes = size_t{256} << 20;

void synchronize() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return;
  if (const auto wait = reinterpret_cast<int (*)()>(::dlsym(driver, "cuCtxSynchronize"))) wait();
  ::dlclose(driver);
}

}  // namespace

void SampleBuffer::allocate(size_t count, size_t reasons) {
  pcs.assign(count, {});
  reasons_.assign(count * reasons, {});
  reasons_per_pc_ = reasons;
  for (size_t k = 0; k < count; ++k) pcs[k].reasons = reasons_.data() + k * reasons;
  data.capacity = count;
  data.pcs = pcs.data();
  reset();
}

void SampleBuffer::reset() {
  data.pc_count = 0;
  for (SampledPc& pc : pcs) pc.reason_count = reasons_per_pc_;
}

std::string Sampler::open(void* context) {
  SamplingContext enable;
  enable.context = context;
  WL_CUPTI_TRY(cupti_->ask(sampling_->cuptiPCSamplingEnable, &enable));
  context_ = context;
  WL_CUPTI_TRY(read_reasons());
  return configure();
}

Sampler::~Sampler() {
  if (context_ == nullptr) return;
  SamplingContext disable;
  disable.context = context_;
  sampling_->cuptiPCSamplingDisable(&disable);
}

std::string Sampler::read_reasons() {
  size_t count = 0;
  SamplingGetReasonCount ask;
  ask.context = context_;
  ask.count = &count;
  WL_CUPTI_TRY(cupti_->ask(sampling_->cuptiPCSamplingGetNumStallReasons, &ask));
  std::vector<char> texts(count * kReasonBytes);
  std::vector<char*> names(count);
  for (size_t k = 0; k < count; ++k) names[k] = texts.data() + k * kReasonBytes;
  indices_.assign(count, 0);
  SamplingGetReasons reasons;
  reasons.context = context_;
  reasons.count = count;
  reasons.indices = indices_.data();
  reasons.names = names.data();
  WL_CUPTI_TRY(cupti_->ask(sampling_->cuptiPCSamplingGetStallReasons, &reasons));
  const uint32_t most = count > 0 ? *std::max_element(indices_.begin(), indices_.end()) : 0;
  reasons_.assign(most + 1, "");
  for (size_t k = 0; k < count; ++k) reasons_[indices_[k]] = names[k];
  return "";
}

std::string Sampler::configure() {
  collecting_.allocate(kPcs, indices_.size());
  taken_.allocate(kPcs, indices_.size());
  const auto setting = [](SamplingAttribute attribute) {
    SamplingSetting out{};
    out.attribute = attribute;
    return out;
  };
  SamplingSetting settings[] = {setting(SamplingAttribute::kStallReasons), setting(SamplingAttribute::kPeriod),
                                setting(SamplingAttribute::kScratchBytes), setting(SamplingAttribute::kHardwareBytes),
                                setting(SamplingAttribute::kMode),         setting(SamplingAttribute::kStartStop),
                                setting(SamplingAttribute::kFormat),       setting(SamplingAttribute::kData)};
  settings[0].reasons.count = indices_.size();
  settings[0].reasons.indices = indices_.data();
  settings[1].number = kPeriodExponent;
  settings[2].bytes = kScratchBytes;
  settings[3].bytes = kHardwareBytes;
  settings[4].number = kContinuous;
  settings[5].number = 1;
  settings[6].number = kParsed;
  settings[7].pointer = &collecting_.data;
  SamplingConfigure configure;
  configure.context = context_;
  configure.count = std::size(settings);
  configure.settings = settings;
  return cupti_->ask(sampling_->cuptiPCSamplingSetConfigurationAttribute, &configure);
}

std::string Sampler::start() {
  SamplingContext start;
  start.context = context_;
  const Result result = sampling_->cuptiPCSamplingStart(&start);
  started_ = result == kSuccess;
  return started_ ? "" : cupti_->said("cuptiPCSamplingStart", result);
}

std::string Sampler::stop() {
  started_ = false;
  synchronize();
  SamplingContext stop;
  stop.context = context_;
  WL_CUPTI_TRY(cupti_->ask(sampling_->cuptiPCSamplingStop, &stop));
  for (;;) {
    taken_.reset();
    SamplingGetData get;
    get.context = context_;
    get.data = &taken_.data;
    const Result result = sampling_->cuptiPCSamplingGetData(&get);
    if (result != kSuccess && result != kErrorOutOfMemory) return cupti_->said("cuptiPCSamplingGetData", result);
    if (taken_.data.pc_count == 0) return "";
    add_samples();
  }
}

/// The names that CUPTI allocates stay: it may hand out the same ones again.
void Sampler::add_samples() {
  samples_ += taken_.data.samples;
  dropped_ += taken_.data.dropped;
  for (size_t k = 0; k < std::min(taken_.data.pc_count, taken_.pcs.size()); ++k) {
    const SampledPc& pc = taken_.pcs[k];
    const std::string function = pc.function != nullptr ? pc.function : "";
    std::vector<uint64_t>& sums = sums_[{pc.cubin_crc, pc.offset, function}];
    sums.resize(reasons_.size());
    for (size_t r = 0; r < pc.reason_count; ++r) {
      if (pc.reasons[r].reason < sums.size()) sums[pc.reasons[r].reason] += pc.reasons[r].samples;
    }
  }
}

std::vector<PcSamples> Sampler::take() const {
  std::vector<PcSamples> out;
  for (const auto& [key, sums] : sums_) out.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), sums});
  return out;
}

}  // namespace warplens::cupti
