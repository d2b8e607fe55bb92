// The arguments of NCCL's calls: kinds, elements and reductions, numbered as in nccl.h.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace warplens::libraries {

enum class Meet : uint32_t {
  kAllReduce,
  kBroadcast,
  kReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kGather,
  kScatter,
  kSplit,  // of a communicator: the elements are colour and key
  kSend,
  kReceive,
};

enum class Element : int { kI8, kU8, kI32, kU32, kI64, kU64, kF16, kF32, kF64, kBf16, kE4m3, kE5m2 };
/// 0 for any other number.
int element_bytes(Element element);
const char* element_name(Element element);

enum class Reduction : int { kSum, kProduct, kMost, kLeast, kMean, kFirstOwn };  // and communicators' own after these

/// One rank's part of a meeting.
struct Operation {
  Meet meet = Meet::kAllReduce;
  Element element = Element::kI8;
  Reduction reduction = Reduction::kSum;
  double factor = 1;   // of every rank's elements before they are summed
  uint64_t count = 0;  // of elements, as the call has it
  int peer = 0;        // the root, or the other side of a send
  const void* in = nullptr;
  void* out = nullptr;

  uint64_t bytes() const { return count * static_cast<uint64_t>(element_bytes(element)); }
};

/// Bytes that each link of a ring of `ranks` carries one way.
double traffic_of(const Operation& operation, int ranks);
/// "ncclAllReduce".
const char* call_of(Meet meet);
/// "ncclAllReduce of 8 f32".
std::string text_of(const Operation& operation);

}  // namespace warplens::libraries
