// Events of a host thread, as a recording holds them.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "warplens/collect/log/thread_log.h"
#include "warplens/trace/stream/encoder.h"

namespace warplens::collect {

/// The texts of a thread's operators by their numbers in its log, as the encoder knows them.
class OperatorTexts {
 public:
  /// Of HostEvent::kOperatorText.
  void learn(stream::Encoder& encoder, const HostRecord& record);
  /// Of HostEvent::kKnownOperator.
  void begin(stream::Encoder& encoder, uint32_t thread, uint64_t time_ns, const HostRecord& record) const;

 private:
  std::vector<std::pair<uint32_t, uint32_t>> texts_;  // of the name and of the inputs
};

/// Ranges, operators, marks, names and samples. The code that knows the names of CUDA calls encodes those.
void encode_host_event(stream::Encoder& encoder, uint32_t thread, uint64_t time_ns, const HostRecord& record);

}  // namespace warplens::collect
