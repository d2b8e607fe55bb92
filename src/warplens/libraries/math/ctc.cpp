#include "warplens/libraries/math/ctc.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warplens::libraries {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_sum(double a, double b) {
  const double most = std::max(a, b);
  return most == kNever ? kNever : most + std::log(std::exp(a - most) + std::exp(b - most));
}

/// The labels with blanks around them, and logarithms of how likely each is at each step.
struct Lattice {
  const CtcSequence& s;
  std::vector<int> states;

  explicit Lattice(const CtcSequence& of) : s(of), states{0} {
    for (const int label : of.labels) states.insert(states.end(), {label, 0});
  }
  size_t count() const { return states.size(); }
  double log_at(int64_t t, size_t state) const {
    return s.log_probabilities[static_cast<size_t>(t * s.classes + states[state])];
  }
  bool skips(size_t to) const { return to >= 2 && states[to] != 0 && states[to] != states[to - 2]; }

  /// Of all ways from the begin to each state, that state included.
  std::vector<double> forward() const {
    std::vector<double> out(static_cast<size_t>(s.steps) * count(), kNever);
    for (size_t i = 0; i < std::min<size_t>(2, count()); ++i) out[i] = log_at(0, i);
    for (int64_t t = 1; t < s.steps; ++t) {
      const double* before = out.data() + static_cast<size_t>(t - 1) * count();
      for (size_t i = 0; i < count(); ++i) {
        double sum = before[i];
        if (i >= 1) sum = log_sum(sum, before[i - 1]);
        if (skips(i)) sum = log_sum(sum, before[i - 2]);
        out[static_cast<size_t>(t) * count() + i] = sum + log_at(t, i);
      }
    }
    return out;
  }
  /// Of all ways from each state to the end, that state not included.
  std::vector<double> backward() const {
    std::vector<double> out(static_cast<size_t>(s.steps) * count(), kNever);
    double* const last = out.data() + static_cast<size_t>(s.steps - 1) * count();
    for (size_t i = count() - std::min<size_t>(2, count()); i < count(); ++i) last[i] = 0;
    for (int64_t t = s.steps - 2; t >= 0; --t) {
      const double* after = out.data() + static_cast<size_t>(t + 1) * count();
      for (size_t i = 0; i < count(); ++i) {
        double sum = after[i] + log_at(t + 1, i);
        if (i + 1 < count()) sum = log_sum(sum, after[i + 1] + log_at(t + 1, i + 1));
        if (i + 2 < count() && skips(i + 2)) sum = log_sum(sum, after[i + 2] + log_at(t + 1, i + 2));
        out[static_cast<size_t>(t) * count() + i] = sum;
      }
    }
    return out;
  }
};

}  // namespace

double ctc_loss(const CtcSequence& s, std::vector<double>* gradient) {
  gradient->assign(s.log_probabilities.size(), 0);
  if (s.steps == 0) return s.labels.empty() ? 0 : -kNever;
  const Lattice lattice(s);
  const std::vector<double> forward = lattice.forward(), backward = lattice.backward();
  const size_t states = lattice.count(), end = static_cast<size_t>(s.steps) * states;
  const double all = states > 1 ? log_sum(forward[end - 1], forward[end - 2]) : forward[end - 1];
  for (size_t i = 0; i < gradient->size(); ++i) (*gradient)[i] = std::exp(s.log_probabilities[i]);
  for (size_t t = 0; t < static_cast<size_t>(s.steps); ++t)
    for (size_t i = 0; i < states; ++i)
      (*gradient)[t * static_cast<size_t>(s.classes) + static_cast<size_t>(lattice.states[i])] -=
          std::exp(forward[t * states + i] + backward[t * states + i] - all);
  return -all;
}

}  // namespace warplens::libraries
