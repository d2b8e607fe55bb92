// NCCL: collectives, sends, and reductions of a communicator's own.
#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/nccl/group.h"
#include "warplens/libraries/nccl/reduce.h"

using namespace warplens::libraries;

namespace {

int call(void* communicator, Operation operation, void* stream) {
  auto* const at = static_cast<Communicator*>(communicator);
  if (at == nullptr || element_bytes(operation.element) == 0) return number_of(Outcome::kInvalidArgument);
  if (operation.peer < 0 || operation.peer >= at->ranks()) return number_of(Outcome::kInvalidArgument);
  operation.factor = at->factor_of(operation.reduction);
  return number_of(add(at, operation, stream));
}

Element element(int number) { return static_cast<Element>(number); }
Reduction reduction(int number) { return static_cast<Reduction>(number); }

}  // namespace

CUDA_API int ncclAllReduce(const void* in, void* out, size_t count, int type, int op, void* communicator,
                           void* stream) {
  return call(communicator, {Meet::kAllReduce, element(type), reduction(op), 1, count, 0, in, out}, stream);
}
CUDA_API int ncclReduce(const void* in, void* out, size_t count, int type, int op, int root, void* communicator,
                        void* stream) {
  return call(communicator, {Meet::kReduce, element(type), reduction(op), 1, count, root, in, out}, stream);
}
CUDA_API int ncclReduceScatter(const void* in, void* out, size_t count, int type, int op, void* communicator,
                               void* stream) {
  return call(communicator, {Meet::kReduceScatter, element(type), reduction(op), 1, count, 0, in, out}, stream);
}
CUDA_API int ncclBroadcast(const void* in, void* out, size_t count, int type, int root, void* communicator,
                           void* stream) {
  return call(communicator, {Meet::kBroadcast, element(type), {}, 1, count, root, in, out}, stream);
}
CUDA_API int ncclBcast(void* data, size_t count, int type, int root, void* communicator, void* stream) {
  return call(communicator, {Meet::kBroadcast, element(type), {}, 1, count, root, data, data}, stream);
}
CUDA_API int ncclAllGather(const void* in, void* out, size_t count, int type, void* communicator, void* stream) {
  return call(communicator, {Meet::kAllGather, element(type), {}, 1, count, 0, in, out}, stream);
}
CUDA_API int ncclAlltoAll(const void* in, void* out, size_t count, int type, void* communicator, void* stream) {
  return call(communicator, {Meet::kAllToAll, element(type), {}, 1, count, 0, in, out}, stream);
}
CUDA_API int ncclGather(const void* in, void* out, size_t count, int type, int root, void* communicator, void* stream) {
  return call(communicator, {Meet::kGather, element(type), {}, 1, count, root, in, out}, stream);
}
CUDA_API int ncclScatter(const void* in, void* out, size_t count, int type, int root, void* communicator,
                         void* stream) {
  return call(communicator, {Meet::kScatter, element(type), {}, 1, count, root, in, out}, stream);
}
CUDA_API int ncclSend(const void* in, size_t count, int type, int peer, void* communicator, void* stream) {
  return call(communicator, {Meet::kSend, element(type), {}, 1, count, peer, in, nullptr}, stream);
}
CUDA_API int ncclRecv(void* out, size_t count, int type, int peer, void* communicator, void* stream) {
  return call(communicator, {Meet::kReceive, element(type), {}, 1, count, peer, nullptr, out}, stream);
}

/// Its factor is taken now, also from device memory: all work that makes it is done.
CUDA_API int ncclRedOpCreatePreMulSum(int* op, const void* scalar, int type, int, void* communicator) {
  auto* const at = static_cast<Communicator*>(communicator);
  if (at == nullptr || op == nullptr || scalar == nullptr || element_bytes(element(type)) == 0)
    return number_of(Outcome::kInvalidArgument);
  *op = static_cast<int>(at->add_factor(value_of(element(type), scalar)));
  return number_of(Outcome::kSuccess);
}
CUDA_API int ncclRedOpDestroy(int, void*) { return number_of(Outcome::kSuccess); }
