// cuLink: images put together to one cubin while the program runs, and what the linker says of them.
#include <cstring>
#include <set>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/assemble.h"
#include "warplens/cuda_api/driver/driver.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

constexpr auto kFileNotFound = static_cast<Error>(301), kInvalidPtx = static_cast<Error>(218);

enum JitOption : int { kInfoLog = 3, kInfoBytes = 4, kErrorLog = 5, kErrorBytes = 6, kVerbose = 12 };

/// A text that the program wants to have: where, how much room there is, and where it reads its length.
struct Log {
  char* text = nullptr;
  size_t room_bytes = 0;
  void** length = nullptr;

  void write(std::string_view what) const {
    const size_t bytes = text != nullptr && room_bytes > 0 ? std::min(what.size(), room_bytes - 1) : 0;
    if (text != nullptr && room_bytes > 0) {
      std::memcpy(text, what.data(), bytes);
      text[bytes] = '\0';
    }
    if (length != nullptr) *length = reinterpret_cast<void*>(bytes);
  }
};

struct Link {
  std::vector<compile::LinkInput> inputs;
  Log info, errors;
  bool verbose = false;
  std::string cubin;
};

std::set<Link*>& links() {
  static auto* all = new std::set<Link*>;
  return *all;
}

void read_options(Link* link, unsigned count, const int* options, void** values) {
  for (unsigned i = 0; options != nullptr && values != nullptr && i < count; ++i) {
    switch (options[i]) {
      case kInfoLog: link->info.text = static_cast<char*>(values[i]); break;
      case kErrorLog: link->errors.text = static_cast<char*>(values[i]); break;
      case kInfoBytes:
        link->info.room_bytes = reinterpret_cast<size_t>(values[i]);
        link->info.length = &values[i];
        break;
      case kErrorBytes:
        link->errors.room_bytes = reinterpret_cast<size_t>(values[i]);
        link->errors.length = &values[i];
        break;
      case kVerbose: link->verbose = values[i] != nullptr; break;
      default: break;
    }
  }
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
      link->info.write("");
      link->errors.write(made.status().message());
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
    read_options(*out, count, options, values);
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
    link->errors.write(linked.ok() ? "" : linked.status().message());
    link->info.write(linked.ok() && link->verbose ? linked->log : "");
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
