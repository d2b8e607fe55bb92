#include "warplens/cuda_api/library_work.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cuda_api/checked_launch.h"
#include "warplens/cuda_api/clock.h"
#include "warplens/cuda_api/submit.h"
#include "warplens/cuda_api/visible.h"

namespace warplens::cuda_api {
namespace {

uint64_t span_bytes(const TouchedMemory& t) { return t.rows == 0 ? 0 : (t.rows - 1) * t.pitch_bytes + t.width_bytes; }

/// What lies outside device memory, in words; empty where all lies within.
std::string outside(const Runtime& runtime, const TouchedMemory& touched) {
  const uint64_t size_bytes = span_bytes(touched);
  if (size_bytes == 0) return {};
  simt::Range range;
  const auto begin = reinterpret_cast<simt::Address>(touched.first);
  if (!runtime.memory.range(begin, range)) return fmt::format("no device memory at {}", touched.first);
  if (size_bytes <= range.end - begin) return {};
  return fmt::format("{} from {} go {} past the end of an allocation", format_bytes(static_cast<double>(size_bytes)),
                     touched.first, format_bytes(static_cast<double>(begin + size_bytes - range.end)));
}

void lose(Runtime& runtime, Error error, const LibraryWork& work, const std::string& why) {
  (void)runtime.tell(error, work.name + ": " + why);
  runtime.lose(error);
}

void report_outside(Runtime& runtime, const LibraryWork& work, const TouchedMemory& touched, const std::string& why) {
  if (!runtime.checks(simt::kCheckMemory)) return;
  simt::Report found;
  found.id = "out-of-bounds";
  found.address = reinterpret_cast<simt::Address>(touched.first);
  found.size_bytes = static_cast<uint32_t>(std::min<uint64_t>(span_bytes(touched), UINT32_MAX));
  found.message = fmt::format("{} by a library: {}", touched.written ? "write" : "read", why);
  found.place.kernel = work.name;
  keep_defect(runtime, found);
}

void check_read(Runtime& runtime, const LibraryWork& work, const TouchedMemory& touched) {
  for (uint64_t row = 0; row < touched.rows; ++row) {
    const char* begin = static_cast<const char*>(touched.first) + row * touched.pitch_bytes;
    if (report_unwritten(runtime, work.name, begin, touched.width_bytes)) return;
  }
}

void take_time(Runtime& runtime, const LibraryWork& work) {
  const Span span = spend_on_sms(runtime, work.ns, work.sm_share);
  const LaunchedKernel launched{work.name, work.grid, work.block, 0, 0};
  if (runtime.recording) runtime.recording->kernel(launched, span, runtime.working);
  runtime.activities.kernel(launched, span.end_ns - span.begin_ns, runtime.working);
  LaunchWatch& watch = runtime.launch_watch;
  if (!watch.reports || !watch.choice->take(work.name, true)) return;
  report::KernelReport made;
  made.kernel = work.name;
  made.grid = work.grid;
  made.block = work.block;
  made.device = runtime.device;
  made.why_not_counted = "a stand-in for the library computed it on the CPU";
  made.time.ns = made.time.recorded_ns = work.ns;
  made.time.low_ns = work.low_ns;
  made.time.high_ns = work.high_ns;
  made.time.limited_by = work.limited_by;
  simt::LaunchShape shape;
  shape.grid = work.grid;
  shape.block = work.block;
  watch.log->launch(work.name, shape, made);
}

Error run_work(Runtime& runtime, const LibraryWork& work) {
  runtime.flush_printed();
  runtime.launch_watch.library_call(work.name);
  if (runtime.launch_watch.sample) {
    simt::LaunchShape shape;
    shape.grid = work.grid;
    shape.block = work.block;
    AlikeLaunches& alike = runtime.launch_watch.like(work.name, shape);
    const bool runs = alike.next_runs();
    ++alike.launches;
    if (!runs) {
      ++runtime.launch_watch.missing;
      take_time(runtime, work);
      return cudaSuccess;
    }
    alike.add(work.ns);
  }
  const std::vector<TouchedMemory> all = work.touches();
  for (const TouchedMemory& touched : all) {
    if (const std::string why = outside(runtime, touched); !why.empty()) {
      report_outside(runtime, work, touched, why);
      lose(runtime, cudaErrorIllegalAddress, work, why);
      return cudaSuccess;
    }
    if (!touched.written && runtime.checks(simt::kCheckInit)) check_read(runtime, work, touched);
  }
  if (const Status ran = work.run(); !ran.ok()) {
    lose(runtime, cudaErrorNotSupported, work, ran.message());
    return cudaSuccess;
  }
  for (const TouchedMemory& touched : all) {
    for (uint64_t row = 0; touched.written && row < touched.rows; ++row)
      mark_written(runtime, static_cast<const char*>(touched.first) + row * touched.pitch_bytes, nullptr,
                   touched.width_bytes);
  }
  for (const TouchedMemory& touched : all) {
    for (uint64_t row = 0; row < touched.rows; ++row)
      runtime.pass_l2(static_cast<const char*>(touched.first) + row * touched.pitch_bytes, touched.width_bytes);
  }
  take_time(runtime, work);
  return cudaSuccess;
}

}  // namespace
}  // namespace warplens::cuda_api

using namespace warplens;
using namespace warplens::cuda_api;

CUDA_API int __cudaWarplensLibraryWork(void* stream, const LibraryWork& work) {
  return call(
      [&](Runtime& runtime) {
        return submit(runtime, stream, NodeKind::kKernel, [work](Runtime& then) { return run_work(then, work); });
      },
      "cudaLaunchKernel");
}

CUDA_API bool __cudaWarplensHolds(const TouchedMemory& touched) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  return outside(runtime, touched).empty();
}

CUDA_API const gpu::Device* __cudaWarplensDevice() { return Runtime::get().device; }

CUDA_API void __cudaWarplensTell(const std::string& text) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  (void)runtime.tell(cudaSuccess, text);
}
