// Perfetto's traces that are anything, with a packet in front that makes them look like one or without.
#include "mutate_protobuf.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/perfetto/perfetto.h"

namespace {

using namespace warplens;

void read(std::string bytes) {
  Input input = Input::of_bytes("fuzz.pftrace", std::move(bytes));
  Profile profile;
  if (read_input(input, {.threads = 1, .block_bytes = 16 << 10}, profile).ok() && profile.ranks.size() == 0)
    __builtin_trap();
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzz::mutate<fuzz::ProtobufMutator>(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  if (size % 8 == 0) {
    perfetto::to_trace_events(all);
  } else {
    read(std::string("\x0a\x04\x50\x01\x68\x01", 6) + all);  // a packet: sequence 1, state cleared
  }
  return 0;
}
