#include "warplens/libraries/nccl/group.h"

#include <memory>

#include "warplens/base/text.h"
#include "warplens/libraries/queue/queue.h"
#include "warplens/libraries/time/collective_time.h"

extern "C" {
int cudaStreamIsCapturing(void* stream, int* status);
int cudaGetDevice(int* device);
int cudaSetDevice(int device);
}

namespace warplens::libraries {
namespace {

struct Call {
  Communicator* communicator;
  Operation operation;
  void* stream;
};

struct Group {
  int depth = 0;
  std::vector<Call> calls;
  std::vector<std::function<Outcome()>> waiting;
};
thread_local Group group;

bool is_captured(void* stream) {
  int status = 0;
  return cudaStreamIsCapturing(stream, &status) == 0 && status != 0;
}

/// All begin before any finishes: one thread may have several ranks of one communicator.
Status meet(const std::vector<Call>& calls) {
  for (const Call& call : calls) WL_TRY(call.communicator->begin(call.operation));
  for (const Call& call : calls) {
    if (const Status finished = call.communicator->finish(call.operation); !finished.ok()) {
      call.communicator->keep_error(finished.message());
      return finished;
    }
  }
  return {};
}

std::vector<TouchedMemory> touches(const Call& call) {
  const Operation& o = call.operation;
  const Shares shares = shares_of(o, call.communicator->rank(), call.communicator->ranks());
  const auto element = static_cast<uint64_t>(element_bytes(o.element));
  uint64_t left = shares.left * element, taken = shares.taken * element;
  if (!shares.reduces && !shares.from) taken *= static_cast<uint64_t>(call.communicator->ranks());
  if (o.meet == Meet::kSend) left = o.bytes();
  if (o.meet == Meet::kReceive) taken = o.bytes();
  std::vector<TouchedMemory> out;
  if (left != 0) out.push_back({o.in, left, left, 1, false});
  if (taken != 0) out.push_back({o.out, taken, taken, 1, true});
  return out;
}

/// Its memory is checked and its time taken; `run`: what it does there, if that is not done yet.
int queue_call(const Call& call, std::function<Status()> run) {
  const Operation& o = call.operation;
  const int ranks = call.communicator->ranks();
  Task task{.name = fmt::format("{} {} {} x{}", call_of(o.meet), element_name(o.element), o.count, ranks),
            .time = collective_time(traffic_of(o, ranks), ranks, *device()),
            .touches = [call] { return touches(call); },
            .run = std::move(run)};
  return queue(call.stream, std::move(task));
}

/// Device memory that the calls read and write is there. Where it is not, the queue reports it.
bool memory_is_there(const std::vector<Call>& calls) {
  for (const Call& call : calls) {
    for (const TouchedMemory& touched : touches(call)) {
      if (!__cudaWarplensHolds(touched)) return false;
    }
  }
  return true;
}

/// In a stream that is captured, the calls happen when the graph runs.
Outcome capture(const std::vector<Call>& calls) {
  for (size_t i = 0; i < calls.size(); ++i) {
    const bool last = i + 1 == calls.size();
    if (queue_call(calls[i], [calls, last] { return last ? meet(calls) : Status(); }) != 0) return Outcome::kCudaError;
  }
  return Outcome::kSuccess;
}

/// The work that the streams were given before is done: a call of the emulated runtime returns when it is.
Outcome perform(const std::vector<Call>& calls) {
  if (calls.empty()) return Outcome::kSuccess;
  if (is_captured(calls[0].stream)) return capture(calls);
  Outcome outcome = Outcome::kSuccess;
  if (memory_is_there(calls)) {
    if (const Status met = meet(calls); !met.ok()) outcome = failed(calls[0].communicator, met);
  }
  int before = 0;
  (void)cudaGetDevice(&before);
  for (const Call& call : calls) {
    (void)cudaSetDevice(call.communicator->device());
    if (queue_call(call, [] { return Status(); }) != 0 && outcome == Outcome::kSuccess) outcome = Outcome::kCudaError;
  }
  (void)cudaSetDevice(before);
  return outcome;
}

}  // namespace

Outcome failed(Communicator* communicator, const Status& status) {
  if (communicator != nullptr) communicator->keep_error(status.message());
  __cudaWarplensTell(status.message());
  return status.code() == ErrorCode::kInvalidInput ? Outcome::kInvalidUsage : Outcome::kRemoteError;
}

Outcome add(Communicator* communicator, const Operation& operation, void* stream) {
  group.calls.push_back({communicator, operation, stream});
  return group.depth == 0 ? end_group() : Outcome::kSuccess;
}

Outcome add(std::function<Outcome()> waiting) {
  group.waiting.push_back(std::move(waiting));
  return group.depth == 0 ? end_group() : Outcome::kSuccess;
}

void begin_group() { ++group.depth; }

Outcome end_group() {
  if (group.depth > 1) {
    --group.depth;
    return Outcome::kSuccess;
  }
  const Group now = std::move(group);
  group = {};
  for (const auto& wait : now.waiting) {
    if (const Outcome outcome = wait(); outcome != Outcome::kSuccess) return outcome;
  }
  return perform(now.calls);
}

}  // namespace warplens::libraries
