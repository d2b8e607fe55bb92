#include "warplens/cuda_api/checked_launch.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cuda_api/clock.h"
#include "warplens/cuda_api/run_kernel.h"

namespace warplens::cuda_api {
namespace {

constexpr double kCheckedNs = 10000;  // what a checked launch is taken to last: nothing is counted

/// The arguments as PTX places them, in the same order.
std::vector<uint8_t> ptx_parameters(const Kernel& kernel, const std::vector<uint8_t>& block) {
  std::vector<uint8_t> out(kernel.ptx->parameter_bytes());
  const size_t count = std::min(kernel.parameters.size(), kernel.ptx->parameters.size());
  for (size_t i = 0; i < count; ++i) {
    const Parameter& from = kernel.parameters[i];
    const ptx::Variable& to = kernel.ptx->parameters[i];
    if (from.offset + from.size_bytes > block.size() || to.offset + from.size_bytes > out.size()) continue;
    std::copy_n(block.begin() + from.offset, from.size_bytes, out.begin() + static_cast<std::ptrdiff_t>(to.offset));
  }
  return out;
}

/// A launch that was followed to its end, or to where it stopped. What stops it without having been told is a defect.
void keep_checked(Runtime& runtime, const report::CheckedLaunch& launch, bool has_defects, const simt::Place& place) {
  runtime.launch_watch.checked(launch);
  if (launch.stopped.empty() || has_defects) return;
  simt::Report failed;
  failed.id = "launch-failed";
  failed.message = "the launch stopped before its end: " + launch.stopped;
  failed.place = place;
  failed.place.kernel = launch.kernel;
  keep_defect(runtime, failed);
}

void tell_dropped(Runtime& runtime, const Kernel& kernel, uint64_t dropped) {
  runtime.launch_watch.note(
      fmt::format("{}: {} more defects of one launch are not shown", short_name(kernel.name), dropped));
}

}  // namespace

void keep_defect(Runtime& runtime, const simt::Report& found) {
  if (runtime.launch_watch.log) return runtime.launch_watch.log->defect(found);
  (void)runtime.tell(cudaSuccess, fmt::format("{}: {}, {}{}", found.id, found.message, found.place.text(),
                                              found.other ? " and " + found.other->text() : ""));
}

Error run_checked(Runtime& runtime, Kernel& kernel, const simt::sass_machine::MachineLaunch& launch) {
  simt::Launch config = launch;
  config.parameters = ptx_parameters(kernel, launch.parameters);
  config.checks = runtime.launch_watch.checks;
  config.count = false;
  const Result<simt::LaunchResult> ran = simt::ptx_machine::launch(*kernel.module->ptx(), kernel.name, config);
  if (!ran.ok()) {
    runtime.launch_watch.refused(kernel.name, ran.status().message(), false);
    return runtime.tell(cudaErrorLaunchFailure, demangled(kernel.name) + ": " + ran.status().message());
  }
  runtime.printed += ran->output;
  for (const simt::Report& found : ran->reports) keep_defect(runtime, found);
  if (ran->reports_dropped > 0) tell_dropped(runtime, kernel, ran->reports_dropped);
  (void)spend(runtime, kCheckedNs);
  keep_checked(runtime, {kernel.name, true, ran->fault ? ran->fault->message : std::string()}, !ran->reports.empty(),
               ran->fault ? ran->fault->place : simt::Place());
  if (!ran->fault) return cudaSuccess;
  runtime.flush_printed();
  runtime.lose(error_of(ran->fault->kind));
  return runtime.tell(cudaSuccess, ran->fault->text());
}

void check_machine_code(Runtime& runtime, Kernel& kernel, const std::string& why,
                        simt::sass_machine::MachineLaunch* launch) {
  if (runtime.told.insert("checked by machine code: " + why).second) {
    runtime.launch_watch.note(
        fmt::format("{}: its machine code is checked, in which threads of one warp, and asynchronous copies, count as "
                    "in order: {}",
                    short_name(kernel.name), why));
  }
  launch->checks = runtime.launch_watch.checks;
  launch->lines = &kernel.module->text_of(kernel).lines;
  launch->lets_padding = false;
}

void keep_machine_reports(Runtime& runtime, const Kernel& kernel, simt::sass_machine::MachineCounts* ran,
                          const std::string& stopped) {
  for (simt::Report& found : ran->reports) {
    found.place.kernel = kernel.name;
    if (found.other) found.other->kernel = kernel.name;
    keep_defect(runtime, found);
  }
  if (ran->reports_dropped > 0) tell_dropped(runtime, kernel, ran->reports_dropped);
  (void)spend(runtime, kCheckedNs);
  simt::Place place;
  place.block = ran->stop.block;
  place.thread = ran->stop.thread;
  keep_checked(runtime, {kernel.name, false, stopped}, !ran->reports.empty(), place);
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

}  // namespace warplens::cuda_api
