// NCCL: communicators, groups and errors.
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>

#include "warplens/base/text.h"
#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/nccl/group.h"
#include "warplens/libraries/queue/queue.h"

using namespace warplens;
using namespace warplens::libraries;

extern "C" {
int cudaGetDevice(int* device);
int cudaSetDevice(int device);
int cudaMalloc(void** pointer, size_t size_bytes);
int cudaFree(void* pointer);
}

namespace {

constexpr int kVersion = 23007;
constexpr size_t kIdBytes = 128;
constexpr int kNoColour = -1;  // of ncclCommSplit

struct UniqueId {
  char text[kIdBytes];
};

/// All of this process; the meetings of those that it never destroys end with it.
struct Communicators {
  std::mutex mutex;
  std::map<Communicator*, std::unique_ptr<Communicator>> all;
  pid_t process = ::getpid();
  ~Communicators() {
    if (process == ::getpid()) return;
    for (auto& [key, one] : all) (void)one.release();  // a forked child: they are its parent's
  }
};
Communicators& communicators() {
  static Communicators made;
  return made;
}

Communicator* keep(std::unique_ptr<Communicator> made) {
  Communicators& known = communicators();
  const std::lock_guard lock(known.mutex);
  Communicator* const key = made.get();
  known.all[key] = std::move(made);
  return key;
}

Communicator* find(void* communicator) {
  Communicators& known = communicators();
  const std::lock_guard lock(known.mutex);
  const auto found = known.all.find(static_cast<Communicator*>(communicator));
  return found != known.all.end() ? found->second.get() : nullptr;
}

Outcome enter(const std::string& folder, int rank, int ranks, Communicator** out) {
  int device = 0;
  if (cudaGetDevice(&device) != 0) return Outcome::kCudaError;
  Result<Meeting> meeting = Meeting::enter(folder, rank, ranks);
  if (!meeting.ok()) return failed(nullptr, meeting.status());
  *out = keep(std::make_unique<Communicator>(std::move(*meeting), device));
  return Outcome::kSuccess;
}

int initialise(void** out, int ranks, const UniqueId& id, int rank) {
  if (out == nullptr || ranks < 1 || rank < 0 || rank >= ranks) return number_of(Outcome::kInvalidArgument);
  Communicator* made = nullptr;
  const std::string folder(id.text, ::strnlen(id.text, kIdBytes));
  if (const Outcome entered = enter(folder, rank, ranks, &made); entered != Outcome::kSuccess)
    return number_of(entered);
  *out = made;
  return number_of(add([made] {
    const Status ready = made->ready();
    return ready.ok() ? Outcome::kSuccess : failed(made, ready);
  }));
}

int make_id(UniqueId* id) {
  if (id == nullptr) return number_of(Outcome::kInvalidArgument);
  const Result<std::string> folder = make_meeting_place();
  if (!folder.ok()) return number_of(failed(nullptr, folder.status()));
  if (folder->size() >= kIdBytes)
    return number_of(
        failed(nullptr, io_error("NCCL: the path of the folder for temporary files is too long: set TMPDIR")));
  *id = {};
  std::memcpy(id->text, folder->data(), folder->size());
  return number_of(Outcome::kSuccess);
}

struct Wish {
  int32_t colour, key;
};

/// The ranks that wish for the same colour, in the order of their keys.
Outcome split(Communicator* parent, const Wish& wish, void** out) {
  std::vector<Wish> wishes(static_cast<size_t>(parent->ranks()));
  const Operation exchange{.meet = Meet::kSplit,
                           .element = Element::kI32,
                           .count = sizeof(Wish) / sizeof(int32_t),
                           .in = &wish,
                           .out = wishes.data()};
  const uint64_t number = parent->begun();
  Status met = parent->begin(exchange);
  if (met.ok()) met = parent->finish(exchange);
  if (!met.ok()) return failed(parent, met);
  *out = nullptr;
  if (wish.colour == kNoColour) return Outcome::kSuccess;
  int rank = 0, ranks = 0;
  for (int other = 0; other < parent->ranks(); ++other) {
    const Wish& theirs = wishes[static_cast<size_t>(other)];
    if (theirs.colour != wish.colour) continue;
    ++ranks;
    rank += theirs.key < wish.key || (theirs.key == wish.key && other < parent->rank());
  }
  const std::string folder = fmt::format("{}.{}.{}", parent->meeting().folder(), number, wish.colour);
  if (const Status made = make_shared_folder(folder); !made.ok()) return failed(parent, made);
  Communicator* child = nullptr;
  if (const Outcome entered = enter(folder, rank, ranks, &child); entered != Outcome::kSuccess) return entered;
  *out = child;
  const Status ready = child->ready();
  return ready.ok() ? Outcome::kSuccess : failed(child, ready);
}

int destroy(void* communicator) {
  Communicators& known = communicators();
  const std::lock_guard lock(known.mutex);
  return number_of(known.all.erase(static_cast<Communicator*>(communicator)) != 0 ? Outcome::kSuccess
                                                                                  : Outcome::kInvalidArgument);
}

template <typename Get>
int ask(void* communicator, int* out, Get get) {
  const Communicator* const found = find(communicator);
  if (found == nullptr || out == nullptr) return number_of(Outcome::kInvalidArgument);
  *out = get(*found);
  return number_of(Outcome::kSuccess);
}

}  // namespace

CUDA_API int ncclGetVersion(int* version) {
  if (version == nullptr) return number_of(Outcome::kInvalidArgument);
  *version = kVersion;
  return number_of(Outcome::kSuccess);
}
CUDA_API int ncclGetUniqueId(UniqueId* id) { return make_id(id); }
CUDA_API int ncclCommInitRank(void** out, int ranks, UniqueId id, int rank) { return initialise(out, ranks, id, rank); }
CUDA_API int ncclCommInitRankConfig(void** out, int ranks, UniqueId id, int rank, void*) {
  return initialise(out, ranks, id, rank);
}
CUDA_API int ncclCommInitRankScalable(void** out, int ranks, int rank, int ids, UniqueId* id, void*) {
  return id == nullptr || ids < 1 ? number_of(Outcome::kInvalidArgument) : initialise(out, ranks, *id, rank);
}
CUDA_API int ncclCommInitAll(void** out, int devices, const int* numbers) {
  UniqueId id;
  if (out == nullptr || devices < 1) return number_of(Outcome::kInvalidArgument);
  if (const int made = make_id(&id); made != 0) return made;
  int before = 0;
  (void)cudaGetDevice(&before);
  begin_group();
  int outcome = 0;
  for (int i = 0; i < devices && outcome == 0; ++i) {
    outcome = cudaSetDevice(numbers != nullptr ? numbers[i] : i) != 0 ? number_of(Outcome::kCudaError)
                                                                      : initialise(out + i, devices, id, i);
  }
  const int ended = number_of(end_group());
  (void)cudaSetDevice(before);
  return outcome != 0 ? outcome : ended;
}
CUDA_API int ncclCommSplit(void* communicator, int colour, int key, void** out, void*) {
  Communicator* const parent = find(communicator);
  if (parent == nullptr || out == nullptr || colour < kNoColour) return number_of(Outcome::kInvalidArgument);
  return number_of(add([=] { return split(parent, {colour, key}, out); }));
}

CUDA_API int ncclCommFinalize(void* communicator) {
  return number_of(find(communicator) != nullptr ? Outcome::kSuccess : Outcome::kInvalidArgument);
}
CUDA_API int ncclCommDestroy(void* communicator) { return destroy(communicator); }
/// Another thread may wait in a call of it, so that it lives on.
CUDA_API int ncclCommAbort(void* communicator) {
  Communicator* const found = find(communicator);
  if (found == nullptr) return number_of(Outcome::kInvalidArgument);
  found->stop();
  return number_of(Outcome::kSuccess);
}

CUDA_API int ncclCommCount(void* communicator, int* out) {
  return ask(communicator, out, [](const Communicator& c) { return c.ranks(); });
}
CUDA_API int ncclCommUserRank(void* communicator, int* out) {
  return ask(communicator, out, [](const Communicator& c) { return c.rank(); });
}
CUDA_API int ncclCommCuDevice(void* communicator, int* out) {
  return ask(communicator, out, [](const Communicator& c) { return c.device(); });
}
CUDA_API int ncclCommGetAsyncError(void* communicator, int* out) {
  return ask(communicator, out, [](const Communicator& c) {
    return number_of(*c.error() != 0 ? Outcome::kRemoteError : Outcome::kSuccess);
  });
}
CUDA_API const char* ncclGetLastError(void* communicator) {
  const Communicator* const found = find(communicator);
  return found != nullptr ? found->error() : "";
}
CUDA_API const char* ncclGetErrorString(int outcome) {
  switch (static_cast<Outcome>(outcome)) {
    case Outcome::kSuccess: return "no error";
    case Outcome::kCudaError: return "unhandled cuda error";
    case Outcome::kSystemError: return "unhandled system error";
    case Outcome::kInternalError: return "internal error";
    case Outcome::kInvalidArgument: return "invalid argument";
    case Outcome::kInvalidUsage: return "invalid usage";
    case Outcome::kRemoteError: return "remote process exited or there was a network error";
  }
  return "unknown result code";
}

CUDA_API int ncclGroupStart() {
  begin_group();
  return 0;
}
CUDA_API int ncclGroupEnd() { return number_of(end_group()); }

CUDA_API int ncclMemAlloc(void** pointer, size_t size_bytes) {
  return number_of(cudaMalloc(pointer, size_bytes) == 0 ? Outcome::kSuccess : Outcome::kCudaError);
}
CUDA_API int ncclMemFree(void* pointer) {
  return number_of(cudaFree(pointer) == 0 ? Outcome::kSuccess : Outcome::kCudaError);
}
/// Registered buffers save a GPU copies; here nothing is copied for them.
CUDA_API int ncclCommRegister(void*, void*, size_t, void** handle) {
  if (handle != nullptr) *handle = nullptr;
  return number_of(Outcome::kSuccess);
}
CUDA_API int ncclCommDeregister(void*, void*) { return number_of(Outcome::kSuccess); }
CUDA_API void ncclResetDebugInit() {}

#define CALL(name)                                                                                               \
  CUDA_API int name() {                                                                                          \
    tell_refused(#name, "the program gets ncclInvalidUsage; collectives, sends and ncclCommSplit are emulated"); \
    return number_of(Outcome::kInvalidUsage);                                                                    \
  }
#include "warplens/libraries/nccl/refused.def"
#undef CALL
