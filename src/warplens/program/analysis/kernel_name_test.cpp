#include "warplens/program/analysis/kernel_name.h"

#include <gtest/gtest.h>

namespace warplens::analysis {
namespace {

TEST(ShortKernelName, KeepsWhatTheKernelComputes) {
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::AbsFunctor<float>, "
                              "std::array<char*, 2ul> >(int, "
                              "at::native::AbsFunctor<float>, std::array<char*, 2ul>)"),
            "vectorized_elementwise_kernel<AbsFunctor>");
  EXPECT_EQ(
      short_kernel_name(
          "void at::native::elementwise_kernel<128, 2, "
          "at::native::gpu_kernel_impl_nocast<at::native::BUnaryFunctor<float, float, "
          "float, at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&)::{lambda(int)#1}>(int)"),
      "elementwise_kernel<MulFunctor>");
  EXPECT_EQ(
      short_kernel_name("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
                        "namespace)::TensorListMetadata<1>, std::multiplies<float>, float>(int)"),
      "multi_tensor_apply_kernel");
  EXPECT_EQ(short_kernel_name("void "
                              "cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_align1>(cutlass_75_tensorop_bf16_"
                              "s1688gemm_align1::Params)"),
            "cutlass_75_tensorop_bf16_s1688gemm_align1");
}

TEST(ShortKernelName, LeavesPlainNamesAlone) {
  EXPECT_EQ(short_kernel_name("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNN"),
            "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNN");
  EXPECT_EQ(short_kernel_name("Memcpy HtoD (Pageable -> Device)"), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(short_kernel_name("triton_per_fused__softmax_0"), "triton_per_fused__softmax_0");
  EXPECT_EQ(short_kernel_name("square_1d(float const*, float*, int)"), "square_1d(float const*, float*, int)");
  EXPECT_EQ(short_kernel_name(""), "");
}

TEST(CutToWidth, CutsInTheMiddleByColumns) {
  EXPECT_EQ(cut_to_width("abcdef", 4), "ab…f");
  EXPECT_EQ(cut_to_width("äöüß", 4), "äöüß");
  EXPECT_EQ(cut_to_width("äöüßxy", 4), "äö…y");
  EXPECT_EQ(cut_to_width("abc", 0), "abc");
}

}  // namespace
}  // namespace warplens::analysis
