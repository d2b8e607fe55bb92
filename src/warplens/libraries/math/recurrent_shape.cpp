// Where weights lie in a recurrent layer's memory, and where sequences' positions lie.
#include <algorithm>

#include "warplens/libraries/math/recurrent.h"

namespace warplens::libraries {
namespace {

int64_t matrices_of(const RecurrentShape& s, int64_t part) {
  return s.gates() * s.hidden * (s.width_of(part) + s.projected) + (s.projects() ? s.projected * s.hidden : 0);
}

}  // namespace

WeightPlace matrix_place(const RecurrentShape& s, int64_t part, int64_t which) {
  int64_t offset = 0;
  for (int64_t i = 0; i < part; ++i) offset += matrices_of(s, i);
  const int64_t gates = s.gates(), of_input = s.hidden * s.width_of(part), of_before = s.hidden * s.projected;
  if (which < gates) return {offset + which * of_input, s.hidden, s.width_of(part)};
  offset += gates * of_input;
  if (which < 2 * gates) return {offset + (which - gates) * of_before, s.hidden, s.projected};
  return s.projects() ? WeightPlace{offset + gates * of_before, s.projected, s.hidden} : WeightPlace{};
}

WeightPlace bias_place(const RecurrentShape& s, int64_t part, int64_t which) {
  if (!s.biased || which >= 2 * s.gates()) return {};
  int64_t offset = 0;
  for (int64_t i = 0; i < s.parts(); ++i) offset += matrices_of(s, i);
  return {offset + (part * 2 * s.gates() + which) * s.hidden, s.hidden, 1};
}

int64_t weight_count(const RecurrentShape& s) {
  int64_t out = s.biased ? s.parts() * 2 * s.gates() * s.hidden : 0;
  for (int64_t i = 0; i < s.parts(); ++i) out += matrices_of(s, i);
  return out;
}

int64_t Sequences::positions() const {
  int64_t out = 0;
  for (const int length : lengths) out += length;
  return out;
}

int64_t Sequences::line(int64_t t, int64_t b) const {
  if (layout == Layout::kSteps) return t * batch + b;
  if (layout == Layout::kBatches) return b * steps + t;
  int64_t before = 0;
  for (int64_t i = 0; i < batch; ++i) {
    const int64_t length = lengths[static_cast<size_t>(i)];
    before += std::min(length, t) + (i < b && length > t ? 1 : 0);
  }
  return before;
}

int64_t Sequences::lines() const { return layout == Layout::kPacked ? positions() : steps * batch; }

}  // namespace warplens::libraries
