// A cuRAND generator: an engine, whose turn it is, and where results go.
#pragma once
#include <algorithm>
#include <memory>

#include "warplens/libraries/curand/engine.h"

namespace warplens::libraries {

/// As curandRngType numbers them.
enum class EngineKind : uint8_t { kXorwow = 101, kMrg32k3a = 121, kPhilox = 161 };

/// Numbers of one sequence, one after another.
class Sequence {
 public:
  Sequence(EngineKind kind, uint64_t seed, uint64_t skipped_integers);

  /// A result is `of(drawn)`.
  template <typename T, typename F>
  void fill(Draw draw, T* out, size_t count, const F& of) {
    const size_t turn = engine_->results(draw);
    for (size_t done = 0; done < count;) {
      const size_t give = std::min(count - done, turn - given_);
      const Results drawn = engine_->draw(turns_ % engine_->lanes(), draw, given_ + give == turn);
      for (size_t k = 0; k < give; ++k) out[done + k] = of(drawn[given_ + k]);
      done += give;
      given_ += give;
      if (given_ == turn) given_ = 0, ++turns_;
    }
  }
  /// Integers that take as many turns as were taken so far.
  uint64_t position() const { return turns_ * engine_->results(Draw::kInteger) + given_; }
  bool takes_odd(Draw draw) const { return !is_normal(draw) || engine_->results(draw) != 2; }

 private:
  std::unique_ptr<Engine> engine_;
  uint64_t turns_ = 0;
  size_t given_ = 0;  // of the present turn
};

struct Generator {
  EngineKind kind;
  bool on_host = false;
  uint64_t seed = 0, offset = 0;
  void* stream = nullptr;
  std::shared_ptr<Sequence> sequence;  // made when numbers are drawn; queued work keeps the one that it draws from

  Sequence& drawn_from() {
    if (sequence == nullptr) sequence = std::make_shared<Sequence>(kind, seed, offset);
    return *sequence;
  }
};

}  // namespace warplens::libraries
