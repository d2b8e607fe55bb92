// The types behind the handles of warplens.h.
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

/// Calls `work` and returns its result. No exception may reach a C caller, so running out of memory becomes an error.
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
