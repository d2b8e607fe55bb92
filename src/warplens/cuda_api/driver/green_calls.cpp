// The driver's green contexts: some of a GPU's SMs. Their kernels run and take time as on the whole GPU.
#include <algorithm>

#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/clock.h"
#include "warplens/cuda_api/driver/driver.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr int kInvalidResourceType = 914, kInvalidResourceConfiguration = 915;
constexpr uint32_t kNonBlocking = 1;

/// CUdevResource.
struct Resource {
  enum Type : int { kNone = 0, kSms = 1 } type = kNone;
  int device = 0;
  bool is_part = false;  // of a split: only a descriptor can be made of it
  uint8_t reserved[84]{};
  uint32_t sms = 0, least = 0, alignment = 0;
  uint8_t unused[36]{};
};
static_assert(sizeof(Resource) == 144 && offsetof(Resource, sms) == 96);

/// How the SMs of a group count: a group has a multiple of this.
constexpr uint32_t kTogether = 8, kApart = 2;

Resource all_sms(int device, uint32_t sms) {
  return {.type = Resource::kSms, .device = device, .sms = sms, .least = kTogether, .alignment = kTogether};
}
Resource part(const Resource& whole, uint32_t sms) {
  Resource out{.device = whole.device, .is_part = true, .sms = sms};
  out.type = sms == 0 ? Resource::kNone : Resource::kSms;
  return out;
}

int sms_of(const Runtime& runtime, const Context* context, Resource* out, int type) {
  if (context == nullptr) return kDriverInvalidContext;
  if (out == nullptr) return kDriverInvalidValue;
  if (type != Resource::kSms) return kInvalidResourceType;
  *out = all_sms(context->device, context->sms != 0 ? context->sms : static_cast<uint32_t>(runtime.device->sms));
  return kDriverSuccess;
}

Context* green(void* handle) {
  Context* const context = handle != nullptr ? find_context(handle) : nullptr;
  return context != nullptr && context->sms != 0 ? context : nullptr;
}

/// Calls `use` with each stream that the driver made in the context.
template <typename F>
void each_stream(const Context* context, F use) {
  for (const auto& [stream, of] : Driver::get().contexts_of_streams) {
    if (of == context) use(stream);
  }
}

int record_context(Runtime& runtime, const Context* context, Event* event) {
  if (context == nullptr) return kDriverInvalidContext;
  if (!runtime.events.contains(event)) return cudaErrorInvalidResourceHandle;
  event->recorded = true;
  event->at_ns = 0;
  each_stream(context, [&](const Stream* stream) { event->at_ns = std::max(event->at_ns, stream->clock_ns); });
  return kDriverSuccess;
}

int let_context_wait(Runtime& runtime, const Context* context, const Event* event) {
  if (context == nullptr) return kDriverInvalidContext;
  if (!runtime.events.contains(const_cast<Event*>(event))) return cudaErrorInvalidResourceHandle;
  each_stream(context, [&](Stream* stream) { stream->clock_ns = std::max(stream->clock_ns, event->at_ns); });
  return kDriverSuccess;
}

}  // namespace

CUDA_API int cuDeviceGetDevResource(int device, Resource* out, int type) {
  return in_driver([&](Runtime& runtime) -> int {
    return runtime.has_device(device) ? sms_of(runtime, primary_of(device), out, type) : int{cudaErrorInvalidDevice};
  });
}
CUDA_API int cuCtxGetDevResource(void* context, Resource* out, int type) {
  return in_driver([&](Runtime& runtime) { return sms_of(runtime, find_context(context), out, type); });
}
CUDA_API int cuGreenCtxGetDevResource(void* context, Resource* out, int type) {
  return in_driver([&](Runtime& runtime) { return sms_of(runtime, green(context), out, type); });
}

/// Groups of at least `least` SMs each, as many as there are or as `count` allows.
CUDA_API int cuDevSmResourceSplitByCount(Resource* out, uint32_t* count, const Resource* input, Resource* remaining,
                                         uint32_t flags, uint32_t least) {
  constexpr uint32_t kIgnoresCoscheduling = 1, kLargestClusters = 2;
  return in_driver([&](Runtime&) -> int {
    if (count == nullptr || input == nullptr || (out != nullptr && *count == 0)) return kDriverInvalidValue;
    if ((flags & kIgnoresCoscheduling) != 0 && (flags & kLargestClusters) != 0) return kDriverInvalidValue;
    if (input->type != Resource::kSms) return kInvalidResourceType;
    const Resource whole = *input;  // it may be among the results
    if (least > whole.sms || whole.is_part) return kInvalidResourceConfiguration;
    const uint32_t unit = (flags & kIgnoresCoscheduling) != 0 ? kApart : kTogether;
    const uint32_t size = std::min((std::max(least, 1u) + unit - 1) / unit * unit, whole.sms);
    const uint32_t most = whole.sms / size, made = out != nullptr ? std::min(*count, most) : most;
    for (uint32_t i = 0; out != nullptr && i < made; ++i) out[i] = part(whole, size);
    if (remaining != nullptr) *remaining = part(whole, whole.sms - made * size);
    *count = made;
    return kDriverSuccess;
  });
}

CUDA_API int cuDevResourceGenerateDesc(const SmShare** out, const Resource* resources, uint32_t count) {
  return in_driver([&](Runtime&) -> int {
    if (out == nullptr || resources == nullptr || count == 0) return kDriverInvalidValue;
    SmShare share{.device = resources[0].device, .sms = 0};
    for (uint32_t i = 0; i < count; ++i) {
      if (resources[i].type != Resource::kSms) return kInvalidResourceType;
      if (resources[i].device != share.device) return kInvalidResourceConfiguration;
      share.sms += resources[i].sms;
    }
    *out = Driver::get().shares.emplace_back(std::make_unique<SmShare>(share)).get();
    return kDriverSuccess;
  });
}

CUDA_API int cuGreenCtxCreate(void** out, const SmShare* share, int device, uint32_t flags) {
  constexpr uint32_t kDefaultStream = 1;
  return in_driver([&](Runtime& runtime) -> int {
    Driver& driver = Driver::get();
    const bool known = std::ranges::any_of(driver.shares, [&](const auto& each) { return each.get() == share; });
    if (out == nullptr || flags != kDefaultStream || !known) return kDriverInvalidValue;
    if (!runtime.has_device(device)) return cudaErrorInvalidDevice;
    if (share->device != device) return kInvalidResourceConfiguration;
    auto* const made = new Context{.device = device, .sms = share->sms, .number = ++driver.green_contexts};
    driver.contexts.insert(made);
    *out = made;
    return runtime.tell(
        cudaSuccess,
        "kernels in a green context run on the whole emulated GPU: they take the time that all its SMs need");
  });
}
CUDA_API int cuGreenCtxDestroy(void* handle) {
  return in_driver([&](Runtime& runtime) -> int {
    Context* const context = green(handle);
    if (context == nullptr) return kDriverInvalidContext;
    end_context(runtime, context);
    return kDriverSuccess;
  });
}
CUDA_API int cuCtxFromGreenCtx(void** out, void* handle) {
  return in_driver([&](Runtime&) -> int {
    if (out == nullptr) return kDriverInvalidValue;
    *out = green(handle);
    return *out == nullptr ? kDriverInvalidContext : kDriverSuccess;
  });
}
CUDA_API int cuGreenCtxGetId(void* handle, uint64_t* id) {
  return in_driver([&](Runtime&) -> int {
    const Context* const context = green(handle != nullptr ? handle : has_context() ? context_stack().back() : nullptr);
    if (context == nullptr) return kDriverInvalidContext;
    if (id == nullptr) return kDriverInvalidValue;
    *id = context->number;
    return kDriverSuccess;
  });
}
CUDA_API int cuGreenCtxStreamCreate(Stream** out, void* handle, uint32_t flags, int priority) {
  return in_driver([&](Runtime&) -> int {
    Context* const context = green(handle);
    if (context == nullptr) return kDriverInvalidContext;
    if (out == nullptr || flags != kNonBlocking) return kDriverInvalidValue;
    const int error = cudaStreamCreateWithPriority(out, flags, priority);
    if (error == cudaSuccess) Driver::get().contexts_of_streams[*out] = context;
    return error;
  });
}

CUDA_API int cuGreenCtxRecordEvent(void* context, Event* event) {
  return in_driver([&](Runtime& runtime) { return record_context(runtime, green(context), event); });
}
CUDA_API int cuGreenCtxWaitEvent(void* context, Event* event) {
  return in_driver([&](Runtime& runtime) { return let_context_wait(runtime, green(context), event); });
}
CUDA_API int cuCtxRecordEvent(void* context, Event* event) {
  return in_driver([&](Runtime& runtime) { return record_context(runtime, find_context(context), event); });
}
CUDA_API int cuCtxWaitEvent(void* context, Event* event) {
  return in_driver([&](Runtime& runtime) { return let_context_wait(runtime, find_context(context), event); });
}
