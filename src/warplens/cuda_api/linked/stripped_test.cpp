#include "warplens/cuda_api/linked/stripped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::cuda_api {
namespace {

using testing::HasSubstr, testing::Not, testing::StartsWith;

TEST(AboutStripped, NamesTheFileAndHowToLinkIt) {
  const std::string told = about_stripped("/opt/app/libsolver.so");
  EXPECT_THAT(told, StartsWith("/opt/app/libsolver.so has its own copy"));
  EXPECT_THAT(told, HasSubstr("-cudart shared"));
}

TEST(AboutStripped, NamesAKnownPackageAndWhatRunsInstead) {
  const std::string told = about_stripped("/venv/site-packages/nvidia/cudnn/lib/libcudnn_graph.so.9");
  EXPECT_THAT(told, StartsWith("cuDNN (/venv/"));
  EXPECT_THAT(told, HasSubstr("torch.backends.cudnn.enabled"));
  EXPECT_THAT(told, Not(HasSubstr("strip")));
}

TEST(AboutStripped, UsersOfAWheelAreNotToldToLink) {
  const std::string told = about_stripped("/venv/lib/python3.12/site-packages/faster/_C.so");
  EXPECT_THAT(told, HasSubstr("its version for the CPU"));
  EXPECT_THAT(told, Not(HasSubstr("link")));
}

}  // namespace
}  // namespace warplens::cuda_api
