// cuFFT: plans of one to three dimensions, and running them.
#include <map>
#include <mutex>

#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/cufft/execute.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

constexpr int kSuccess = 0, kInvalidPlan = 1, kInvalidType = 3, kInvalidValue = 4, kExecFailed = 6, kSetupFailed = 7,
              kInvalidSize = 8, kNotSupported = 16;
constexpr int kForward = -1, kBackward = 1;
constexpr int kVersion = 12200;

struct Plans {
  std::mutex mutex;
  std::map<int, FftPlan> all;
  int next = 1;
};
Plans& plans() {
  static auto* made = new Plans;  // kept to the very end: programs call from their own destructors
  return *made;
}

template <typename F>
int with_plan(int handle, F use) {
  const std::lock_guard lock(plans().mutex);
  const auto found = plans().all.find(handle);
  return found != plans().all.end() ? use(found->second) : kInvalidPlan;
}

/// As cufftType numbers them.
bool sides_of(int type, FftSide* in, FftSide* out) {
  switch (type) {
    case 0x29: return in->number = out->number = Number::kC32, true;
    case 0x2a: return in->number = Number::kF32, out->number = Number::kC32, true;
    case 0x2c: return in->number = Number::kC32, out->number = Number::kF32, true;
    case 0x69: return in->number = out->number = Number::kC64, true;
    case 0x6a: return in->number = Number::kF64, out->number = Number::kC64, true;
    case 0x6c: return in->number = Number::kC64, out->number = Number::kF64, true;
    default: return false;
  }
}

template <typename I>
void embed(FftSide* side, int rank, const I* lengths, int64_t step, int64_t distance) {
  side->embedded = lengths != nullptr;
  for (int i = 0; side->embedded && i < rank; ++i) side->embed[static_cast<size_t>(i)] = lengths[i];
  side->step = step;
  side->distance = distance;
}

template <typename I>
struct Wanted {
  int rank;
  const I* lengths;
  FftSide in, out;
  int64_t batches;
};

template <typename I>
int make(int handle, const Wanted<I>& wanted, size_t* work_bytes) {
  return with_plan(handle, [&](FftPlan& plan) {
    if (wanted.rank < 1 || wanted.rank > kMostRank || wanted.lengths == nullptr) return kInvalidValue;
    FftPlan made{
        .rank = wanted.rank, .batches = wanted.batches, .in = wanted.in, .out = wanted.out, .stream = plan.stream};
    for (int i = 0; i < wanted.rank; ++i) {
      if (wanted.lengths[i] < 1) return kInvalidSize;
      made.lengths[static_cast<size_t>(kMostRank - wanted.rank + i)] = wanted.lengths[i];
    }
    if (wanted.batches < 1) return kInvalidSize;
    plan = made;
    if (work_bytes != nullptr) *work_bytes = 0;
    return kSuccess;
  });
}

template <typename I>
int make_many(int handle, int rank, const I* lengths, const I* in_embed, int64_t in_step, int64_t in_distance,
              const I* out_embed, int64_t out_step, int64_t out_distance, int type, int64_t batches,
              size_t* work_bytes) {
  if (rank < 1 || rank > kMostRank) return kInvalidValue;
  Wanted<I> wanted{rank, lengths, {}, {}, batches};
  if (!sides_of(type, &wanted.in, &wanted.out)) return kInvalidType;
  embed(&wanted.in, rank, in_embed, in_step, in_distance);
  embed(&wanted.out, rank, out_embed, out_step, out_distance);
  return make(handle, wanted, work_bytes);
}

/// Without embeds: one after another.
int make_plain(int handle, std::initializer_list<int> lengths, int type, int64_t batches, size_t* work_bytes) {
  return make_many<int>(handle, static_cast<int>(lengths.size()), lengths.begin(), nullptr, 1, 0, nullptr, 1, 0, type,
                        batches, work_bytes);
}

int execute(int handle, const void* in, void* out, int sign, Number from, Number to) {
  return with_plan(handle, [&](FftPlan& plan) {
    if (plan.rank == 0) return kInvalidPlan;
    if (plan.in.number != from || plan.out.number != to) return kInvalidType;
    if (in == nullptr || out == nullptr || (sign != kForward && sign != kBackward)) return kInvalidValue;
    return queue_transform(plan, in, out, sign) == 0 ? kSuccess : kExecFailed;
  });
}

int create(int* handle) {
  if (handle == nullptr) return kInvalidValue;
  if (device() == nullptr) return kSetupFailed;
  const std::lock_guard lock(plans().mutex);
  *handle = plans().next++;
  plans().all[*handle] = {};
  return kSuccess;
}

}  // namespace

CUDA_API int cufftCreate(int* handle) { return create(handle); }
CUDA_API int cufftDestroy(int handle) {
  const std::lock_guard lock(plans().mutex);
  return plans().all.erase(handle) > 0 ? kSuccess : kInvalidPlan;
}
CUDA_API int cufftSetStream(int handle, void* stream) {
  return with_plan(handle, [&](FftPlan& plan) { return plan.stream = stream, kSuccess; });
}
/// The CPU takes its own memory.
CUDA_API int cufftSetAutoAllocation(int handle, int) {
  return with_plan(handle, [](FftPlan&) { return kSuccess; });
}
CUDA_API int cufftSetWorkArea(int handle, void*) {
  return with_plan(handle, [](FftPlan&) { return kSuccess; });
}
CUDA_API int cufftGetSize(int handle, size_t* bytes) {
  return with_plan(handle, [&](FftPlan&) { return bytes != nullptr ? (*bytes = 0, kSuccess) : kInvalidValue; });
}
CUDA_API int cufftGetVersion(int* version) {
  return version != nullptr ? (*version = kVersion, kSuccess) : kInvalidValue;
}

CUDA_API int cufftMakePlan1d(int handle, int x, int type, int batches, size_t* bytes) {
  return make_plain(handle, {x}, type, batches, bytes);
}
CUDA_API int cufftMakePlan2d(int handle, int x, int y, int type, size_t* bytes) {
  return make_plain(handle, {x, y}, type, 1, bytes);
}
CUDA_API int cufftMakePlan3d(int handle, int x, int y, int z, int type, size_t* bytes) {
  return make_plain(handle, {x, y, z}, type, 1, bytes);
}
CUDA_API int cufftMakePlanMany(int handle, int rank, int* lengths, int* in_embed, int in_step, int in_distance,
                               int* out_embed, int out_step, int out_distance, int type, int batches, size_t* bytes) {
  return make_many<int>(handle, rank, lengths, in_embed, in_step, in_distance, out_embed, out_step, out_distance, type,
                        batches, bytes);
}
CUDA_API int cufftMakePlanMany64(int handle, int rank, long long* lengths, long long* in_embed, long long in_step,
                                 long long in_distance, long long* out_embed, long long out_step,
                                 long long out_distance, int type, long long batches, size_t* bytes) {
  return make_many<long long>(handle, rank, lengths, in_embed, in_step, in_distance, out_embed, out_step, out_distance,
                              type, batches, bytes);
}
CUDA_API int cufftPlan1d(int* handle, int x, int type, int batches) {
  const int status = create(handle);
  return status == kSuccess ? make_plain(*handle, {x}, type, batches, nullptr) : status;
}
CUDA_API int cufftPlan2d(int* handle, int x, int y, int type) {
  const int status = create(handle);
  return status == kSuccess ? make_plain(*handle, {x, y}, type, 1, nullptr) : status;
}
CUDA_API int cufftPlan3d(int* handle, int x, int y, int z, int type) {
  const int status = create(handle);
  return status == kSuccess ? make_plain(*handle, {x, y, z}, type, 1, nullptr) : status;
}
CUDA_API int cufftPlanMany(int* handle, int rank, int* lengths, int* in_embed, int in_step, int in_distance,
                           int* out_embed, int out_step, int out_distance, int type, int batches) {
  const int status = create(handle);
  return status == kSuccess ? make_many<int>(*handle, rank, lengths, in_embed, in_step, in_distance, out_embed,
                                             out_step, out_distance, type, batches, nullptr)
                            : status;
}

CUDA_API int cufftXtMakePlanMany(int handle, int rank, long long* lengths, long long* in_embed, long long in_step,
                                 long long in_distance, int in_type, long long* out_embed, long long out_step,
                                 long long out_distance, int out_type, long long batches, size_t* bytes, int) {
  if (rank < 1 || rank > kMostRank) return kInvalidValue;
  Wanted<long long> wanted{rank, lengths, {}, {}, batches};
  wanted.in.number = static_cast<Number>(in_type);
  wanted.out.number = static_cast<Number>(out_type);
  const auto wide = [](Number n) { return n == Number::kF64 || n == Number::kC64; };
  const auto known = [&](Number n) { return wide(n) || n == Number::kF32 || n == Number::kC32; };
  if (!known(wanted.in.number) || !known(wanted.out.number)) {
    tell_refused("cufftXtMakePlanMany", "of half precision: take f32");
    return kNotSupported;
  }
  if (wide(wanted.in.number) != wide(wanted.out.number)) return kInvalidType;
  embed(&wanted.in, rank, in_embed, in_step, in_distance);
  embed(&wanted.out, rank, out_embed, out_step, out_distance);
  return make(handle, wanted, bytes);
}
CUDA_API int cufftXtExec(int handle, void* in, void* out, int sign) {
  Number from{}, to{};
  const int status = with_plan(handle, [&](FftPlan& plan) {
    from = plan.in.number;
    to = plan.out.number;
    if (plan.real_to_complex()) sign = kForward;
    if (plan.complex_to_real()) sign = kBackward;
    return kSuccess;
  });
  return status == kSuccess ? execute(handle, in, out, sign, from, to) : status;
}

CUDA_API int cufftExecC2C(int handle, void* in, void* out, int sign) {
  return execute(handle, in, out, sign, Number::kC32, Number::kC32);
}
CUDA_API int cufftExecZ2Z(int handle, void* in, void* out, int sign) {
  return execute(handle, in, out, sign, Number::kC64, Number::kC64);
}
CUDA_API int cufftExecR2C(int handle, void* in, void* out) {
  return execute(handle, in, out, kForward, Number::kF32, Number::kC32);
}
CUDA_API int cufftExecC2R(int handle, void* in, void* out) {
  return execute(handle, in, out, kBackward, Number::kC32, Number::kF32);
}
CUDA_API int cufftExecD2Z(int handle, void* in, void* out) {
  return execute(handle, in, out, kForward, Number::kF64, Number::kC64);
}
CUDA_API int cufftExecZ2D(int handle, void* in, void* out) {
  return execute(handle, in, out, kBackward, Number::kC64, Number::kF64);
}

#define CALL(name)                                                                                         \
  CUDA_API int name() {                                                                                    \
    tell_refused(#name, "the program gets CUFFT_NOT_SUPPORTED; plans and their execution on one GPU are"); \
    return kNotSupported;                                                                                  \
  }
#include "warplens/libraries/cufft/refused.def"
#undef CALL
