// Tables and reports of Nsight Compute that are anything, and reports in which one message is changed and the sizes
// around it are right.
#include "mutate_protobuf.h"
#include "warplens/base/protobuf.h"
#include "warplens/counters/measured_report.h"
#include "warplens/counters/ncu/ncu.h"
#include "warplens/counters/program_report.h"

namespace {

using namespace warplens;

constexpr std::string_view kMagic("NVR\0", 4);
constexpr uint8_t kPayloadBytes = 5 << 3;  // the key of the header's field

std::string_view take_message(std::string_view& rest) {
  uint32_t size = 0;
  const size_t head = std::min(rest.size(), sizeof size);
  std::memcpy(&size, rest.data(), head);
  rest.remove_prefix(head);
  const std::string_view out = rest.substr(0, size);
  rest.remove_prefix(out.size());
  return out;
}

void put_message(std::string& to, std::string_view message) {
  const auto size = static_cast<uint32_t>(message.size());
  to.append(reinterpret_cast<const char*>(&size), sizeof size).append(message);
}

/// Blocks of a report: a header, and the messages that its field of the payload's size spans.
class ReportMutator {
 public:
  ReportMutator(std::string_view bytes, unsigned seed) : bytes_(bytes), random_(seed) {}

  std::string mutated() {
    if (!bytes_.starts_with(kMagic)) return fuzz::ProtobufMutator(bytes_, random_()).mutated();
    std::string_view rest = bytes_.substr(kMagic.size());
    std::string out(kMagic);
    put_message(out, take_message(rest));
    while (!rest.empty() && out.size() < bytes_.size() + kMostGrowth) {
      std::string header = changed(take_message(rest));
      std::string_view payload = rest.substr(0, payload_bytes(header));
      rest.remove_prefix(payload.size());
      std::string messages;
      while (!payload.empty()) put_message(messages, changed(take_message(payload)));
      header.push_back(kPayloadBytes);
      for (size_t size = messages.size(), more = 1; more; size >>= 7) {
        more = size >= 128;
        header.push_back(static_cast<char>((size & 127) | (more ? 128 : 0)));
      }
      put_message(out, header);
      out += messages;
    }
    return out;
  }

 private:
  static constexpr size_t kMostGrowth = 64 << 10;

  /// The last of several fields counts, for the reader too.
  static uint64_t payload_bytes(std::string_view header) {
    uint64_t out = 0;
    protobuf::Message fields(header);
    for (protobuf::Field field; fields.next(&field);)
      if (field.number == kPayloadBytes >> 3) out = field.value;
    return out;
  }

  std::string changed(std::string_view message) {
    return random_() % 3 ? std::string(message) : fuzz::ProtobufMutator(message, random_()).mutated();
  }

  std::string_view bytes_;
  std::mt19937 random_;
};

void read(const std::string& bytes) {
  Result<counters::Counts> counts = counters::ncu::read(bytes);
  if (!counts.ok()) return;
  for (counters::CountedDevice& device : counts->devices) device.compute = 90;
  const auto report = counters::program_report(*counts, {});
  if (report.ok()) counters::to_json(*report);
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzz::mutate<ReportMutator>(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  read(all);
  read(std::string("NVR\0\x02\0\0\0\x08\x07", 10) + all);
  read("\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"gpu__time_duration.sum\"\n" + all);
  return 0;
}
