// cuLink: images put together to one cubin while the program runs, and what the linker says of them.
#include <set>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/assemble.h"
#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/driver/jit_logs.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr auto kFileNotFound = static_cast<Error>(301), kInvalidPtx = static_cast<Error>(218);

struct Link {
  std::vector<compile::LinkInput> inputs;
  JitLogs logs;
  std::string cubin;
};

std::set<Link*>& links() {
  static auto* all = new std::set<Link*>;
  return *all;
}

std::string architecture(const Runtime& runtime) { return runtime.device->architecture().name(); }

/// PTX is assembled at once, so that what is wrong with it is told with the call that brought it.
Error add(const Runtime& runtime, Link* link, int kind, std::string image, const char* name) {
  using Kind = compile::LinkInput::Kind;
  constexpr int kPtx = 1;
  constexpr Kind kKinds[] = {Kind::kCubin, Kind::kPtx, Kind::kFatbin, Kind::kObject, Kind::kLibrary};
  if (kind < 0 || kind >= static_cast<int>(std::size(kKinds))) return cudaErrorInvalidValue;
  if (kind == kPtx && !contains(image, ".version")) return cudaErrorInvalidKernelImage;
  if (kind == kPtx) {
    image.resize(image.find('\0') == std::string::npos ? image.size() : image.find('\0'));
    const Result<compile::Assembled> made = compile::assemble(image, architecture(runtime), {"-c"});
    if (!made.ok()) {
      link->logs.info.write("");
      link->logs.errors.write(made.status().message());
      return kInvalidPtx;
    }
  }
  link->inputs.push_back({kKinds[kind], std::move(image), name != nullptr ? name : "image"});
  return cudaSuccess;
}

}  // namespace

CUDA_API int cuLinkCreate_v2(unsigned count, int* options, void** values, Link** out) {
  return in_context([&](Runtime&) {
    if (out == nullptr) return cudaErrorInvalidValue;
    *out = new Link;
    links().insert(*out);
    (*out)->logs = logs_of(count, options, values);
    return cudaSuccess;
  });
}
CUDA_API int cuLinkAddData_v2(Link* link, int kind, void* data, size_t size_bytes, const char* name, unsigned, int*,
                              void**) {
  return in_context([&](Runtime& runtime) {
    if (data == nullptr) return cudaErrorInvalidValue;
    if (!links().contains(link)) return cudaErrorInvalidResourceHandle;
    return add(runtime, link, kind, std::string(static_cast<const char*>(data), size_bytes), name);
  });
}
CUDA_API int cuLinkAddFile_v2(Link* link, int kind, const char* path, unsigned, int*, void**) {
  return in_context([&](Runtime& runtime) {
    if (path == nullptr) return cudaErrorInvalidValue;
    if (!links().contains(link)) return cudaErrorInvalidResourceHandle;
    Result<std::string> bytes = read_file(path);
    return bytes.ok() ? add(runtime, link, kind, std::move(*bytes), path) : kFileNotFound;
  });
}
CUDA_API int cuLinkComplete(Link* link, void** image, size_t* size_bytes) {
  return in_context([&](Runtime& runtime) {
    if (image == nullptr) return cudaErrorInvalidValue;
    if (!links().contains(link)) return cudaErrorInvalidResourceHandle;
    *image = nullptr;
    if (link->inputs.empty()) return cudaSuccess;
    Result<compile::Assembled> linked = compile::link(link->inputs, architecture(runtime));
    link->logs.errors.write(linked.ok() ? "" : linked.status().message());
    link->logs.info.write(linked.ok() && link->logs.verbose ? linked->log : "");
    if (!linked.ok()) return runtime.tell(cudaErrorInvalidSource, "cuLinkComplete: " + linked.status().message());
    link->cubin = std::move(linked->cubin);
    *image = link->cubin.data();
    if (size_bytes != nullptr) *size_bytes = link->cubin.size();
    return cudaSuccess;
  });
}
CUDA_API int cuLinkDestroy(Link* link) {
  return in_context([&](Runtime&) {
    if (links().erase(link) == 0) return cudaErrorInvalidResourceHandle;
    delete link;
    return cudaSuccess;
  });
}
