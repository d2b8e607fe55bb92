#include "warplens/cuda_api/library_work.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cuda_api/checked_launch.h"
#include "warplens/cuda_api/clock.h"
#include "warplens/cuda_api/sample/sample.h"
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

/// Of the bytes that the work reads, the share that is in L2. All that it touches is there then.
double pass_l2(Runtime& runtime, const std::vector<TouchedMemory>& all) {
  using simt::sass_machine::TouchedRun;
  if (!runtime.timed) return 0;
  double read = 0, warm = 0;
  for (const TouchedMemory& t : all) {
    const bool joined = t.width_bytes == t.pitch_bytes;
    const uint64_t rows = joined ? std::min<uint64_t>(t.rows, 1) : t.rows,
                   bytes = joined ? span_bytes(t) : t.width_bytes;
    const auto sectors = static_cast<uint16_t>(std::min<uint64_t>((bytes + 31) / 32, TouchedRun::kPieceSectors));
    for (uint64_t row = 0; row < rows && bytes > 0; ++row) {
      const uint64_t begin = reinterpret_cast<uintptr_t>(t.first) + row * t.pitch_bytes;
      const uint64_t first = begin / TouchedRun::kPieceBytes, end = (begin + bytes - 1) / TouchedRun::kPieceBytes + 1;
      const uint16_t reads = t.written ? uint16_t{0} : sectors;
      warm += static_cast<double>(runtime.l2().pass(std::array{TouchedRun{first, end - first, reads, sectors}}));
      read += static_cast<double>((end - first) * reads);
    }
  }
  return read > 0 ? std::min(1.0, warm / read) : 0;
}

/// With the operands where they are.
double expected_ns(const LibraryWork& work, double warm_share) {
  return work.warm_ns > 0 ? work.ns + (work.warm_ns - work.ns) * warm_share : work.ns;
}

void take_time(Runtime& runtime, const LibraryWork& work, double ns) {
  const Span span = spend_on_sms(runtime, ns, work.sm_share);
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
  made.time.ns = work.ns;
  made.time.recorded_ns = ns;
  made.time.low_ns = work.low_ns;
  made.time.high_ns = work.high_ns;
  made.time.limited_by = work.limited_by;
  simt::LaunchShape shape;
  shape.grid = work.grid;
  shape.block = work.block;
  watch.log->launch(work.name, shape, made);
}

std::vector<WrittenRun> written(const std::vector<TouchedMemory>& all) {
  std::vector<WrittenRun> out;
  for (const TouchedMemory& t : all) {
    for (uint64_t row = 0; t.written && row < t.rows; ++row) {
      const uint64_t begin = reinterpret_cast<uintptr_t>(t.first) + row * t.pitch_bytes;
      if (!out.empty() && out.back().begin + out.back().size_bytes == begin) out.back().size_bytes += t.width_bytes;
      else out.push_back({begin, t.width_bytes});
    }
  }
  return out;
}

/// As if a kernel with this memory as its parameters did the work.
simt::Launch launch_of(const LibraryWork& work, const std::vector<TouchedMemory>& all) {
  simt::Launch out;
  out.grid = work.grid;
  out.block = work.block;
  for (const TouchedMemory& t : all) {
    const uint64_t words[] = {reinterpret_cast<uintptr_t>(t.first), t.width_bytes, t.pitch_bytes, t.rows};
    const auto* const bytes = reinterpret_cast<const uint8_t*>(words);
    out.parameters.insert(out.parameters.end(), bytes, bytes + sizeof words);
  }
  return out;
}

/// `ns`: the time that it takes.
Error compute(Runtime& runtime, const LibraryWork& work, const std::vector<TouchedMemory>& all, double* ns) {
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
  *ns = expected_ns(work, pass_l2(runtime, all));
  take_time(runtime, work, *ns);
  return cudaSuccess;
}

Error run_work(Runtime& runtime, const LibraryWork& work) {
  runtime.flush_printed();
  runtime.launch_watch.library_call(work.name);
  double ns = work.ns;
  if (!runtime.launch_watch.sample) return compute(runtime, work, work.touches(), &ns);
  Sample& sample = Sample::of(runtime.memory);
  const simt::Launch launch = launch_of(work, work.touches());
  LaunchWatch& watch = runtime.launch_watch;
  AlikeLaunches& alike =
      runtime.recording != nullptr ? watch.sampled(work.name, launch) : watch.like(work.name, launch);
  if (!alike.next_runs()) {
    ++alike.launches;
    if (!sample.leave_out(&alike, launch.parameters)) ++watch.missing;
    take_time(runtime, work, alike.recorded_ns);
    return cudaSuccess;
  }
  sample.pending().settle_all();
  const std::vector<TouchedMemory> now = work.touches();  // its pointers may have been among what settled
  const Error error = compute(runtime, work, now, &ns);
  alike.add(work.ns);
  alike.recorded_ns = ns;
  ++alike.launches;
  if (runtime.sticky == cudaSuccess) sample.keep(&alike, launch_of(work, now).parameters, written(now));
  return error;
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
