// Recordings that are whole but for blocks that somebody took out, doubled, moved or cut off with all that follows:
// only what is untouched may be called whole. The input says what is recorded, where blocks end, and what becomes of
// each.
#include <vector>

#include "warplens/trace/profile/verdict.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/stream/encoder.h"
#include "warplens/trace/stream/file_blocks.h"

namespace {

using namespace warplens;

struct Blocks : stream::BlockSink {
  void put(stream::BlockKind, std::string_view block, uint64_t, uint64_t) override {
    all.push_back(numbers.next(block));
  }
  stream::FileBlocks numbers;
  std::vector<std::string> all;
};

/// A call and its kernel for each byte; a block ends where a byte is a multiple of four.
std::vector<std::string> recorded(std::string_view events) {
  Blocks blocks;
  stream::Encoder to(blocks);
  const uint32_t call = to.site(stream::CallSite{to.text("cudaLaunchKernel"), 0, 1});
  uint64_t now_ns = 1'800'000'000'000'000'000, correlation = 0;
  for (const char byte : events) {
    const auto value = static_cast<unsigned char>(byte);
    const std::string name = "kernel " + std::to_string(value);
    const uint32_t kernel = to.site(stream::KernelSite{to.text(name), 0, 1, 7, {value + 1, 1, 1}, {32, 1, 1}, 32, 0});
    ++correlation;
    to.call({.site = call, .start_ns = now_ns, .end_ns = now_ns + 10, .correlation = correlation});
    to.kernel({.site = kernel, .start_ns = now_ns + 20, .end_ns = now_ns + 30 + value, .correlation = correlation});
    now_ns += 1000;
    if (value % 4 == 0) to.flush();
  }
  to.end();
  to.flush();
  blocks.all.push_back(blocks.numbers.totals());
  return blocks.all;
}

bool is_called_whole(std::string bytes) {
  Input input = Input::of_bytes("fuzz", std::move(bytes));
  Profile profile;
  return read_input(input, {}, profile).ok() && integrity_verdict(profile).starts_with("whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 || size > 4096) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t split = size / 2;
  const std::string_view fates = input.substr(split);
  const std::vector<std::string> blocks = recorded(input.substr(0, split));
  const stream::FileHeader header = stream::file_header();
  const std::string head(reinterpret_cast<const char*>(&header), sizeof header);
  std::string untouched = head, changed = head, later;
  bool is_cut = false;
  for (size_t i = 0; i < blocks.size(); ++i) {
    untouched += blocks[i];
    const char fate = is_cut ? 'r' : fates[i % fates.size()];
    switch (fate) {
      case 'e':  // the file ends before it
      case 'c':  // and here in it
        is_cut = true;
        if (fate == 'c') changed += blocks[i].substr(0, blocks[i].size() / 2);
        break;
      case 'r': break;                                    // removed
      case 'd': changed += blocks[i] + blocks[i]; break;  // doubled
      case 'l': later += blocks[i]; break;                // moved to the end
      default: changed += blocks[i]; break;
    }
  }
  changed += later;
  if (is_called_whole(changed) != (changed == untouched)) __builtin_trap();
  return 0;
}
