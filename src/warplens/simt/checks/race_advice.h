// The remedies of races, known once the launch has ended. An update, which stores to the place that its thread has
// loaded from, needs an atomic, even if something else would order its halves.
#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "warplens/simt/launch.h"

namespace warplens::simt {

class RaceAdvice {
 public:
  /// A thread stores by row `store` to the place of its load by row `load`; `strong`: by an atomic operation.
  void saw_update(uint32_t load, uint32_t store, bool strong) {
    (strong ? strong_updates_ : updates_).insert({load, store});
    if (!strong) stores_.insert(store);
  }
  /// Race number `report` is between these rows, too. `otherwise`: the remedy if they are not an update's.
  void add(size_t report, uint32_t row, uint32_t earlier, std::string otherwise);
  /// True if race number `report` is only between reads and swaps, and the reading thread swaps there itself.
  /// `swaps(row)`: an atomic compare-and-swap, which another thread's update makes fail.
  template <typename F>
  bool is_of_swaps(size_t report, const F& swaps) const {
    const auto race = races_.find(report);
    return race != races_.end() && std::ranges::all_of(race->second.rows, [&](const auto& rows) {
             const auto confirmed = [&](uint32_t read, uint32_t write) {
               return swaps(write) && std::ranges::any_of(strong_updates_, [&](const auto& update) {
                        return update.first == read && swaps(update.second);
                      });
             };
             return confirmed(rows.first, rows.second) || confirmed(rows.second, rows.first);
           });
  }
  /// Ends the messages of `reports` with the advice.
  void finish(std::vector<Report>* reports) const;

 private:
  struct Race {
    std::string otherwise;
    std::set<std::pair<uint32_t, uint32_t>> rows;
  };
  using Pairs = std::set<std::pair<uint32_t, uint32_t>>;
  static bool has_either_way(const Pairs& pairs, const std::pair<uint32_t, uint32_t>& rows) {
    return pairs.contains(rows) || pairs.contains({rows.second, rows.first});
  }
  bool is_of_updates(const Race& race) const;
  std::string advice(const Race& race) const;

  Pairs updates_, strong_updates_;
  std::set<uint32_t> stores_;
  std::map<size_t, Race> races_;
};

}  // namespace warplens::simt
