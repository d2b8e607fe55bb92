#include "warplens/cuda_api/sample/sample.h"

#include <cstring>

namespace warplens::cuda_api {

Sample& Sample::of(const simt::Memory& memory) {
  static Sample* const sample = new Sample(memory);  // launches come until the process has ended
  return *sample;
}

/// Both get the same device memory: parameters differ in other words alone.
bool Sample::has_same_memory(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) const {
  if (a.size() != b.size()) return false;
  for (size_t at = 0; at + sizeof(simt::Address) <= a.size(); at += sizeof(simt::Address)) {
    simt::Address in_a = 0, in_b = 0;
    std::memcpy(&in_a, &a[at], sizeof in_a);
    std::memcpy(&in_b, &b[at], sizeof in_b);
    simt::Range range;
    if (in_a != in_b && (memory_.range(in_a, range) || memory_.range(in_b, range))) return false;
  }
  return true;
}

void Sample::keep(const void* alike, const std::vector<uint8_t>& parameters, std::span<const WrittenRun> written) {
  Last& last = last_[alike];
  last.parameters = parameters;
  last.results = pending_.keep(written, last.results);
}

bool Sample::leave_out(const void* alike, const std::vector<uint8_t>& parameters) {
  ++left_out_;
  const auto last = last_.find(alike);
  if (last == last_.end() || !last->second.results || !has_same_memory(last->second.parameters, parameters))
    return false;
  pending_.add(last->second.results);
  return true;
}

}  // namespace warplens::cuda_api
