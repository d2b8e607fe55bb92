// Every other call that a program may be linked against: refused by name, with why and what to do; never skipped.
#include "warplens/base/text.h"
#include "warplens/cuda_api/runtime.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr const char
    *kGraphics =
        "there is no display and no graphics API here. Run the program without them (often a flag, or a file as "
        "output), or copy through the host",
    *kOtherProcess =
        "memory and events stay in their process: pass data through the host, or use threads of one process instead, "
        "with `--devices N`",
    *kOtherApi = "memory and semaphores of other APIs cannot be imported: use cudaMalloc, and wait for events",
    *kMipmaps =
        "textures of all levels are not emulated: make one of each level (cudaGetMipmappedArrayLevel), and "
        "choose among them in the kernel",
    *kSparse = "arrays have all of their memory from the start: use cudaMallocArray",
    *kUnnamed = "NVIDIA does not document it: link the caller with -cudart shared",
    *kNothingToTell = "it would report nothing here: leave it out",
    *kEachDevice = "CUDA 13 no longer has it: launch cudaLaunchCooperativeKernel on each device",
    *kReferences = "CUDA 12 no longer has texture references: use texture objects",
    *kOldLaunch = "it is from before CUDA 4: use cuLaunchKernel",
    *kWholeGpu = "the emulated GPU is not divided: use streams, or a GPU with fewer SMs (`--device`)",
    *kMulticast = "memory is on one GPU: copy it between peers",
    *kCheckpoint = "a process cannot be saved: run the program from its start",
    *kWaitsForMemory = "work is done when it is requested, so nothing can wait for it: use events",
    *kHostDecompresses = "decompress on the host, or in a kernel",
    *kNothingLikeIt = "the emulator has no replacement: on cudaErrorNotSupported, do as on a GPU without this feature";

int refuse(const char* name, const char* why) {
  return call(
      [&](Runtime& runtime) {
        return runtime.tell(cudaErrorNotSupported,
                            fmt::format("{} is not emulated. The program gets cudaErrorNotSupported: {}", name, why));
      },
      name);
}

}  // namespace

#define CALL(name, why) \
  CUDA_API int name() { return refuse(#name, why); }
#include "warplens/cuda_api/calls/not_emulated.def"
#include "warplens/cuda_api/driver/not_emulated.def"
#undef CALL
