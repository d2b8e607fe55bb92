#include "warplens/gpu/arch.h"

#include "warplens/base/text.h"

namespace warplens::gpu {
namespace {

constexpr int kKb = 1024;
const std::vector<int> kSteps100 = {0, 8, 16, 32, 64, 100};
const std::vector<int> kSteps164 = {0, 8, 16, 32, 64, 100, 132, 164};
const std::vector<int> kSteps228 = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

// Latencies are those that published microbenchmarks agree on, to a few cycles.
std::vector<Arch> make_archs() {
  // clang-format off
  return {
      {7, 0, "Volta", 64, 32, 1024, 65536, 256, 255, 4, 96 * kKb, 256, 0, 48 * kKb, 96 * kKb, 2, {0, 8, 16, 32, 64, 96},
       128, 64, 32, 64, 64, 16, 32, 4, 23, 28, 193, 400},
      {7, 2, "Volta", 64, 32, 1024, 65536, 256, 255, 4, 96 * kKb, 256, 0, 48 * kKb, 96 * kKb, 2, {0, 8, 16, 32, 64, 96},
       128, 64, 32, 64, 64, 16, 32, 4, 23, 28, 193, 400},
      {7, 5, "Turing", 32, 16, 1024, 65536, 256, 255, 4, 64 * kKb, 256, 0, 48 * kKb, 64 * kKb, 2, {32, 64},
       96, 64, 2, 64, 64, 16, 32, 4, 22, 32, 188, 434},
      {8, 0, "Ampere", 64, 32, 1024, 65536, 256, 255, 4, 164 * kKb, 128, kKb, 48 * kKb, 163 * kKb, 2, kSteps164,
       192, 64, 32, 128, 64, 16, 32, 4, 23, 33, 200, 466},
      {8, 6, "Ampere", 48, 16, 1024, 65536, 256, 255, 4, 100 * kKb, 128, kKb, 48 * kKb, 99 * kKb, 1, kSteps100,
       128, 128, 2, 64, 64, 16, 32, 4, 23, 33, 220, 470},
      {8, 7, "Ampere", 48, 16, 1024, 65536, 256, 255, 4, 164 * kKb, 128, kKb, 48 * kKb, 163 * kKb, 1, kSteps164,
       192, 128, 2, 64, 64, 16, 32, 4, 23, 33, 220, 470},
      {8, 9, "Ada", 48, 24, 1024, 65536, 256, 255, 4, 100 * kKb, 128, kKb, 48 * kKb, 99 * kKb, 1, kSteps100,
       128, 128, 2, 64, 64, 16, 32, 4, 23, 33, 260, 540},
      {9, 0, "Hopper", 64, 32, 1024, 65536, 256, 255, 4, 228 * kKb, 128, kKb, 48 * kKb, 227 * kKb, 2, kSteps228,
       256, 128, 64, 128, 64, 16, 32, 4, 23, 33, 260, 600},
      {10, 0, "Blackwell", 64, 32, 1024, 65536, 256, 255, 4, 228 * kKb, 128, kKb, 48 * kKb, 227 * kKb, 2, kSteps228,
       256, 128, 64, 128, 64, 16, 32, 4, 23, 33, 280, 650},
      {10, 3, "Blackwell", 64, 32, 1024, 65536, 256, 255, 4, 228 * kKb, 128, kKb, 48 * kKb, 227 * kKb, 2, kSteps228,
       256, 128, 2, 128, 64, 16, 32, 4, 23, 33, 280, 650},
      {12, 0, "Blackwell", 48, 24, 1024, 65536, 256, 255, 4, 100 * kKb, 128, kKb, 48 * kKb, 99 * kKb, 1, kSteps100,
       128, 128, 2, 128, 128, 16, 32, 4, 23, 33, 280, 600},
      {12, 1, "Blackwell", 48, 24, 1024, 65536, 256, 255, 4, 100 * kKb, 128, kKb, 48 * kKb, 99 * kKb, 1, kSteps100,
       128, 128, 2, 128, 128, 16, 32, 4, 23, 33, 280, 600},
  };
  // clang-format on
}

}  // namespace

std::string Arch::name() const { return fmt::format("sm_{}{}", major, minor); }

const std::vector<Arch>& all_archs() {
  static const std::vector<Arch> archs = make_archs();
  return archs;
}

Result<const Arch*> find_arch(std::string_view name) {
  std::string digits;
  for (const char c : name) {
    if (c >= '0' && c <= '9') digits += c;
  }
  for (const Arch& arch : all_archs()) {
    if (digits == fmt::format("{}{}", arch.major, arch.minor)) return &arch;
  }
  std::vector<std::string> known;
  for (const Arch& arch : all_archs()) known.push_back(arch.name());
  return usage_error(fmt::format("unknown architecture '{}'; known: {}", name, join(known, ", ")));
}

}  // namespace warplens::gpu
