// rocprofv3's JSON and Proton's trees that are anything, by the key that tells them.
#include "warplens/trace/readers/format.h"

namespace {

using namespace warplens;

void read(std::string bytes) {
  Input input = Input::of_bytes("fuzz.json", std::move(bytes));
  Profile profile;
  if (read_input(input, {.threads = 1, .block_bytes = 16 << 10}, profile).ok() && profile.ranks.size() == 0)
    __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  if (size % 4 != 0) {
    read("{\"rocprofiler-sdk-tool\": [" + all + "]}");
  } else {
    read("[{\"frame\": {\"name\": \"ROOT\"}, \"children\": [" + all + "]}, {}]");
  }
  return 0;
}
