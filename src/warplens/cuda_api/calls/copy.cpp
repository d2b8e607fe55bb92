// The calls that copy and fill memory, and those that reach a program's device variables.
#include "warplens/cuda_api/copies.h"
#include "warplens/cuda_api/submit.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

int copy_call(void* target, const void* source, size_t size_bytes, int kind, void* stream,
              const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        return submit(runtime, stream, NodeKind::kCopy,
                      [=](Runtime& then) { return copy(then, target, source, size_bytes, kind); });
      },
      name);
}

int copy_rows_call(const Rows& target, const Rows& source, size_t width_bytes, size_t rows, int kind, void* stream,
                   const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        return submit(runtime, stream, NodeKind::kCopy,
                      [=](Runtime& then) { return copy_rows(then, target, source, width_bytes, rows, kind); });
      },
      name);
}

int fill_call(const Rows& target, int value, size_t width_bytes, size_t rows, void* stream,
              const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        return submit(runtime, stream, NodeKind::kFill,
                      [=](Runtime& then) { return fill_rows(then, target, value, width_bytes, rows); });
      },
      name);
}

/// Calls `use` with the variable behind a symbol of the host and its module.
template <typename F>
Error with_symbol(Runtime& runtime, const void* symbol, F use) {
  const auto found = runtime.variables.find(symbol);
  if (found == runtime.variables.end() || found->second.module == nullptr) return cudaErrorInvalidSymbol;
  const Result<Variable> variable = found->second.module->variable(found->second.name);
  if (!variable.ok()) return runtime.tell(cudaErrorInvalidSymbol, variable.status().message());
  return use(*variable, *found->second.module);
}

bool fits(const Variable& variable, size_t offset, size_t size_bytes) {
  return offset <= variable.size_bytes && size_bytes <= variable.size_bytes - offset;
}

}  // namespace

CUDA_API int cudaMemcpy(void* target, const void* source, size_t size_bytes, int kind) {
  return copy_call(target, source, size_bytes, kind, nullptr);
}
CUDA_API int cudaMemcpyAsync(void* target, const void* source, size_t size_bytes, int kind, void* stream) {
  return copy_call(target, source, size_bytes, kind, stream);
}
CUDA_API int cudaMemcpyPeerAsync(void* target, int to, const void* source, int from, size_t size_bytes, void* stream) {
  const Runtime& runtime = Runtime::get();
  if (!runtime.has_device(to) || !runtime.has_device(from)) return refused(cudaErrorInvalidDevice);
  return copy_call(target, source, size_bytes, kDeviceToDevice, stream);
}
CUDA_API int cudaMemcpyPeer(void* target, int to, const void* source, int from, size_t size_bytes) {
  return cudaMemcpyPeerAsync(target, to, source, from, size_bytes, nullptr);
}

CUDA_API int cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch,
                               size_t width_bytes, size_t rows, int kind, void* stream) {
  return copy_rows_call({target, target_pitch}, {const_cast<void*>(source), source_pitch}, width_bytes, rows, kind,
                        stream);
}
CUDA_API int cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch,
                          size_t width_bytes, size_t rows, int kind) {
  return cudaMemcpy2DAsync(target, target_pitch, source, source_pitch, width_bytes, rows, kind, nullptr);
}

CUDA_API int cudaMemcpy3DAsync(const Copy3D* parameters, void* stream) {
  return call([&](Runtime& runtime) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    return submit(runtime, stream, NodeKind::kCopy,
                  [all = *parameters](Runtime& then) { return copy_volume(then, all); });
  });
}
CUDA_API int cudaMemcpy3D(const Copy3D* parameters) { return cudaMemcpy3DAsync(parameters, nullptr); }

struct PeerCopy3D {
  void* source_array;
  Position source_position;
  PitchedPointer source;
  int source_device;
  void* target_array;
  Position target_position;
  PitchedPointer target;
  int target_device;
  Extent extent;
};
static_assert(sizeof(PeerCopy3D) == 168);
CUDA_API int cudaMemcpy3DPeerAsync(const PeerCopy3D* p, void* stream) {
  if (p == nullptr) return cudaErrorInvalidValue;
  const Copy3D all{p->source_array,    p->source_position, p->source, p->target_array,
                   p->target_position, p->target,          p->extent, kDefault};
  return cudaMemcpy3DAsync(&all, stream);
}
CUDA_API int cudaMemcpy3DPeer(const PeerCopy3D* p) { return cudaMemcpy3DPeerAsync(p, nullptr); }

/// What it says of each copy only makes it faster.
CUDA_API int cudaMemcpyBatchAsync(void* const* targets, const void* const* sources, const size_t* sizes, size_t count,
                                  const void* attributes, const size_t* first_of, size_t attribute_count,
                                  void* stream) {
  if (targets == nullptr || sources == nullptr || sizes == nullptr || count == 0 || attributes == nullptr ||
      first_of == nullptr || attribute_count == 0 || first_of[0] != 0)
    return cudaErrorInvalidValue;
  int error = cudaSuccess;
  for (size_t i = 0; i < count && error == cudaSuccess; ++i)
    error = copy_call(targets[i], sources[i], sizes[i], kDefault, stream);
  return error;
}

CUDA_API int cudaMemsetAsync(void* target, int value, size_t size_bytes, void* stream) {
  return fill_call({target, size_bytes}, value, size_bytes, 1, stream);
}
CUDA_API int cudaMemset(void* target, int value, size_t size_bytes) {
  return cudaMemsetAsync(target, value, size_bytes, nullptr);
}
CUDA_API int cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width_bytes, size_t rows, void* stream) {
  return fill_call({target, pitch}, value, width_bytes, rows, stream);
}
CUDA_API int cudaMemset2D(void* target, size_t pitch, int value, size_t width_bytes, size_t rows) {
  return cudaMemset2DAsync(target, pitch, value, width_bytes, rows, nullptr);
}
CUDA_API int cudaMemset3DAsync(PitchedPointer target, int value, Extent extent, void* stream) {
  return call([&](Runtime& runtime) {
    return submit(runtime, stream, NodeKind::kFill, [=](Runtime& then) {
      Error error = cudaSuccess;
      if (extent.width == 0 || extent.height == 0) return error;
      for (size_t plane = 0; plane < extent.depth && error == cudaSuccess; ++plane) {
        char* first = static_cast<char*>(target.pointer) + plane * target.pitch * target.y_rows;
        error = fill_rows(then, {first, target.pitch}, value, extent.width, extent.height);
      }
      return error;
    });
  });
}
CUDA_API int cudaMemset3D(PitchedPointer target, int value, Extent extent) {
  return cudaMemset3DAsync(target, value, extent, nullptr);
}

CUDA_API int cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t size_bytes, size_t offset, int kind,
                                     void* stream) {
  return call([&](Runtime& runtime) {
    return submit(runtime, stream, NodeKind::kCopy, [=](Runtime& then) {
      return with_symbol(then, symbol, [&](const Variable& variable, Module& module) {
        if (!fits(variable, offset, size_bytes)) return cudaErrorInvalidValue;
        if (kind == kDeviceToHost || kind == kHostToHost) return cudaErrorInvalidMemcpyDirection;
        if (variable.constant) module.constants_changed();
        return copy(then, reinterpret_cast<void*>(variable.address + offset), source, size_bytes, kind);
      });
    });
  });
}
CUDA_API int cudaMemcpyToSymbol(const void* symbol, const void* source, size_t size_bytes, size_t offset, int kind) {
  return cudaMemcpyToSymbolAsync(symbol, source, size_bytes, offset, kind, nullptr);
}

CUDA_API int cudaMemcpyFromSymbolAsync(void* target, const void* symbol, size_t size_bytes, size_t offset, int kind,
                                       void* stream) {
  return call([&](Runtime& runtime) {
    return submit(runtime, stream, NodeKind::kCopy, [=](Runtime& then) {
      return with_symbol(then, symbol, [&](const Variable& variable, Module&) {
        if (!fits(variable, offset, size_bytes)) return cudaErrorInvalidValue;
        if (kind == kHostToDevice || kind == kHostToHost) return cudaErrorInvalidMemcpyDirection;
        return copy(then, target, reinterpret_cast<const void*>(variable.address + offset), size_bytes, kind);
      });
    });
  });
}
CUDA_API int cudaMemcpyFromSymbol(void* target, const void* symbol, size_t size_bytes, size_t offset, int kind) {
  return cudaMemcpyFromSymbolAsync(target, symbol, size_bytes, offset, kind, nullptr);
}

CUDA_API int cudaGetSymbolAddress(void** out, const void* symbol) {
  return call([&](Runtime& runtime) {
    if (out == nullptr) return cudaErrorInvalidValue;
    return with_symbol(runtime, symbol, [&](const Variable& variable, Module& module) {
      if (variable.constant) module.constants_exposed();
      *out = reinterpret_cast<void*>(variable.address);
      return cudaSuccess;
    });
  });
}

CUDA_API int cudaGetSymbolSize(size_t* out, const void* symbol) {
  return call([&](Runtime& runtime) {
    if (out == nullptr) return cudaErrorInvalidValue;
    return with_symbol(runtime, symbol, [&](const Variable& variable, Module&) {
      *out = variable.size_bytes;
      return cudaSuccess;
    });
  });
}
