#include "warplens/simt/checks/race_advice.h"

#include <algorithm>

namespace warplens::simt {

void RaceAdvice::add(size_t report, uint32_t row, uint32_t earlier, std::string otherwise) {
  Race& race = races_[report];
  if (race.rows.empty()) race.otherwise = std::move(otherwise);
  race.rows.insert({row, earlier});
}

bool RaceAdvice::is_of_updates(const Race& race) const {
  return std::ranges::any_of(race.rows, [&](const auto& rows) {
    return has_either_way(updates_, rows) || (stores_.contains(rows.first) && stores_.contains(rows.second));
  });
}

std::string RaceAdvice::advice(const Race& race) const {
  if (is_of_updates(race))
    return "each thread loads the value, changes it and stores it back, so use an atomic operation, such as atomicAdd: "
           "else updates are lost";
  if (std::ranges::any_of(race.rows, [&](const auto& rows) { return has_either_way(strong_updates_, rows); }))
    return "the write is atomic, and the read before it is not: read by cuda::atomic_ref::load(), or by a volatile "
           "pointer";
  return race.otherwise;
}

void RaceAdvice::finish(std::vector<Report>* reports) const {
  for (const auto& [number, race] : races_) (*reports)[number].message += ": " + advice(race);
}

}  // namespace warplens::simt
