// What would end the races that were found. It is known once the launch has ended: an update, which stores to the place
// that its thread has loaded from, wants an atomic, whatever else would put its halves in order.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "warplens/simt/launch.h"

namespace warplens::simt {

class RaceAdvice {
 public:
  /// A thread stores by row `store` to what it has loaded by row `load`.
  void saw_update(uint32_t load, uint32_t store) {
    updates_.insert({load, store});
    stores_.insert(store);
  }
  /// Race number `report` is between these rows, too. `otherwise`: what would order them if they were no update's.
  void add(size_t report, uint32_t row, uint32_t earlier, std::string otherwise);
  /// Ends the messages of `reports` with the advice.
  void finish(std::vector<Report>* reports) const;

 private:
  struct Race {
    std::string otherwise;
    std::set<std::pair<uint32_t, uint32_t>> rows;
  };
  bool is_of_updates(const Race& race) const;

  std::set<std::pair<uint32_t, uint32_t>> updates_;
  std::set<uint32_t> stores_;
  std::map<size_t, Race> races_;
};

}  // namespace warplens::simt
