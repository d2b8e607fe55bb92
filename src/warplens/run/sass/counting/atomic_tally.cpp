#include "warplens/run/sass/counting/atomic_tally.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "warplens/model/constants.h"

namespace warplens::simt::sass_machine {

void AtomicTally::add(const AtomicTally& other) {
  other.slices_.each([&](uint64_t place, uint64_t sum) { slices_.add(place, sum); });
  other.words_.each([&](uint64_t place, uint64_t sum) { words_.add(place, sum); });
}

uint64_t AtomicTally::busiest_cycles() const {
  using model::kL2Slices, model::kSliceSpread;
  struct Wave {
    double sum = 0, places = 0, word = 0;
  };
  std::map<uint64_t, Wave> waves;  // in an order of their own, which the last bits of their sum depend on
  std::unordered_map<uint64_t, double> of_place;  // over all waves
  slices_.each([&](uint64_t key, uint64_t sum) {
    Wave& wave = waves[key >> kPlaceBits];
    wave.sum += static_cast<double>(sum);
    ++wave.places;
    of_place[key & ((uint64_t{1} << kPlaceBits) - 1)] += static_cast<double>(sum);
  });
  words_.each([&](uint64_t key, uint64_t sum) {
    double& most = waves[key >> kPlaceBits].word;
    most = std::max(most, static_cast<double>(sum));
  });
  double one_place = 0, in_waves = 0;
  for (const auto& [place, sum] : of_place) one_place = std::max(one_place, sum);
  for (const auto& [number, wave] : waves) {
    const double evenly = wave.places > 0 ? wave.sum / wave.places : 0,
                 crowded = wave.places > 0
                               ? wave.sum / kL2Slices * (1 + kSliceSpread / std::sqrt(wave.places / kL2Slices))
                               : 0;
    in_waves += std::max({evenly, crowded, wave.word});
  }
  return static_cast<uint64_t>(std::max(one_place, in_waves) / 20);
}

}  // namespace warplens::simt::sass_machine
