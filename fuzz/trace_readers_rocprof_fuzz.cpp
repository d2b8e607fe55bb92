// rocprofv3's JSON and Proton's trees that are anything, by the key that tells them.
#include <algorithm>

#include "warplens/trace/readers/format.h"

namespace {

using namespace warplens;

void read(std::string bytes) {
  Input input = Input::of_bytes("fuzz.json", std::move(bytes));
  Profile profile;
  if (read_input(input, {.threads = 1, .block_bytes = 16 << 10}, profile).ok() && profile.ranks.size() == 0)
    __builtin_trap();
}

/// A count in a tree stands for as many launches. 100,000 of them are read as they should be, in seconds: too long
/// here.
bool counts_many(std::string_view text) {
  constexpr std::string_view kCount = "\"count\"";
  for (size_t at = text.find(kCount); at != std::string_view::npos; at = text.find(kCount, at + 1)) {
    const std::string_view number = text.substr(std::min(text.size(), at + kCount.size()), 16);
    if (std::count_if(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }) > 4) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  if (counts_many(all)) return 0;
  if (size % 4 != 0) {
    read("{\"rocprofiler-sdk-tool\": [" + all + "]}");
  } else {
    read("[{\"frame\": {\"name\": \"ROOT\"}, \"children\": [" + all + "]}, {}]");
  }
  return 0;
}
