// The entry point of gpuocelot, for programs written for it.
#include <cstdio>
#include <map>
#include <mutex>

#include "warplens/base/text.h"
#include "warplens/capi/objects.h"

namespace warplens::capi {
namespace {

/// A module that one thread at a time may run.
struct Kept {
  std::mutex running;
  std::unique_ptr<warplens_module> module;
};

/// Modules by their text. A program that generates kernels without end would fill the memory: then all are dropped.
Result<std::shared_ptr<Kept>> kept(const char* ptx) {
  constexpr size_t kMostModules = 4096;
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Kept>, std::less<>> modules;
  const std::lock_guard lock(mutex);
  if (const auto found = modules.find(std::string_view(ptx)); found != modules.end()) return found->second;
  auto fresh = std::make_shared<Kept>();
  WL_ASSIGN(fresh->module, load(ptx, "ptx_run"));
  fresh->module->module->memory.adopt_everything();
  if (fresh->module->kernels.empty()) return invalid_input("the PTX has no .entry");
  if (modules.size() >= kMostModules) modules.clear();
  modules.emplace(ptx, fresh);
  return fresh;
}

Status run(const char* ptx, warplens_launch_options options) {
  WL_ASSIGN(const std::shared_ptr<Kept> module, kept(ptx));
  for (const ptx::Variable& parameter :
       module->module->module->ptx->ptx().function(module->module->kernels[0])->parameters) {
    if (parameter.size_bytes > sizeof(void*))
      return unsupported(
          fmt::format("parameter '{}' has {} bytes; ptx_run passes at most 8", parameter.name, parameter.size_bytes));
  }
  const std::lock_guard lock(module->running);
  options.kernel = module->module->kernels[0].c_str();
  WL_ASSIGN(const std::unique_ptr<warplens_result> result, launch(*module->module, options));
  std::fputs(result->launch.output.c_str(), stdout);
  return result->launch.fault ? internal_error(result->fault) : Status();
}

}  // namespace
}  // namespace warplens::capi

void ptx_run(const char* ptx, int n_args, void** args, int block_x, int block_y, int block_z, int grid_x, int grid_y,
             int grid_z, int shared_bytes) {
  const auto size = [](int n) { return static_cast<uint32_t>(n); };
  warplens_launch_options options = {};
  options.struct_size = sizeof options;
  options.grid[0] = size(grid_x);
  options.grid[1] = size(grid_y);
  options.grid[2] = size(grid_z);
  options.block[0] = size(block_x);
  options.block[1] = size(block_y);
  options.block[2] = size(block_z);
  options.shared_bytes = size(shared_bytes);
  std::vector<void*> values;  // args[i] is the argument's value itself: where it lies is what a launch wants
  for (int i = 0; i < n_args; ++i) values.push_back(&args[i]);
  options.args = values.data();
  options.arg_count = values.size();
  const warplens::Status status = warplens::capi::guarded([&] { return warplens::capi::run(ptx, options); });
  if (status.ok()) return;
  warplens::capi::set_error(status.message());
  std::fprintf(stderr, "ptx_run: %s\n", status.message().c_str());
}
