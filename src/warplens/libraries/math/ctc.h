// Connectionist temporal classification: the loss of label sequences, and its gradient.
#pragma once
#include <cstdint>
#include <vector>

namespace warplens::libraries {

/// One sequence: `steps` lines of logarithms of probabilities of `classes`, of which 0 is the blank.
struct CtcSequence {
  int64_t steps = 0, classes = 0;
  std::vector<double> log_probabilities;
  std::vector<int> labels;
};
/// The loss: infinite where the labels do not fit. `gradient`: of the softmax's input.
double ctc_loss(const CtcSequence& sequence, std::vector<double>* gradient);

}  // namespace warplens::libraries
