// Host time spent on making or loading data rather than on launching: loaders, CPU operators, silence.
#pragma once
#include "warplens/program/analysis/critical_path/program.h"

namespace warplens::findings {

struct Joined;

/// Ranges of data loaders, and outermost CPU operators that launch nothing, make data (analysis::only_arranges) and
/// last analysis::kLongOperatorNs or more.
analysis::TimeSet named_data_work(const Profile& profile, const Joined& joined, const analysis::Program& program);

/// That, and stretches of kSilenceNs or more in which no operator and no call ran (Python, files, sleep).
analysis::TimeSet find_host_data_work(const Profile& profile, const Joined& joined, const analysis::Program& program);

/// Data-loader ranges: "enumerate(DataLoader)#...__next__".
bool is_loader_range(std::string_view name);

/// Rows of the outermost operators that launch nothing, make data and last long, of this rank within its window.
std::vector<uint32_t> long_host_operators(const Profile& profile, const Joined& joined,
                                          const analysis::Program& program);

inline constexpr int64_t kSilenceNs = 500'000;
inline constexpr int64_t kSilenceOfCallsNs = 10'000'000;  // if operators were not recorded and only calls show it

}  // namespace warplens::findings
