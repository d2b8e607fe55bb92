#include "warplens/cuda_api/checked_launch.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cuda_api/clock.h"
#include "warplens/cuda_api/run_kernel.h"
#include "warplens/cuda_api/tensors.h"
#include "warplens/cuda_api/told_name.h"

namespace warplens::cuda_api {
namespace {

constexpr double kCheckedNs = 10000;  // what a checked launch is taken to last: nothing is counted

/// A tensor is a part of a larger allocation, whose bounds are all that a check knows.
void note_caching_allocator(Runtime& runtime) {
  const uint8_t checks = runtime.launch_watch.checks;
  if ((checks & (simt::kCheckMemory | simt::kCheckInit)) == 0 || !cuts_tensors() ||
      !runtime.told.insert("caching allocator").second)
    return;
  runtime.launch_watch.note(
      "PyTorch cuts tensors from larger allocations, so checks miss some accesses that leave a tensor and stay inside "
      "its allocation. Set PYTORCH_NO_CUDA_MEMORY_CACHING=1 to check the bounds of each tensor");
}

/// A byte that a tensor does not hold may be unwritten, or belong to a tensor of another kernel.
void keep_defect_of_launch(Runtime& runtime, const simt::Report& found) {
  simt::Range bounds;
  const bool may_be_outside = (found.id == "uninitialised-read" || found.id == "race") && cuts_tensors();
  if (may_be_outside && runtime.memory.range(found.address, bounds)) keep_until_asked(found);
  else keep_defect(runtime, found);
}

}  // namespace

void keep_defect(Runtime& runtime, const simt::Report& found) {
  if (runtime.launch_watch.log) return runtime.launch_watch.log->defect(found);
  (void)runtime.tell(cudaSuccess, fmt::format("{}: {}, {}{}", found.id, found.message, found.place.text(),
                                              found.other ? " and " + found.other->text() : ""));
}

void keep_checked(Runtime& runtime, const Kernel& kernel, const session::Outcome& ran) {
  LaunchWatch& watch = runtime.launch_watch;
  note_caching_allocator(runtime);
  const std::string& no_ptx = kernel.module->why_no_ptx;
  const std::string why = session::launches_kernels(kernel) ? "it launches kernels"
                          : no_ptx.empty() ? "its PTX uses textures, surfaces or instructions that are not executed"
                                           : no_ptx;
  if (ran.by_machine_code && runtime.told.insert("checked by machine code: " + why).second) {
    watch.note(fmt::format("{}: checked by its machine code, because {}. There, {}", told_name(kernel.name), why,
                           simt::kInOrderByWarp));
  }
  for (const simt::Report& found : ran.result.reports) keep_defect_of_launch(runtime, found);
  if (ran.result.reports_dropped > 0) {
    watch.note(fmt::format("{}: {} more defects of one launch are not shown", told_name(kernel.name),
                           ran.result.reports_dropped));
  }
  (void)spend(runtime, kCheckedNs);
  const std::optional<simt::Fault>& fault = ran.result.fault;
  watch.checked({kernel.name, !ran.by_machine_code, fault ? fault->message : std::string()});
  if (!fault || !ran.result.reports.empty()) return;
  simt::Report failed;
  failed.id = "launch-failed";
  failed.message = "the launch stopped before its end: " + fault->message;
  failed.place = fault->place;
  keep_defect(runtime, failed);
}

void mark_written(Runtime& runtime, const void* target, const void* source, size_t size_bytes) {
  if (!runtime.checks(simt::kCheckInit)) return;
  uint8_t* const to = runtime.memory.shadow(reinterpret_cast<simt::Address>(target));
  if (to == nullptr) return;
  const uint8_t* const from =
      source != nullptr ? runtime.memory.shadow(reinterpret_cast<simt::Address>(source)) : nullptr;
  if (from != nullptr) std::memmove(to, from, size_bytes);
  else std::memset(to, 1, size_bytes);
}

bool report_unwritten(Runtime& runtime, const std::string& work, const void* begin, uint64_t size_bytes) {
  const uint8_t* const shadow = runtime.memory.shadow(reinterpret_cast<simt::Address>(begin));
  if (shadow == nullptr) return false;
  const void* const unwritten = std::memchr(shadow, 0, size_bytes);
  if (unwritten == nullptr) return false;
  const auto offset = static_cast<uint64_t>(static_cast<const uint8_t*>(unwritten) - shadow);
  simt::Report found;
  found.id = "uninitialised-read";
  found.address = reinterpret_cast<simt::Address>(begin) + offset;
  found.size_bytes = 1;
  found.message = fmt::format("{} reads bytes that nothing has written, the first at {:#x}", work, found.address);
  found.place.kernel = work;
  keep_defect(runtime, found);
  return true;
}

void report_refused_copy(Runtime& runtime, const void* pointer, size_t size_bytes) {
  if (!runtime.checks(simt::kCheckMemory)) return;
  const auto begin = reinterpret_cast<simt::Address>(pointer);
  const std::optional<simt::Allocation> near = runtime.memory.nearest(begin);
  if (!near || begin < near->begin || begin >= near->end) return;  // it may be any memory of the host, or null
  simt::Report found;
  found.id = near->freed ? "use-after-free" : "out-of-bounds";
  found.address = begin;
  found.size_bytes = static_cast<uint32_t>(std::min<uint64_t>(size_bytes, UINT32_MAX));
  found.message = near->freed
                      ? fmt::format("a copy or fill of {} at {} of memory that was freed, which CUDA refuses",
                                    format_bytes(static_cast<double>(size_bytes)), begin - near->begin)
                      : fmt::format("a copy or fill of {} from byte {} of an allocation of {}, which CUDA refuses",
                                    format_bytes(static_cast<double>(size_bytes)), begin - near->begin,
                                    format_bytes(static_cast<double>(near->end - near->begin)));
  keep_defect(runtime, found);
}

void report_refused_free(Runtime& runtime, const void* pointer, bool pinned) {
  if (!runtime.checks(simt::kCheckMemory)) return;
  const auto begin = reinterpret_cast<simt::Address>(pointer);
  const std::optional<simt::Allocation> near = runtime.memory.nearest(begin);
  const bool inside = near && begin >= near->begin && begin < near->end;
  simt::Report found;
  found.id = "invalid-free";
  found.address = begin;
  const std::string what = fmt::format("{} of {:#x}", pinned ? "cudaFreeHost" : "cudaFree", begin);
  if (inside && begin > near->begin)
    found.message = fmt::format("{}, which is {} bytes into an allocation of {}", what, begin - near->begin,
                                format_bytes(static_cast<double>(near->end - near->begin)));
  else if (inside && near->freed) found.message = what + ", which was freed before";
  else if (inside)
    found.message =
        fmt::format("{}, which {} made: free it with {}", what, near->name, pinned ? "cudaFree" : "cudaFreeHost");
  else found.message = what + ", which no allocation begins at";
  found.message += ". CUDA refuses it";
  keep_defect(runtime, found);
}

}  // namespace warplens::cuda_api
