// cuRAND: generators, and filling memory with their numbers.
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/curand/generator.h"
#include "warplens/libraries/queue/objects.h"
#include "warplens/libraries/queue/queue.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

constexpr int kSuccess = 0, kNotInitialized = 101, kAllocationFailed = 102, kTypeError = 103, kOutOfRange = 104,
              kLengthNotMultiple = 105, kLaunchFailure = 201, kInitializationFailed = 203, kInternalError = 999;
constexpr int kVersion = 10400;
using Handles = Objects<ObjectStatuses{kNotInitialized, kNotInitialized, kAllocationFailed}>;

int refuse(const char* what) {
  tell_refused(what, "the program gets CURAND_STATUS_INTERNAL_ERROR; XORWOW, MRG32k3a and Philox are emulated");
  return kInternalError;
}

int create(Generator** out, int type, bool on_host) {
  constexpr int kDefault = 100;
  if (out == nullptr) return kNotInitialized;
  if (!on_host && device() == nullptr) return kInitializationFailed;
  switch (type) {
    case kDefault:
    case static_cast<int>(EngineKind::kXorwow): return Handles::make(out, {EngineKind::kXorwow, on_host});
    case static_cast<int>(EngineKind::kMrg32k3a): return Handles::make(out, {EngineKind::kMrg32k3a, on_host});
    case static_cast<int>(EngineKind::kPhilox): return Handles::make(out, {EngineKind::kPhilox, on_host});
    case 141: return refuse("a generator of type MTGP32");
    case 142: return refuse("a generator of type MT19937");
    case 200:
    case 201:
    case 202:
    case 203:
    case 204: return refuse("a quasirandom generator");
    default: return kTypeError;
  }
}

const char* name_of(EngineKind kind) {
  switch (kind) {
    case EngineKind::kMrg32k3a: return "mrg32k3a";
    case EngineKind::kPhilox: return "philox";
    case EngineKind::kXorwow: break;
  }
  return "xorwow";
}

/// Fills `out`: result `of(drawn)`.
template <typename T, typename F>
int generate(Generator* generator, Draw draw, T* out, size_t count, F of) {
  if (generator == nullptr) return kNotInitialized;
  if (count == 0) return kSuccess;
  if (out == nullptr) return kLaunchFailure;
  if (count % 2 != 0 && !generator->drawn_from().takes_odd(draw)) return kLengthNotMultiple;
  if (generator->on_host) {
    generator->drawn_from().fill(draw, out, count, of);
    return kSuccess;
  }
  (void)generator->drawn_from();
  const auto sequence = generator->sequence;
  const double bytes = static_cast<double>(count) * sizeof(T);
  const auto touches = [=] { return std::vector<TouchedMemory>{{out, count * sizeof(T), 0, 1, true}}; };
  const auto run = [=]() -> Status { return sequence->fill(draw, out, count, of), Status{}; };
  const Task task{.name = fmt::format("random {} {}", name_of(generator->kind), count),
                  .time = streaming_time(bytes, 0, *device()),
                  .touches = touches,
                  .run = run};
  return queue(generator->stream, task) == 0 ? kSuccess : kLaunchFailure;
}

template <typename T>
int generate_normal(Generator* generator, Draw draw, T* out, size_t count, T mean, T deviation) {
  return generate(generator, draw, out, count, [=](double drawn) { return mean + static_cast<T>(drawn) * deviation; });
}

template <typename T>
int generate_log_normal(Generator* generator, Draw draw, T* out, size_t count, T mean, T deviation) {
  return generate(generator, draw, out, count,
                  [=](double drawn) { return std::exp(mean + static_cast<T>(drawn) * deviation); });
}

/// The same numbers from now on as a generator has that was set so from the start.
int begin_anew(Generator* generator, uint64_t seed, uint64_t offset) {
  generator->seed = seed;
  generator->offset = offset;
  generator->sequence = nullptr;
  return kSuccess;
}

}  // namespace

CUDA_API int curandCreateGenerator(Generator** out, int type) { return create(out, type, false); }
CUDA_API int curandCreateGeneratorHost(Generator** out, int type) { return create(out, type, true); }
CUDA_API int curandDestroyGenerator(Generator* generator) {
  return generator == nullptr ? kNotInitialized : Handles::destroy(generator);
}
CUDA_API int curandSetStream(Generator* generator, void* stream) {
  return Handles::set(generator, &Generator::stream, stream);
}
/// The numbers that were drawn stay skipped.
CUDA_API int curandSetPseudoRandomGeneratorSeed(Generator* generator, uint64_t seed) {
  if (generator == nullptr) return kNotInitialized;
  return begin_anew(generator, seed,
                    generator->sequence != nullptr ? generator->sequence->position() : generator->offset);
}
CUDA_API int curandSetGeneratorOffset(Generator* generator, uint64_t offset) {
  return generator == nullptr ? kNotInitialized : begin_anew(generator, generator->seed, offset);
}
/// The best, the default and the legacy order are one. The dynamic one is open.
CUDA_API int curandSetGeneratorOrdering(Generator* generator, int order) {
  constexpr int kBest = 100, kSeeded = 102, kDynamic = 104;
  if (generator == nullptr) return kNotInitialized;
  if (order < kBest || order > kDynamic || (order == kDynamic && generator->on_host)) return kOutOfRange;
  return order == kSeeded ? refuse("CURAND_ORDERING_PSEUDO_SEEDED") : kSuccess;
}
CUDA_API int curandSetQuasiRandomGeneratorDimensions(Generator* generator, unsigned) {
  return generator == nullptr ? kNotInitialized : kTypeError;
}
CUDA_API int curandGenerateSeeds(Generator* generator) {
  if (generator == nullptr) return kNotInitialized;
  (void)generator->drawn_from();
  return kSuccess;
}

CUDA_API int curandGenerate(Generator* generator, uint32_t* out, size_t count) {
  return generate(generator, Draw::kInteger, out, count, [](double drawn) { return static_cast<uint32_t>(drawn); });
}
/// Only 64-bit quasirandom generators have these.
CUDA_API int curandGenerateLongLong(Generator* generator, uint64_t*, size_t) {
  return generator == nullptr ? kNotInitialized : kTypeError;
}
CUDA_API int curandGenerateUniform(Generator* generator, float* out, size_t count) {
  return generate(generator, Draw::kUnit, out, count, [](double drawn) { return static_cast<float>(drawn); });
}
CUDA_API int curandGenerateUniformDouble(Generator* generator, double* out, size_t count) {
  return generate(generator, Draw::kUnitDouble, out, count, [](double drawn) { return drawn; });
}
CUDA_API int curandGenerateNormal(Generator* generator, float* out, size_t count, float mean, float deviation) {
  return generate_normal(generator, Draw::kNormal, out, count, mean, deviation);
}
CUDA_API int curandGenerateNormalDouble(Generator* generator, double* out, size_t count, double mean,
                                        double deviation) {
  return generate_normal(generator, Draw::kNormalDouble, out, count, mean, deviation);
}
CUDA_API int curandGenerateLogNormal(Generator* generator, float* out, size_t count, float mean, float deviation) {
  return generate_log_normal(generator, Draw::kNormal, out, count, mean, deviation);
}
CUDA_API int curandGenerateLogNormalDouble(Generator* generator, double* out, size_t count, double mean,
                                           double deviation) {
  return generate_log_normal(generator, Draw::kNormalDouble, out, count, mean, deviation);
}

CUDA_API int curandGetVersion(int* version) { return Handles::answer(version, kVersion); }
CUDA_API int curandGetProperty(int property, int* value) {
  constexpr int kMajor = 10, kMinor = 4, kPatch = 0;
  if (property < 0 || property > 2) return kOutOfRange;
  return Handles::answer(value, property == 0 ? kMajor : property == 1 ? kMinor : kPatch);
}

#define CALL(name) \
  CUDA_API int name() { return refuse(#name); }
#include "warplens/libraries/curand/refused.def"
#undef CALL
