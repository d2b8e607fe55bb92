#include "warplens/run/ptx/handlers.h"

#ifdef WARPLENS_X86_LANES
#include <cpuid.h>
#endif

#include <cstdlib>

#include "warplens/base/text.h"
#include "warplens/run/ptx/emulator.h"

namespace warplens::emulator {

#define WL_DECLARE(isa)                   \
  namespace isa {                         \
  void add_handlers(HandlerTable& table); \
  }
WL_DECLARE(baseline)
#ifdef WARPLENS_X86_LANES
WL_DECLARE(avx2)
WL_DECLARE(avx512)
#endif
#undef WL_DECLARE

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

void HandlerTable::add(std::string key, Handler handler) { handlers_.emplace(std::move(key), handler); }

Handler HandlerTable::find(std::string_view key) const {
  const auto found = handlers_.find(std::string(key));
  return found == handlers_.end() ? nullptr : found->second;
}

std::string_view lane_isa() {
  static const std::string_view isa = [] {
    const char* wanted = std::getenv("WARPLENS_ISA");
    const std::string_view most = wanted ? wanted : "";
#ifdef WARPLENS_X86_LANES
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi2") && has_f16c();
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

const HandlerTable& handlers() {
  static const HandlerTable table = [] {
    HandlerTable filled;
#ifdef WARPLENS_X86_LANES
    if (lane_isa() == "avx512") avx512::add_handlers(filled);
    if (lane_isa() == "avx2") avx2::add_handlers(filled);
#endif
    if (lane_isa() == "baseline") baseline::add_handlers(filled);
    return filled;
  }();
  return table;
}

}  // namespace warplens::emulator
