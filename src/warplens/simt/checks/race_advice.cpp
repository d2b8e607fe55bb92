#include "warplens/simt/checks/race_advice.h"

#include <algorithm>

#include "warplens/simt/checks/remedies.h"
#include "warplens/simt/checks/words.h"

namespace warplens::simt {
namespace {

bool one_line(const Place& a, const Place& b) {
  return a.line != 0 ? a.line == b.line && a.file == b.file : b.line == 0 && a.index == b.index;
}

bool share_a_line(const Report& a, const Report& b) {
  const auto is_in_b = [&](const Place& place) {
    return one_line(place, b.place) || (b.other && one_line(place, *b.other));
  };
  return is_in_b(a.place) || (a.other && is_in_b(*a.other));
}

}  // namespace

void RaceAdvice::add(size_t report, uint32_t row, uint32_t earlier, std::string otherwise) {
  Race& race = races_[report];
  if (race.rows.empty() || strength_of(otherwise) > strength_of(race.otherwise)) race.otherwise = std::move(otherwise);
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
  std::vector<size_t> of_block;  // whose lines need the whole block's order
  for (const auto& [number, race] : races_)
    if (race.otherwise == what_orders(true)) of_block.push_back(number);
  for (const auto& [number, race] : races_) {
    Report& report = (*reports)[number];
    const bool too_weak = race.otherwise == kOrdersWarp && std::ranges::any_of(of_block, [&](size_t other) {
                            return share_a_line(report, (*reports)[other]);
                          });
    const std::string said = advice(race);
    report.message += ": " + (too_weak && said == kOrdersWarp ? std::string(what_orders(true)) : said);
  }
}

}  // namespace warplens::simt
