#include "warplens/build/compile/torch_source.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "warplens/build/compile/host_code.h"

namespace warplens::compile {
namespace {

constexpr const char* kExtension = R"(#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <vector>
#define CHECK(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor")
namespace {
template <typename scalar_t>
__global__ void twice(const torch::PackedTensorAccessor32<scalar_t, 1> x, scalar_t* y, int n) {
  CUDA_KERNEL_LOOP(i, n) { y[i] = x[i] + x[i]; }
}
__device__ __forceinline__ float half_of(float v) { return v / 2; }
struct Pair { float a, b; float sum() const { return a + b; } };
}  // namespace
torch::Tensor twice_of(torch::Tensor x);
torch::Tensor twice_of(torch::Tensor x) {
  auto y = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "twice", [&] { twice<scalar_t><<<1, 32>>>(x, y, 32); });
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice_of, "{"); }
)";

TEST(TorchSource, KernelsStayAndTheHostGoes) {
  const std::string out = with_served_torch(kExtension);
  EXPECT_EQ(host_code_reason(out), "") << out;
  for (const char* kept : {"__global__ void twice", "half_of(float v) { return", "struct Pair { float a",
                           "#define CHECK", "PackedTensorAccessor32<scalar_t, 1> x"})
    EXPECT_NE(out.find(kept), std::string::npos) << kept;
  for (const char* gone : {"twice_of", "PYBIND11_MODULE", "<vector>", "torch/extension.h"})
    EXPECT_EQ(out.find(gone), std::string::npos) << gone;
  const std::string_view before = kExtension;
  EXPECT_EQ(std::ranges::count(out, '\n'), std::ranges::count(before, '\n')) << "lines keep their numbers";
}

TEST(TorchSource, MacrosThatLaunchGoWithTheirUses) {
  const std::string out = with_served_torch(R"(#include <torch/types.h>
__global__ void relu_kernel(const float* x, float* y, int n) { y[threadIdx.x] = x[threadIdx.x] > 0 ? x[threadIdx.x] : 0; }
#define BIND_RELU(tag)                             \
  void relu_##tag(torch::Tensor x, torch::Tensor y) { \
    relu_kernel<<<1, 32>>>(x, y, 32);              \
  }
BIND_RELU(f32)
BIND_RELU(f16);
__global__ void again(float* y) { y[0] = 1; }
)");
  EXPECT_EQ(host_code_reason(out), "") << out;
  EXPECT_EQ(out.find("BIND_RELU"), std::string::npos) << out;
  for (const char* kept : {"relu_kernel(const float* x", "__global__ void again(float* y)"})
    EXPECT_NE(out.find(kept), std::string::npos) << kept;
}

TEST(TorchSource, TorchsOwnHeadersStayButThoseOfPython) {
  const std::string out = with_own_torch(kExtension);
  for (const char* kept :
       {"#include <torch/types.h>", "#include <ATen/cuda/CUDAContext.h>", "#include <vector>", "__global__ void twice"})
    EXPECT_NE(out.find(kept), std::string::npos) << kept;
  for (const char* gone : {"torch/extension.h", "twice_of", "PYBIND11_MODULE"})
    EXPECT_EQ(out.find(gone), std::string::npos) << gone;
  const std::string_view before = kExtension;
  EXPECT_EQ(std::ranges::count(out, '\n'), std::ranges::count(before, '\n')) << "lines keep their numbers";
}

TEST(TorchSource, OnlyIncludesOfTorchCount) {
  EXPECT_EQ(torch_header(kExtension), "torch/extension.h");
  EXPECT_EQ(torch_header("// #include <torch/all.h>\n#include <vector>\nint main() { return 0; }\n"), "");
}

}  // namespace
}  // namespace warplens::compile
