#include "warplens/libraries/nccl/operation.h"

#include "warplens/base/text.h"

namespace warplens::libraries {
namespace {

struct Kind {
  int bytes;
  const char* name;
};
constexpr std::array<Kind, 12> kKinds = {{{1, "i8"},
                                          {1, "u8"},
                                          {4, "i32"},
                                          {4, "u32"},
                                          {8, "i64"},
                                          {8, "u64"},
                                          {2, "f16"},
                                          {4, "f32"},
                                          {8, "f64"},
                                          {2, "bf16"},
                                          {1, "e4m3"},
                                          {1, "e5m2"}}};

bool is_known(Element element) { return static_cast<size_t>(element) < kKinds.size(); }

}  // namespace

int element_bytes(Element element) { return is_known(element) ? kKinds[static_cast<size_t>(element)].bytes : 0; }
const char* element_name(Element element) {
  return is_known(element) ? kKinds[static_cast<size_t>(element)].name : "?";
}

double traffic_of(const Operation& operation, int ranks) {
  const auto bytes = static_cast<double>(operation.bytes()), others = static_cast<double>(ranks - 1);
  switch (operation.meet) {
    case Meet::kAllReduce: return 2 * others / ranks * bytes;
    case Meet::kAllGather:
    case Meet::kReduceScatter:
    case Meet::kAllToAll:
    case Meet::kGather:
    case Meet::kScatter: return others * bytes;
    case Meet::kBroadcast:
    case Meet::kReduce: return ranks > 1 ? bytes : 0;
    case Meet::kSend:
    case Meet::kReceive: return bytes;
    case Meet::kSplit: break;
  }
  return 0;
}

const char* call_of(Meet meet) {
  switch (meet) {
    case Meet::kAllReduce: return "ncclAllReduce";
    case Meet::kBroadcast: return "ncclBroadcast";
    case Meet::kReduce: return "ncclReduce";
    case Meet::kAllGather: return "ncclAllGather";
    case Meet::kReduceScatter: return "ncclReduceScatter";
    case Meet::kAllToAll: return "ncclAlltoAll";
    case Meet::kGather: return "ncclGather";
    case Meet::kScatter: return "ncclScatter";
    case Meet::kSplit: return "ncclCommSplit";
    case Meet::kSend: return "ncclSend";
    case Meet::kReceive: return "ncclRecv";
  }
  return "nccl";
}

std::string text_of(const Operation& operation) {
  return fmt::format("{} of {} {}", call_of(operation.meet), operation.count, element_name(operation.element));
}

}  // namespace warplens::libraries
