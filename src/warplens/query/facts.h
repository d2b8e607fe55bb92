// Costly derived facts about a profile: joins, steps, classes, gaps. Each is computed on first use, and
// kept.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/classify/classify.h"
#include "warplens/program/analysis/ranks/waiting.h"
#include "warplens/program/analysis/steps/steady_steps.h"
#include "warplens/program/analysis/timeline/timeline.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::query {

/// Values of one computed column, by row.
using Numbers = std::vector<int64_t>;
using Rows = std::vector<uint32_t>;

/// The references of device events of one kind.
enum class Reference : uint8_t { kEvent, kDevice, kRank, kOperator, kLaunchConfig, kCollective };
inline constexpr size_t kReferences = 6;

class Facts {
 public:
  explicit Facts(const Profile& profile) : profile_(profile) {}

  const analysis::Causes& causes();
  const Rows& event_operator();
  const Rows& event_call();
  const analysis::StepSet& steps();
  const Numbers& operator_step();  // number of the step that the row is in, kNoValue when in none
  const Numbers& call_step();
  const Numbers& event_step();  // of the step that launched it
  const analysis::Classes& classes();
  const std::vector<std::string_view>& class_names();
  const Rows& ranks_of_threads(const Column<uint32_t>& threads);  // rows of ranks; the column is that of a table
  const Rows& ranks_of_devices(const Column<uint32_t>& devices);
  /// For kernels, or (kCopy) for copies and sets: their rows of device_events, or the rows that those refer to.
  const Rows& selected(DeviceEventKind kind, Reference what);
  const analysis::Timeline& timeline();
  const analysis::RankAnalysis& rank_analysis();

 private:
  Numbers steps_at(const Rows& ranks, const Column<int64_t>& starts_ns);
  Rows events_of(DeviceEventKind kind) const;
  const Rows& ranks_through(const Column<uint32_t>& rows, const Column<uint32_t>& ranks);

  const Profile& profile_;
  std::optional<analysis::Causes> causes_;
  std::optional<Rows> event_operator_, event_call_;
  std::optional<analysis::StepSet> steps_;
  std::optional<Numbers> operator_step_, call_step_, event_step_;
  std::optional<analysis::ClassRules> rules_;
  std::optional<analysis::Classes> classes_;
  std::vector<std::string_view> class_names_;
  std::vector<std::pair<const void*, std::unique_ptr<Rows>>> ranks_;
  std::array<std::optional<Rows>, kReferences> kernels_, copies_;
  std::optional<analysis::Timeline> timeline_;
  std::optional<analysis::RankAnalysis> rank_analysis_;
};

}  // namespace warplens::query
