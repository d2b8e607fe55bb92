// Arguments of the command line: parsing never crashes.
#include "warplens/launch/flags.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)warplens::launch::description_of(
      {.source = "k.cu", .grid = text, .args = {"x=f32[4]", text}, .symbols = {text}, .expect = {text}});
  return 0;
}
