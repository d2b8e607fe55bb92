#include "warplens/libraries/curand/generator.h"

namespace warplens::libraries {
namespace {

std::unique_ptr<Engine> engine_of(EngineKind kind, uint64_t seed, uint64_t skipped) {
  switch (kind) {
    case EngineKind::kMrg32k3a: return make_mrg32k3a(seed, skipped);
    case EngineKind::kPhilox: return make_philox(seed, skipped);
    case EngineKind::kXorwow: break;
  }
  return make_xorwow(seed, skipped);
}

}  // namespace

Sequence::Sequence(EngineKind kind, uint64_t seed, uint64_t skipped_integers)
    : engine_(engine_of(kind, seed, skipped_integers)) {
  const size_t turn = engine_->results(Draw::kInteger);
  turns_ = skipped_integers / turn;
  given_ = skipped_integers % turn;
}

}  // namespace warplens::libraries
