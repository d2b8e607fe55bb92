// Comparisons that libFuzzer looks at cost a third of a run. With FUZZ_COMPARISONS=0 it does not see them: such turns
// run more inputs, and the others find the values that code compares with. The linker puts these in front (--wrap).
#include <cstdint>
#include <cstdlib>

namespace {
const bool kSeen = [] {
  const char* value = std::getenv("FUZZ_COMPARISONS");
  return value == nullptr || *value != '0';
}();
}  // namespace

// Each ends in a jump, so that libFuzzer's function sees who compared.
#define WL_COMPARISON(name, type)                                                                           \
  extern "C" void __real___sanitizer_cov_trace_##name(type, type);                                          \
  extern "C" __attribute__((no_sanitize("all"))) void __wrap___sanitizer_cov_trace_##name(type a, type b) { \
    if (kSeen) __real___sanitizer_cov_trace_##name(a, b);                                                   \
  }
WL_COMPARISON(cmp1, uint8_t)
WL_COMPARISON(cmp2, uint16_t)
WL_COMPARISON(cmp4, uint32_t)
WL_COMPARISON(cmp8, uint64_t)
WL_COMPARISON(const_cmp1, uint8_t)
WL_COMPARISON(const_cmp2, uint16_t)
WL_COMPARISON(const_cmp4, uint32_t)
WL_COMPARISON(const_cmp8, uint64_t)
