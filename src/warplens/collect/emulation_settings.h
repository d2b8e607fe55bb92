// The settings of `warplens emulate` and similar verbs for the emulated runtime: environment variables, because a
// program's children inherit them.
#pragma once
#include <cstdint>
#include <string>

#include "warplens/collect/counters/choice.h"

namespace warplens::collect {

inline constexpr const char* kDeviceVariable = "WARPLENS_DEVICE";           // the GPU to be, as --device takes it
inline constexpr const char* kDevicesVariable = "WARPLENS_DEVICES";         // how many
inline constexpr const char* kBudgetVariable = "WARPLENS_EMULATED_BUDGET";  // seconds a launch; 0: none
inline constexpr const char* kChecksVariable = "WARPLENS_EMULATED_CHECKS";  // of "memory,race,init,sync,leaks"
inline constexpr const char* kSampledLaunchesVariable =
    "WARPLENS_EMULATED_SAMPLE";                                       // "1": launches that are alike run now and then
inline constexpr const char* kLogVariable = "WARPLENS_EMULATED_LOG";  // file name, %p is filled in: report::ProgramLog
inline constexpr const char* kReportsVariable =
    "WARPLENS_EMULATED_REPORTS";  // "1": launches' reports go to the log; "code": each kernel's costliest with its code

inline constexpr const char* kUsedVariable = "WARPLENS_EMULATED_USED";  // file that grows when CUDA is used

inline constexpr double kDefaultBudget = 600;  // seconds

struct EmulationSettings {
  std::string device = "h200";
  std::string devices = "1";
  double budget_s = kDefaultBudget;
  std::string checks;  // "": none
  bool sample = false;
  std::string log;  // "": none is kept
  bool reports = false;
  bool code = false;  // the report lists every instruction of each kernel's costliest launch, with its requests
  ChoiceRules rules;  // of launches that are reported
};

EmulationSettings emulation_settings_from_environment();

}  // namespace warplens::collect
