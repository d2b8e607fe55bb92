#include "warplens/collect/counters/instruction_counter.h"

#include <set>

#include "warplens/collect/counters/counts_file.h"
#include "warplens/collect/counters/cubins.h"
#include "warplens/collect/counters/driver.h"
#include "warplens/collect/counters/source_lines.h"

namespace warplens::cupti {
namespace {

constexpr const char* kInstructionMetrics[] = {"smsp__sass_inst_executed",
                                               "smsp__sass_thread_inst_executed",
                                               "smsp__sass_thread_inst_executed_pred_on",
                                               "smsp__sass_sectors_mem_global",
                                               "smsp__sass_sectors_mem_global_ideal",
                                               "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
                                               "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
                                               "smsp__sass_sectors_mem_local",
                                               "smsp__sass_branch_targets_threads_divergent"};

}  // namespace

std::string InstructionCounter::open(void* context, uint32_t device) {
  context_ = context;
  device_ = device;
  std::string chip;
  WL_CUPTI_TRY(profiler_->start(*cupti_, device, &chip));
  std::vector<SassConfig> configs;
  for (const char* metric : kInstructionMetrics) {
    SassGetProperties properties;
    properties.chip = chip.c_str();
    properties.metric = metric;
    if (sass_->cuptiSassMetricsGetProperties(&properties) != kSuccess) continue;
    by_id_[properties.id] = metrics_.size();
    metrics_.emplace_back(metric);
    configs.push_back({properties.id, 0});
  }
  if (configs.empty()) return chip + " counts nothing of its instructions";
  SassSetConfig config;
  config.count = configs.size();
  config.configs = configs.data();
  config.device = device;
  const Result result = sass_->cuptiSassMetricsSetConfig(&config);
  configured_ = result == kSuccess;
  return configured_ ? "" : cupti_->said("cuptiSassMetricsSetConfig", result);
}

InstructionCounter::~InstructionCounter() {
  if (!configured_) return;
  SassUnsetConfig unset;
  unset.device = device_;
  sass_->cuptiSassMetricsUnsetConfig(&unset);
}

std::string InstructionCounter::why_not(const Launch& launch) const {
  if (!enabled_ || launch.kernel == kernel_) return "";
  return "CUPTI counts the instructions of one kernel in a run: choose it with -k";
}

std::string InstructionCounter::begin(const Launch& launch) {
  if (enabled_) return "";
  SassEnable enable;
  enable.context = context_;
  WL_CUPTI_TRY(cupti_->ask(sass_->cuptiSassMetricsEnable, &enable));
  enabled_ = true;
  kernel_ = launch.kernel;
  return "";
}

std::string InstructionCounter::end(const Launch& launch, bool made) {
  if (made) ++launches_[launch.kernel];
  return "";
}

std::string InstructionCounter::take() {
  SassGetDataProperties properties;
  properties.context = context_;
  WL_CUPTI_TRY(cupti_->ask(sass_->cuptiSassMetricsGetDataProperties, &properties));
  std::vector<SassRecord> records(properties.records);
  std::vector<SassInstance> values(properties.records * properties.instances);
  for (size_t k = 0; k < records.size(); ++k) records[k].values = values.data() + k * properties.instances;
  SassFlushData flush;
  flush.context = context_;
  flush.records = properties.records;
  flush.instances = properties.instances;
  flush.data = records.data();
  if (records.empty()) return "";
  WL_CUPTI_TRY(cupti_->ask(sass_->cuptiSassMetricsFlushData, &flush));
  for (const SassRecord& record : records) {
    std::vector<uint64_t>& sums =
        sums_[{record.cubin_crc, record.offset, record.function != nullptr ? record.function : ""}];
    sums.resize(metrics_.size());
    for (size_t k = 0; k < properties.instances; ++k) {
      const auto metric = by_id_.find(record.values[k].id);
      if (metric != by_id_.end()) sums[metric->second] += record.values[k].value;
    }
  }
  return "";
}

void InstructionCounter::write(Cubins* cubins, collect::CountsFile* file) {
  if (!enabled_) return;
  driver().cuCtxSynchronize();
  const std::string problem = take();
  SassDisable disable;
  disable.context = context_;
  sass_->cuptiSassMetricsDisable(&disable);
  enabled_ = false;
  if (!problem.empty()) return file->problem(kernel_, problem);
  file->instructions(metrics_, launches_);
  std::map<uint64_t, SourceLines> lines;  // by the cubin's CRC
  std::set<std::string> written;          // functions whose code is
  for (const auto& [key, sums] : sums_) {
    const auto& [crc, offset, function] = key;
    const std::vector<char>* cubin = cubins->find(crc);
    SourceLine at;
    if (cubin != nullptr) {
      const SourceLines& own = lines.try_emplace(crc, *cubin).first->second;
      at = own.at(function, offset);
      if (written.insert(function).second) file->code(function, own.code(function));
    }
    file->place(PcCounts{crc, offset, function, sums}, at.file, at.line);
  }
  file->flush();
}

}  // namespace warplens::cupti
