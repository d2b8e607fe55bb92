// Recordings whose blocks are whole and whose payloads are anything, and recordings that are anything.
#include <cstring>

#include "warplens/base/checksum.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/stream/encoder.h"

namespace {

using namespace warplens;

std::string block(stream::BlockKind kind, uint32_t sequence, std::string_view payload) {
  const stream::BlockHeader header = {stream::kBlockMagic, kind, static_cast<uint32_t>(payload.size()), sequence, 0, 0,
                                      checksum(payload)};
  return std::string(reinterpret_cast<const char*>(&header), sizeof header).append(payload);
}

void read(std::string bytes) {
  Input input = Input::of_bytes("fuzz", std::move(bytes));
  Profile profile;
  if (read_input(input, {}, profile).ok() && profile.ranks.size() != 1) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const stream::FileHeader header = stream::file_header();
  const std::string head(reinterpret_cast<const char*>(&header), sizeof header);
  const size_t split = size * data[0] / 255;
  if (size % 8 == 0) {
    read(head + std::string(all));
  } else {
    read(head + block(stream::BlockKind::kDefinitions, 0, all.substr(0, split)) +
         block(stream::BlockKind::kEvents, 1, all.substr(split)));
  }
  return 0;
}
