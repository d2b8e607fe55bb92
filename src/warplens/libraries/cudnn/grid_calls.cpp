// cuDNN's spatial transformers.
#include <algorithm>

#include "warplens/libraries/cudnn/handle.h"
#include "warplens/libraries/math/grid.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

struct Transformer {
  int type = 0, dims = 0;
  int size[kMostDnnDims]{};  // images, channels, height, width of what is sampled

  AffineGrid grid(const void* maps, const void* places) const {
    return {number_of_dnn(type), size[0], size[2], size[3], const_cast<void*>(maps), const_cast<void*>(places)};
  }
  int64_t places() const { return int64_t{size[0]} * size[2] * size[3] * 2; }
};

template <typename Work>
Task task_of(const char* what, const Tensor& like, Work work) {
  return {.name = fmt::format("{} {} {}x{}x{}x{}", what, name(like.number), like.size[0], like.size[1], like.size[3],
                              like.size[4]),
          .time = streaming_time(2.0 * static_cast<double>(like.count()) * size_bytes(like.number), 0, *device()),
          .run = [work] {
            work();
            return Status();
          }};
}

int affine(const DnnHandle* h, const Transformer* t, const void* maps, const void* grid, bool forward) {
  if (t == nullptr || t->dims != 4 || size_bytes(number_of_dnn(t->type)) == 0) return kDnnBadParameter;
  constexpr int64_t kMap = 6;
  const AffineGrid g = t->grid(maps, grid);
  const int bytes = size_bytes(g.number);
  Tensor like{.data = g.grid, .number = g.number, .size = {g.images, 2, 1, g.height, g.width}};
  return queue_dnn(
      h,
      task_of(forward ? "affine grid" : "affine grid backward", like,
              [g, forward] { forward ? run(g) : run_gradient(g); }),
      {touched_bytes(maps, g.images * kMap * bytes, !forward), touched_bytes(grid, t->places() * bytes, forward)});
}

}  // namespace

CUDA_API int cudnnCreateSpatialTransformerDescriptor(Transformer** out) { return Dnn::make(out); }
CUDA_API int cudnnDestroySpatialTransformerDescriptor(Transformer* t) { return Dnn::destroy(t); }
CUDA_API int cudnnSetSpatialTransformerNdDescriptor(Transformer* t, int, int type, int dims, const int* size) {
  if (t == nullptr || size == nullptr || dims < 1 || dims > kMostDnnDims) return kDnnBadParameter;
  t->type = type;
  t->dims = dims;
  std::copy_n(size, dims, t->size);
  return kDnnSuccess;
}
CUDA_API int cudnnSpatialTfGridGeneratorForward(const DnnHandle* h, const Transformer* t, const void* maps,
                                                void* grid) {
  return affine(h, t, maps, grid, true);
}
CUDA_API int cudnnSpatialTfGridGeneratorBackward(const DnnHandle* h, const Transformer* t, const void* d_grid,
                                                 void* d_maps) {
  return affine(h, t, d_maps, d_grid, false);
}

CUDA_API int cudnnSpatialTfSamplerForward(const DnnHandle* h, const Transformer* t, const void* alpha,
                                          const TensorDescriptor* x, const void* x_data, const void* grid,
                                          const void* beta, const TensorDescriptor* y, void* y_data) {
  if (t == nullptr || x == nullptr || y == nullptr || !x->is_known() || x->dims != 4) return kDnnBadParameter;
  const GridSample s{x->tensor(x_data), y->tensor(y_data), grid, factor_of(alpha, x->number()),
                     factor_of(beta, x->number())};
  const int64_t places = s.y.size[0] * s.y.size[3] * s.y.size[4] * 2;
  return queue_dnn(
      h, task_of("grid sample", s.y, [s] { run(s); }),
      {touched(s.x, false), touched_bytes(grid, places * size_bytes(s.x.number), false), touched(s.y, true)});
}
CUDA_API int cudnnSpatialTfSamplerBackward(const DnnHandle* h, const Transformer* t, const void* alpha,
                                           const TensorDescriptor* x, const void* x_data, const void* beta,
                                           const TensorDescriptor* dx, void* dx_data, const void* grid_alpha,
                                           const TensorDescriptor* dy, const void* dy_data, const void* grid,
                                           const void* grid_beta, void* d_grid) {
  if (t == nullptr || x == nullptr || dx == nullptr || dy == nullptr) return kDnnBadParameter;
  if (!x->is_known() || x->dims != 4) return kDnnBadParameter;
  const Number number = x->number();
  const GridSampleGradient g{x->tensor(x_data),
                             dx->tensor(dx_data),
                             dy->tensor(dy_data),
                             grid,
                             d_grid,
                             factor_of(alpha, number),
                             factor_of(beta, number),
                             factor_of(grid_alpha, number),
                             factor_of(grid_beta, number)};
  const int64_t bytes = g.dy.size[0] * g.dy.size[3] * g.dy.size[4] * 2 * size_bytes(number);
  return queue_dnn(h, task_of("grid sample backward", g.dy, [g] { run(g); }),
                   {touched(g.x, false), touched(g.dy, false), touched_bytes(grid, bytes, false), touched(g.dx, true),
                    touched_bytes(d_grid, bytes, true)});
}
