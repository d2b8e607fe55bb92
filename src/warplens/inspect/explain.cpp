// From counts to sentences: spills, merged accesses, unrolling, fused multiply-adds.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/inspect/count.h"

namespace warplens::inspect {
namespace {

struct Moved {
  uint64_t count = 0;
  uint32_t widest = 0;
};

std::string place(const LineKey& key) {
  const size_t slash = key.file.rfind('/');
  return fmt::format("{}:{}", slash == std::string::npos ? key.file : key.file.substr(slash + 1), key.line);
}

uint64_t count_of(const Kernel& kernel, std::string_view space, std::string_view kind) {
  uint64_t total = 0;
  for (const auto& [key, pair] : kernel.memory) {
    if (key.space == space && key.kind == kind) total += pair.sass;
  }
  return total;
}

void explain_local(Kernel& kernel) {
  const uint64_t loads = count_of(kernel, "local", "load"), stores = count_of(kernel, "local", "store");
  if (!kernel.has_sass) return;
  if (loads + stores == 0) {
    if (kernel.ptx_local_bytes > 0) {
      kernel.notes.push_back(fmt::format("the local array of {} bytes lives in registers", kernel.ptx_local_bytes));
    }
    return;
  }
  const std::string traffic = fmt::format("{} loads and {} stores of local memory, {} bytes of stack a thread", loads,
                                          stores, kernel.frame_bytes);
  if (!kernel.has_ptx) {
    kernel.notes.push_back(traffic + ": spilled registers or a local array");
  } else if (kernel.ptx_local_bytes == 0) {
    kernel.notes.push_back("registers are spilled: " + traffic);
  } else if (kernel.frame_bytes > kernel.ptx_local_bytes + 16) {
    kernel.notes.push_back(
        fmt::format("a local array of {} bytes, and registers are spilled: {}", kernel.ptx_local_bytes, traffic));
  } else {
    kernel.notes.push_back(
        fmt::format("a local array of {} bytes lives in local memory: {}", kernel.ptx_local_bytes, traffic));
  }
}

/// Fewer and wider accesses in SASS than in PTX: neighbours were merged.
void explain_merging(Kernel& kernel) {
  for (const auto& [key, line] : kernel.lines) {
    std::map<std::pair<std::string, std::string>, std::pair<Moved, Moved>> moved;
    for (const auto& [memory, pair] : line.memory) {
      auto& [ptx, sass] = moved[{memory.space, memory.kind}];
      ptx.count += pair.ptx;
      sass.count += pair.sass;
      if (pair.ptx > 0) ptx.widest = std::max(ptx.widest, memory.width_bytes);
      if (pair.sass > 0) sass.widest = std::max(sass.widest, memory.width_bytes);
    }
    for (const auto& [what, levels] : moved) {
      const auto& [ptx, sass] = levels;
      if (ptx.count == 0 || sass.count == 0 || what.first == "constant") continue;
      if (sass.count < ptx.count && sass.widest > ptx.widest) {
        kernel.notes.push_back(fmt::format("{}: {} {} {}s of up to {} bytes became {} of up to {} bytes (vectorised)",
                                           place(key), ptx.count, what.first, what.second, ptx.widest, sass.count,
                                           sass.widest));
      } else if (sass.count >= 2 * ptx.count && sass.widest <= ptx.widest && what.first != "local") {
        kernel.notes.push_back(fmt::format("{}: {} {} {}s became {}: ptxas unrolled the loop about {} times",
                                           place(key), ptx.count, what.first, what.second, sass.count,
                                           sass.count / ptx.count));
      }
    }
  }
}

void explain_unrolling(Kernel& kernel) {
  for (const auto& [key, line] : kernel.lines) {
    const auto most = std::max_element(line.ptx_in_loop.begin(), line.ptx_in_loop.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == line.ptx_in_loop.end() || most->second < 2) continue;
    kernel.notes.push_back(fmt::format("{}: {} copies of {} in a loop: unrolled, or written for several elements",
                                       place(key), most->second, most->first));
  }
}

void explain_fusing(Kernel& kernel) {
  Pair fused, unfused;
  for (const auto& [key, line] : kernel.lines) {
    fused.ptx += line.fused.ptx;
    fused.sass += line.fused.sass;
    unfused.ptx += line.unfused.ptx;
    unfused.sass += line.unfused.sass;
  }
  if (kernel.has_ptx && kernel.has_sass && fused.sass > fused.ptx && unfused.ptx > unfused.sass) {
    kernel.notes.push_back(
        fmt::format("fp32: PTX has {} multiplications and additions and {} multiply-adds, SASS has {} and {}",
                    unfused.ptx, fused.ptx, unfused.sass, fused.sass));
  }
}

}  // namespace

void explain(Kernel& kernel) {
  explain_local(kernel);
  if (kernel.has_ptx && kernel.has_sass) explain_merging(kernel);
  explain_unrolling(kernel);
  explain_fusing(kernel);
  if (kernel.unknown_ptx > 0) {
    kernel.notes.push_back(
        fmt::format("{} PTX instructions are not in the table; the emulator stops at them", kernel.unknown_ptx));
  }
  if (kernel.unknown_sass > 0) {
    kernel.notes.push_back(
        fmt::format("{} SASS instructions are not in the table and count as other", kernel.unknown_sass));
  }
}

}  // namespace warplens::inspect
