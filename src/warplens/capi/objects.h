// What the handles of warplens.h are.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/capi/warplens.h"
#include "warplens/emulator/emulator.h"

struct warplens_module {
  warplens::emulator::Memory memory;
  std::unique_ptr<warplens::emulator::Module> module;
  std::vector<std::string> kernels;
};

struct warplens_result {
  warplens::emulator::LaunchResult launch;
  std::string fault;
  std::vector<std::string> reports;  // texts, parallel to launch.reports
  std::vector<std::pair<std::string, double>> counters;
};

namespace warplens::capi {

/// Keeps the message for warplens_last_error.
void set_error(const std::string& message);

Result<std::unique_ptr<warplens_module>> load(const char* ptx, const char* name);
Result<std::unique_ptr<warplens_result>> launch(warplens_module& module, const warplens_launch_options& options);

}  // namespace warplens::capi
