// Memory that a pass of a recurrent layer hands to the next pass, and the order in which it passes the sequences.
#pragma once
#include <algorithm>
#include <vector>

#include "warplens/libraries/math/recurrent.h"

namespace warplens::libraries {

/// The results of one part that a pass keeps. All lines are positions, in the order of steps and then sequences.
template <typename T>
struct KeptPart {
  T *gates, *cell;        // activations; c of LSTM
  T *raw, *old;           // LSTM: h before projection, c before; GRU: what the step before gives the new gate, h before
  T *d_gates, *d_before;  // gradients of the gates' sums: from the input, and from the step before
  T* d_projected;         // of the results of a projection
};
template <typename T>
struct Kept {
  std::vector<T*> inputs;  // of each layer, after dropout
  std::vector<T*> masks;   // what dropout multiplied them by
  std::vector<T*> outputs;
  std::vector<KeptPart<T>> parts;
  int64_t count = 0;  // elements

  Kept(const RecurrentShape& s, int64_t positions, T* memory) {
    const auto take = [&](int64_t width) {
      T* const out = memory == nullptr ? nullptr : memory + count;
      count += width * positions;
      return out;
    };
    for (int64_t layer = 0; layer < s.layers; ++layer) {
      inputs.push_back(take(s.width_of(layer * s.directions())));
      masks.push_back(take(layer > 0 && s.dropout > 0 ? s.projected * s.directions() : 0));
      outputs.push_back(take(s.projected * s.directions()));
    }
    const int64_t gates = s.gates() * s.hidden;
    for (int64_t part = 0; part < s.parts(); ++part)
      parts.push_back(
          {take(gates), take(s.hidden), take(s.hidden), take(s.hidden), take(gates), take(gates), take(s.projected)});
  }
};

/// Positions of the sequences, and in which order a direction passes them.
struct Order {
  std::vector<int64_t> begins;  // of each step's positions
  const Sequences& s;

  explicit Order(const Sequences& of) : s(of) {
    begins.push_back(0);
    for (int64_t t = 0; t < s.steps; ++t) begins.push_back(begins.back() + active(t));
  }
  int64_t active(int64_t step) const {
    return std::ranges::count_if(s.lengths, [step](int length) { return length > step; });
  }
  int64_t position(int64_t t, int64_t b) const {
    int64_t before = 0;
    for (int64_t i = 0; i < b; ++i) before += s.lengths[static_cast<size_t>(i)] > t;
    return begins[static_cast<size_t>(t)] + before;
  }
  /// Calls `use` with the sequences that have a step number `step` of this direction, and their positions.
  template <typename F>
  void at(int64_t step, bool backwards, F use) const {
    for (int64_t b = 0; b < s.batch; ++b) {
      const int64_t length = s.lengths[static_cast<size_t>(b)];
      if (step < length) use(b, position(backwards ? length - 1 - step : step, b));
    }
  }
  template <typename F>
  void each(F use) const {
    for (int64_t t = 0; t < s.steps; ++t) at(t, false, [&](int64_t b, int64_t position) { use(t, b, position); });
  }
};

}  // namespace warplens::libraries
