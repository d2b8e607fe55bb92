#include "warplens/cli/summary_screen.h"

#include "warplens/base/text.h"
#include "warplens/output/terminal.h"
#include "warplens/program/findings/engine.h"

namespace warplens::cli {
namespace {

constexpr size_t kActivitySlots = 72, kWidthWithoutTerminal = 120, kHeadlines = 3;
constexpr size_t kManyEvents = 250'000;  // above, findings take many times as long as the rest of the page

}  // namespace

Screen::Screen(const Profile& profile, const analysis::ClassRules& rules, size_t limit, Headlines headlines,
               findings::CountedKernels counted)
    : profile_(profile), limit_(limit) {
  judge(headlines, std::move(counted));
  summary_ = analysis::summarise(profile_, operator_of_event_, rules, kActivitySlots);
}

void Screen::judge(Headlines wanted, findings::CountedKernels counted) {
  const bool many = profile_.device_events.size() > kManyEvents && wanted == Headlines::kUnlessMany;
  if (many || wanted == Headlines::kNever) {
    operator_of_event_ = analysis::link_device_operators(profile_);
    if (many) note_ = "left out because the profile is large: `warplens findings` or --findings shows them";
    return;
  }
  findings::Joined joined(profile_);
  joined.counted = std::move(counted);
  note_ = replace_all(std::string(trim(findings::counters_text(joined.counted, SIZE_MAX))), "\n", "\n  ");
  headlines_ = findings::headlines(findings::find_all(profile_, joined), kHeadlines);
  operator_of_event_ = std::move(joined.links.event_operator);
}

analysis::SummaryPage Screen::page() const {
  const size_t width = terminal_width();
  return {profile_, summary_, headlines_, note_, limit_, width ? width : kWidthWithoutTerminal};
}

}  // namespace warplens::cli
