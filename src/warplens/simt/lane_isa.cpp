#include "warplens/simt/lane_isa.h"

#ifdef WARPLENS_X86_LANES
#include <cpuid.h>
#endif

#include <cstdlib>
#include <string>

#include "warplens/base/text.h"

namespace warplens::simt {

namespace {

#ifdef WARPLENS_X86_LANES
// Not every compiler's __builtin_cpu_supports knows these.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kF16c = 1u << 29;  // of ecx, in cpuid's leaf 1
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & kF16c) != 0;
}
bool has_avx512_fp16() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kFp16 = 1u << 23;  // of edx, in cpuid's leaf 7
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kFp16) != 0;
}

/// The best for this processor that is not above `most`.
std::string_view best_isa(std::string_view most) {
  __builtin_cpu_init();
  const bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") && has_f16c();
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx512 && most != "avx2" && most != "baseline") return "avx512";
  return avx2 && most != "baseline" ? "avx2" : "baseline";
}
#else
std::string_view best_isa(std::string_view) { return "baseline"; }
bool has_avx512_fp16() { return false; }
#endif

/// What WARPLENS_ISA says, or nothing.
std::string_view wanted_isa() {
  const char* wanted = std::getenv("WARPLENS_ISA");
  return wanted ? wanted : "";
}

}  // namespace

std::string_view lane_isa() {
  static const std::string_view isa = best_isa(wanted_isa());
  return isa;
}

bool computes_halves() {
  static const bool computes = lane_isa() == "avx512" && has_avx512_fp16();
  return computes;
}

Status check_lane_isa() {
  const std::string_view word = wanted_isa();
  if (word.empty() || word == "avx512" || word == "avx2" || word == "baseline") return {};
  return usage_error(fmt::format(
      "WARPLENS_ISA={}: not an instruction set that the emulator uses; write avx512, avx2 or baseline", word));
}

}  // namespace warplens::simt
