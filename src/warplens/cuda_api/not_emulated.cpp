// Every other call that a program may be linked against: refused by name, never skipped.
#include "warplens/base/text.h"
#include "warplens/cuda_api/runtime.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

int refuse(const char* name) {
  return call(
      [&](Runtime& runtime) {
        return runtime.tell(cudaErrorNotSupported,
                            fmt::format("{} is not emulated; the program gets cudaErrorNotSupported", name));
      },
      name);
}

}  // namespace

#define CALL(name) \
  CUDA_API int name() { return refuse(#name); }
#include "warplens/cuda_api/not_emulated.def"
#undef CALL
