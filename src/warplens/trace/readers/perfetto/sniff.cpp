// Whether a file's first bytes are Perfetto's packets.
#include "warplens/base/protobuf.h"
#include "warplens/trace/events/perfetto_fields.h"
#include "warplens/trace/readers/perfetto/perfetto.h"

namespace warplens::perfetto {

bool sniff(std::string_view head) {
  using protobuf::Field, protobuf::Message, protobuf::Wire;
  if (!head.starts_with('\x0a')) return false;
  Message packets(head);
  Field field;
  std::string_view packet;
  if (packets.next(&field)) {
    if (field.number != kPacket || field.wire != Wire::kBytes) return false;
    packet = field.bytes;
  } else {  // the head ends within the first packet
    head.remove_prefix(1);
    while (!head.empty() && (static_cast<uint8_t>(head.front()) & 0x80) != 0) head.remove_prefix(1);
    if (!head.empty()) packet = head.substr(1);
  }
  constexpr uint32_t kHighest = 1000;
  Message fields(packet);
  bool fits = false;
  while (fields.next(&field)) {
    if (field.number == 0 || field.number >= kHighest) return false;
    const bool is_number = field.wire == Wire::kVarint;
    fits |= (field.number == kSequenceId || field.number == kTimestamp || field.number == kSequenceFlags) && is_number;
  }
  return fits && !(fields.damaged() && packet.data() + packet.size() != head.data() + head.size());
}

}  // namespace warplens::perfetto
