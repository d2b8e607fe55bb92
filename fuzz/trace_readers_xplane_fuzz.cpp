// XSpaces that are anything, with a plane's beginning in front or without.
#include "mutate_protobuf.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/xplane/xplane.h"

namespace {

using namespace warplens;

void read(std::string bytes) {
  Input input = Input::of_bytes("fuzz.xplane.pb", std::move(bytes));
  Profile profile;
  if (read_input(input, {.threads = 1, .block_bytes = 16 << 10}, profile).ok() && profile.ranks.size() != 1)
    __builtin_trap();
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzz::mutate<fuzz::ProtobufMutator>(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  const std::string name = "\x08\x01\x12\x0d/device:GPU:0";
  if (size % 8 == 0) {  // such inputs rarely have a plane
    xplane::to_trace_events(all);
  } else if (name.size() + size < 16384) {
    const size_t length = name.size() + size;
    const std::string head = {'\x0a', static_cast<char>((length & 127) | 128), static_cast<char>(length >> 7)};
    read(head + name + all);
  }
  return 0;
}
