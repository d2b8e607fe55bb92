#include "warplens/base/library_header.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(LibraryHeader, BelongsToTheToolkitOrTheSystem) {
  EXPECT_TRUE(is_library_header("/usr/local/cuda-13.0/targets/x86_64-linux/include/cuda_fp16.hpp"));
  EXPECT_TRUE(is_library_header("/usr/local/cuda/bin/../include/crt/device_functions.hpp"));
  EXPECT_TRUE(is_library_header("/home/me/.venv/lib/python3.11/site-packages/nvidia/cu13/include/cccl/cuda/std/cmath"));
  EXPECT_TRUE(is_library_header("/usr/include/c++/12/cmath"));
  EXPECT_TRUE(is_library_header("/opt/gcc/include/c++/13/bits/stl_algo.h"));
}

TEST(LibraryHeader, IsNotTheProgramsOwn) {
  EXPECT_FALSE(is_library_header("/home/me/project/kernel.cu"));
  EXPECT_FALSE(is_library_header("/home/me/project/include/tile.h"));
  EXPECT_FALSE(is_library_header("include/tile.h"));
  EXPECT_FALSE(is_library_header(""));
}

}  // namespace
}  // namespace warplens
