#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/capi/objects.h"
#include "warplens/session/run.h"

namespace warplens::capi {
namespace {

simt::Dim3 dim3(const uint32_t (&n)[3]) { return {std::max(n[0], 1u), std::max(n[1], 1u), std::max(n[2], 1u)}; }

Result<std::vector<uint8_t>> pack(const ptx::Function& kernel, const warplens_launch_options& options) {
  if (options.arg_count != kernel.parameters.size())
    return usage_error(
        fmt::format("{} takes {} arguments, not {}", kernel.name, kernel.parameters.size(), options.arg_count));
  std::vector<uint8_t> block(kernel.parameter_bytes());
  for (size_t i = 0; i < options.arg_count; ++i) {
    const ptx::Variable& parameter = kernel.parameters[i];
    if (options.args == nullptr || options.args[i] == nullptr)
      return usage_error(fmt::format("args[{}] is NULL; it must point at the argument's value", i));
    std::memcpy(block.data() + parameter.offset, options.args[i], parameter.size_bytes);
  }
  return block;
}

Result<simt::Launch> configure(const ptx::Function& kernel, const warplens_launch_options& options) {
  simt::Launch config;
  config.grid = dim3(options.grid);
  config.block = dim3(options.block);
  config.cluster = {options.cluster[0], options.cluster[1], options.cluster[2]};
  if (config.cluster != simt::Dim3{0, 0, 0}) config.cluster = dim3(options.cluster);
  config.dynamic_shared_bytes = options.shared_bytes;
  config.cooperative = options.cooperative != 0;
  config.checks = static_cast<uint8_t>(options.checks);
  config.threads = options.threads;
  config.instruction_limit = options.max_instructions;
  config.timeout_s = options.timeout_s;
  WL_ASSIGN(config.parameters, pack(kernel, options));
  return config;
}

/// Sums over the instructions of a launch, by the names that warplens_counter takes.
std::vector<std::pair<std::string, double>> counters_of(const simt::LaunchCounts& counts) {
  simt::InstructionCounts sum;
  for (const simt::InstructionCounts& row : counts.instructions) sum.add(row);
  const auto real = [](uint64_t n) { return static_cast<double>(n); };
  return {{"blocks", real(counts.blocks)},
          {"warps", real(counts.warps)},
          {"threads", real(counts.threads)},
          {"warp_instructions", real(counts.warp_instructions)},
          {"thread_instructions", real(counts.thread_instructions)},
          {"memory_requests", real(sum.requests)},
          {"memory_bytes", real(sum.bytes)},
          {"sectors", real(sum.sectors)},
          {"ideal_sectors", real(sum.ideal_sectors)},
          {"shared_wavefronts", real(sum.wavefronts)},
          {"ideal_shared_wavefronts", real(sum.ideal_wavefronts)},
          {"divergent_branches", real(sum.divergent_branches)}};
}

std::string report_text(const simt::Report& report) {
  std::string text = fmt::format("{}: {} at {}", report.id, report.message, report.place.text());
  if (report.other) text += " and " + report.other->text();
  return text;
}

}  // namespace

Result<std::unique_ptr<warplens_result>> launch(warplens_module& module, const warplens_launch_options& options) {
  if (options.struct_size != sizeof(warplens_launch_options))
    return usage_error(fmt::format(
        "struct_size is {}, not {}: set it to sizeof(warplens_launch_options), and build with the header of "
        "this library",
        options.struct_size, sizeof(warplens_launch_options)));
  if (options.kernel == nullptr && module.kernels.size() != 1)
    return usage_error(
        fmt::format("name one of the module's {} kernels: {}", module.kernels.size(), join(module.kernels, ", ")));
  const std::string name = options.kernel != nullptr ? options.kernel : module.kernels[0];
  WL_ASSIGN(const ptx::Function* const kernel, module.module->ptx->kernel(name));
  WL_ASSIGN(const simt::Launch config, configure(*kernel, options));
  auto result = std::make_unique<warplens_result>();
  WL_ASSIGN(session::Outcome done, session::run(*module.module, name, config));
  result->launch = std::move(done.result);
  if (result->launch.fault) result->fault = result->launch.fault->text();
  for (const simt::Report& report : result->launch.reports) result->reports.push_back(report_text(report));
  result->counters = counters_of(result->launch.counts);
  return result;
}

}  // namespace warplens::capi

using namespace warplens;

warplens_result* warplens_launch(warplens_module* module, const warplens_launch_options* options) {
  if (module == nullptr || options == nullptr) {
    capi::set_error("warplens_launch: the module or the options are NULL");
    return nullptr;
  }
  Result<std::unique_ptr<warplens_result>> result = capi::guarded([&] { return capi::launch(*module, *options); });
  if (result.ok()) return result->release();
  capi::set_error(result.status().message());
  return nullptr;
}

void warplens_result_free(warplens_result* result) { delete result; }
const char* warplens_result_fault(const warplens_result* result) {
  return result->launch.fault ? result->fault.c_str() : nullptr;
}
const char* warplens_result_output(const warplens_result* result) { return result->launch.output.c_str(); }
double warplens_result_seconds(const warplens_result* result) { return result->launch.seconds; }
size_t warplens_report_count(const warplens_result* result) { return result->reports.size(); }

const char* warplens_report_id(const warplens_result* result, size_t index) {
  return index < result->reports.size() ? result->launch.reports[index].id.c_str() : nullptr;
}

const char* warplens_report_text(const warplens_result* result, size_t index) {
  return index < result->reports.size() ? result->reports[index].c_str() : nullptr;
}

uint64_t warplens_report_times(const warplens_result* result, size_t index) {
  return index < result->reports.size() ? result->launch.reports[index].count : 0;
}

size_t warplens_counter_count(const warplens_result* result) { return result->counters.size(); }

const char* warplens_counter_name(const warplens_result* result, size_t index) {
  return index < result->counters.size() ? result->counters[index].first.c_str() : nullptr;
}

int warplens_counter(const warplens_result* result, const char* name, double* value) {
  for (const auto& [known, count] : result->counters) {
    if (known == name) {
      *value = count;
      return 0;
    }
  }
  capi::set_error(fmt::format("no counter '{}'", name));
  return -1;
}
