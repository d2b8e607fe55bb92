// Traces of all kinds of damage, read in small blocks so that their seams are tried too.
#include "mutate_json.h"
#include "warplens/trace/readers/format.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  warplens::Input input = warplens::Input::of_bytes("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  warplens::Profile profile;
  const size_t threads = size % 64 == 0 ? 2 : 1;  // waking a thread takes longer than a small trace
  const warplens::ReadOptions options{.threads = threads, .block_bytes = 64 + size % 4096};
  if (!warplens::read_input(input, options, profile).ok()) return 0;
  if (profile.ranks.size() < 1) __builtin_trap();  // formats that hold several processes make a rank of each
  return 0;
}
