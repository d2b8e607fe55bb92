// Recurrent networks (RNN, LSTM, GRU) of several layers, forwards and backwards, as cuDNN defines them.
#pragma once
#include <vector>

#include "warplens/base/status.h"
#include "warplens/libraries/math/number.h"

namespace warplens::libraries {

enum class Cell : uint8_t { kRelu = 0, kTanh = 1, kLstm = 2, kGru = 3 };

struct RecurrentShape {
  Cell cell = Cell::kTanh;
  Number number = Number::kF32;
  bool biased = true, bidirectional = false, tf32 = false;
  int64_t input = 0, hidden = 0, projected = 0,
          layers = 1;  // `projected`: what a step hands on; hidden without projection
  double dropout = 0;
  uint64_t seed = 0;

  int64_t gates() const { return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1; }
  int64_t directions() const { return bidirectional ? 2 : 1; }
  int64_t parts() const { return layers * directions(); }  // cuDNN's pseudo-layers
  int64_t width_of(int64_t part) const { return part < directions() ? input : projected * directions(); }
  bool projects() const { return projected != hidden; }
};

/// Where a matrix or a bias of a part is in the memory of all weights, in elements.
struct WeightPlace {
  int64_t offset = 0, rows = 0, columns = 0;
};
/// `which`: gates of the input, then of the step before, then the projection. A place without rows: there is none.
WeightPlace matrix_place(const RecurrentShape& shape, int64_t part, int64_t which);
WeightPlace bias_place(const RecurrentShape& shape, int64_t part, int64_t which);
int64_t weight_count(const RecurrentShape& shape);

/// Sequences of a batch: step `t` of sequence `b` is a line of `width` elements.
struct Sequences {
  enum class Layout : uint8_t { kSteps = 0, kPacked = 1, kBatches = 2 } layout = Layout::kSteps;
  int64_t steps = 0, batch = 0, width = 0;
  std::vector<int> lengths;  // of each sequence

  int64_t positions() const;                 // that hold something
  int64_t line(int64_t t, int64_t b) const;  // in lines of the memory
  int64_t lines() const;
};

/// Memory of the host's that a training pass leaves for its gradients, in bytes.
int64_t kept_bytes(const RecurrentShape& shape, int64_t steps, int64_t batch);

/// Null pointers: zeros come in, nothing goes out. States are (parts, batch, width) each.
struct RecurrentCall {
  RecurrentShape shape;
  Sequences x, y;
  const void* weights = nullptr;
  const void *input = nullptr, *first_h = nullptr, *first_c = nullptr;
  void *output = nullptr, *last_h = nullptr, *last_c = nullptr;
  void* kept = nullptr;  // null: only the results are wanted
};
Status run_forward(const RecurrentCall& call);

/// Gradients: of the input and the first states, from those of the output and the last states. `call`: as it ran.
struct RecurrentGradients {
  const void *d_output = nullptr, *d_last_h = nullptr, *d_last_c = nullptr;
  void *d_input = nullptr, *d_first_h = nullptr, *d_first_c = nullptr;
};
Status run_backward(const RecurrentCall& call, const RecurrentGradients& gradients);
/// Adds the gradient of the weights, after run_backward.
Status add_weight_gradients(const RecurrentCall& call, void* d_weights);

}  // namespace warplens::libraries
