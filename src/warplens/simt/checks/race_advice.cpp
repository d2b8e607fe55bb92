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
    const auto [one, other] = rows;
    return updates_.contains({one, other}) || updates_.contains({other, one}) ||
           (stores_.contains(one) && stores_.contains(other));
  });
}

void RaceAdvice::finish(std::vector<Report>* reports) const {
  for (const auto& [number, race] : races_) {
    (*reports)[number].message +=
        ": " + (is_of_updates(race) ? "each thread loads the value, changes it and stores it back, so use an "
                                      "atomic operation, such as atomicAdd: else updates are lost"
                                    : race.otherwise);
  }
}

}  // namespace warplens::simt
