#include "warplens/isa/fatbin/host_runtime.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"

namespace warplens::fatbin {
namespace {

using cubin::Elf, cubin::ElfSection, cubin::ElfSymbol;

/// What every object of nvcc with kernels calls before main.
constexpr std::string_view kRegisters = "__cudaRegisterFatBinary";
/// Names that CUDA 13's runtime no longer has, and 12's neither.
constexpr std::array<std::string_view, 3> kOnlyIn12 = {"cudaGetDeviceProperties_v2", "cudaMemAdvise_v2",
                                                       "cudaMemPrefetchAsync_v2"};
constexpr std::string_view kOnlyBefore12 = "cudaBindTexture";

bool is_call(const ElfSymbol& symbol) {
  constexpr uint16_t kFirstReserved = 0xff00;
  const bool defined = symbol.section != 0 && symbol.section < kFirstReserved;
  return defined && symbol.is_function() && (symbol.name.starts_with("cuda") || symbol.name.starts_with("__cuda"));
}

/// The linked calls of one symbol table, each with the bytes up to the function behind it.
std::vector<LinkedCall> calls_of(const std::vector<ElfSymbol>& symbols) {
  std::vector<uint64_t> begins;
  for (const ElfSymbol& symbol : symbols)
    if (symbol.is_function() && symbol.section != 0) begins.push_back(symbol.value);
  std::ranges::sort(begins);
  std::vector<LinkedCall> out;
  for (const ElfSymbol& symbol : symbols) {
    if (!is_call(symbol)) continue;
    const auto next = std::ranges::upper_bound(begins, symbol.value);
    out.push_back({symbol.name, symbol.value, next == begins.end() ? symbol.size : *next - symbol.value});
  }
  std::ranges::sort(out, {}, &LinkedCall::address);
  return out;
}

int major_of(const std::vector<LinkedCall>& calls) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(calls, name, &LinkedCall::name) != calls.end();
  };
  if (has(kOnlyBefore12)) return 11;
  return std::ranges::any_of(kOnlyIn12, has) ? 12 : 13;
}

/// The version in "libcudart.so.12" among the names that the dynamic linker reads; 0: there is none.
int shared_major(std::string_view names) {
  constexpr std::string_view kSoname = "libcudart.so.";
  const size_t at = names.find(kSoname);
  if (at == std::string_view::npos) return 0;
  const std::string_view digits = names.substr(at + kSoname.size());
  return static_cast<int>(parse_int(digits.substr(0, digits.find_first_not_of("0123456789"))).value_or(0));
}

}  // namespace

HostRuntime host_runtime_of(const Elf& elf) {
  HostRuntime out;
  for (const uint32_t type : {cubin::kSymbolTable, cubin::kDynamicSymbolTable}) {
    const ElfSection* table = elf.first_of(type);
    if (table == nullptr || !contains(elf.names_of(*table), kRegisters)) continue;
    out.calls = calls_of(elf.symbols_of(*table));
    if (std::ranges::find(out.calls, kRegisters, &LinkedCall::name) != out.calls.end()) {
      out.kind = HostRuntimeKind::kLinked;
      out.major = major_of(out.calls);
      return out;
    }
    out.kind = HostRuntimeKind::kShared;  // it names the call, and another file has it
  }
  out.calls.clear();
  const ElfSection* dynamic = elf.first_of(cubin::kDynamicSymbolTable);
  if (const int major = dynamic != nullptr ? shared_major(elf.names_of(*dynamic)) : 0; major != 0) {
    out.kind = HostRuntimeKind::kShared;
    out.major = major;
  }
  if (out.kind == HostRuntimeKind::kNone && elf.section(".nvFatBinSegment") != nullptr)
    out.kind = HostRuntimeKind::kStripped;
  return out;
}

}  // namespace warplens::fatbin
