// Damaged rule files: refused with the line, or read to rules whose classes all exist.
#include "warplens/program/analysis/classify/rules.h"

#include <gtest/gtest.h>

#include <random>

namespace warplens::analysis {
namespace {

TEST(Rules, DamagedFilesAreRefusedWithTheLineOrHold) {
  const std::string original =
      "# mine\nkernel *my gemm* matrix\noperator aten::foo? other # a comment\nrange step#1 training\ntensor *hmma* "
      "yes\n";
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  int read = 0, refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = original;
    for (size_t n = 1 + below(3); n > 0 && !text.empty(); --n) {
      const size_t at = below(text.size());
      switch (below(3)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text.erase(at, 1 + below(12)); break;
        default: text.insert(at, text.substr(below(text.size()), 1 + below(12))); break;
      }
    }
    const auto rules = class_rules(text);
    if (!rules.ok()) {
      ++refused;
      EXPECT_NE(rules.status().message().find("line "), std::string::npos) << rules.status().message();
      continue;
    }
    ++read;
    for (const Rule& rule : rules->rules) {
      if (rule.field != RuleField::kTensor) {
        ASSERT_LT(rule.value, rules->names.size()) << text;
      }
    }
    (void)rules->find(RuleField::kKernel, text);
  }
  EXPECT_GT(read, 300);
  EXPECT_GT(refused, 300);
}

TEST(Rules, CommunicationIsWhatTheJobCallsSoUnlessTheUserSaysElse) {
  const std::string_view ring = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  const std::string_view fused = "triton_poi_fused_all_reduce_add_3";  // computes with what an all-reduce gave
  const auto shipped = class_rules(""), own = class_rules("kernel *devkernel* mine\nkernel @communication net\n");
  ASSERT_TRUE(shipped.ok() && own.ok());
  EXPECT_EQ(shipped->find(RuleField::kKernel, ring), kCommunication);
  EXPECT_NE(shipped->find(RuleField::kKernel, fused), kCommunication);
  EXPECT_EQ(own->names[own->find(RuleField::kKernel, ring)], "mine");
  EXPECT_EQ(own->names[own->find(RuleField::kKernel, "nvshmemi_proxy_quiet_entrypoint")], "net");
}

}  // namespace
}  // namespace warplens::analysis
