#include "warplens/base/checksum.h"

#include <bit>
#include <cstring>

namespace warplens {
namespace {

constexpr uint64_t kPrimes[] = {0x9E3779B185EBCA87u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u, 0x85EBCA77C2B2AE63u};

/// The round of xxHash64 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).
uint64_t step(uint64_t lane, uint64_t word) { return std::rotl(lane + word * kPrimes[1], 31) * kPrimes[0]; }

}  // namespace

uint64_t checksum(std::string_view bytes) {
  uint64_t lanes[4] = {kPrimes[3], kPrimes[2], kPrimes[1], kPrimes[0]};
  const uint64_t total = bytes.size();
  uint64_t words[4];
  for (; bytes.size() >= sizeof words; bytes.remove_prefix(sizeof words)) {
    std::memcpy(words, bytes.data(), sizeof words);
    for (int i = 0; i < 4; ++i) lanes[i] = step(lanes[i], words[i]);
  }
  std::memset(words, 0, sizeof words);
  if (!bytes.empty()) std::memcpy(words, bytes.data(), bytes.size());
  uint64_t sum = total;
  for (int i = 0; i < 4; ++i) sum = step(sum, step(lanes[i], words[i]));
  sum = (sum ^ sum >> 33) * kPrimes[0];
  return sum ^ sum >> 29;
}

}  // namespace warplens
