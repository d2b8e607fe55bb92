// What the handles of warplens.h are.
#pragma once
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/capi/warplens.h"
#include "warplens/session/module.h"

struct warplens_module {
  std::unique_ptr<warplens::session::Module> module;
  std::vector<std::string> kernels;
};

struct warplens_result {
  warplens::simt::LaunchResult launch;
  std::string fault;
  std::vector<std::string> reports;  // texts, parallel to launch.reports
  std::vector<std::pair<std::string, double>> counters;
};

namespace warplens::capi {

/// Keeps the message for warplens_last_error.
void set_error(const std::string& message);

/// What `work` returns; what it throws, for want of memory, is its error, as no exception may reach a caller in C.
template <typename F>
auto guarded(const F& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    return internal_error(std::string("unexpected: ") + error.what());
  }
}

Result<std::unique_ptr<warplens_module>> load(const char* ptx, const char* name);
Result<std::unique_ptr<warplens_result>> launch(warplens_module& module, const warplens_launch_options& options);

}  // namespace warplens::capi
