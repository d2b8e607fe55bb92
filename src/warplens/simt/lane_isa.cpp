#include "warplens/simt/lane_isa.h"

#ifdef WARPLENS_X86_LANES
#include <cpuid.h>
#endif

#include <cstdlib>
#include <string>

#include "warplens/base/text.h"

namespace warplens::simt {

#ifdef WARPLENS_X86_LANES
namespace {

/// Not every compiler's __builtin_cpu_supports knows it.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kF16c = 1u << 29;  // of ecx, in cpuid's leaf 1
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & kF16c) != 0;
}

}  // namespace
#endif

std::string_view lane_isa() {
  static const std::string_view isa = [] {
    const char* wanted = std::getenv("WARPLENS_ISA");
    const std::string_view most = wanted ? wanted : "";
#ifdef WARPLENS_X86_LANES
    __builtin_cpu_init();
    const bool avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") && has_f16c();
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl");
    if (avx512 && most != "avx2" && most != "baseline") return std::string_view("avx512");
    if (avx2 && most != "baseline") return std::string_view("avx2");
#endif
    return std::string_view("baseline");
  }();
  return isa;
}

Status check_lane_isa() {
  const char* wanted = std::getenv("WARPLENS_ISA");
  const std::string_view word = wanted ? wanted : "";
  if (word.empty() || word == "avx512" || word == "avx2" || word == "baseline") return {};
  return usage_error(
      fmt::format("WARPLENS_ISA={}: no instruction set that lanes run on; write avx512, avx2 or baseline", word));
}

}  // namespace warplens::simt
