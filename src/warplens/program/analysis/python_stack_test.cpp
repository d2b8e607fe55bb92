#include "warplens/program/analysis/python_stack.h"

#include <gtest/gtest.h>

namespace warplens::analysis {
namespace {

TEST(PythonStack, TellsUserCodeFromTorchAndPython) {
  EXPECT_TRUE(is_user_frame("train.py(12): step"));
  EXPECT_TRUE(is_user_frame("/home/me/pytorch/run(2)/train.py(12): step"));
  EXPECT_TRUE(is_user_frame("transformers/models/gpt2/modeling_gpt2.py(144): forward"));
  EXPECT_FALSE(is_user_frame("torch/nn/functional.py(1419): dropout"));
  EXPECT_FALSE(is_user_frame("/usr/lib/python3/dist-packages/torch/nn/functional.py(1419): dropout"));
  EXPECT_FALSE(is_user_frame("contextlib.py(120): decorate"));
  EXPECT_FALSE(is_user_frame("<built-in method addmm of type object at 0x7f723413e180>"));
  EXPECT_FALSE(is_user_frame("<frozen os>(680): __getitem__"));
  EXPECT_FALSE(is_user_frame("nn.Module: Linear_3"));
  EXPECT_EQ(module_of_frame("nn.Module: Linear_3"), "Linear_3");
}

}  // namespace
}  // namespace warplens::analysis
