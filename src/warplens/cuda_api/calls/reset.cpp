// cudaDeviceReset: what a program made on its GPU ends.
#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/ipc/ipc.h"
#include "warplens/cuda_api/leaks.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

void end_allocations(Runtime& runtime, int device) {
  std::erase_if(runtime.allocations, [&](const auto& known) {
    if (known.second.is_variable() || known.second.is_mapped || known.second.device != device) return false;
    end_export(known.first);
    (void)runtime.memory.free(known.first);
    runtime.graph_memory.erase(known.first);
    return true;
  });
}

/// What belongs to no device here, since a handle says nothing of it: streams, events, arrays, textures and surfaces.
void end_handles(Runtime& runtime) {
  for (const auto& [number, description] : runtime.texture_descriptions) (void)runtime.textures.remove(number);
  runtime.texture_descriptions.clear();
  for (const auto& [handle, array] : runtime.arrays) (void)runtime.memory.free(array->image.at);
  runtime.arrays.clear();
  runtime.mipmaps.clear();
  runtime.working = runtime.stream(nullptr);
  for (const Stream* stream : runtime.streams) delete stream;
  runtime.streams.clear();
  for (const Event* event : runtime.events) delete event;
  runtime.events.clear();
}

}  // namespace

/// Of several GPUs only the memory of the current one ends: the others' streams and events may still be used.
CUDA_API int cudaDeviceReset() {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.flush_printed();
  report_leaks(runtime, current_device());
  end_allocations(runtime, current_device());
  if (runtime.devices == 1) end_handles(runtime);
  Context* const primary = primary_of(current_device());
  primary->of_runtime = false;
  if (primary->uses == 0) primary->flags = 0;
  calls_of_thread().runtime = false;
  runtime.sticky = cudaSuccess;
  last_error() = cudaSuccess;
  return runtime.problem.ok() ? cudaSuccess : cudaErrorNoDevice;
}
