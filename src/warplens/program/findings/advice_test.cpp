#include "warplens/program/findings/advice.h"

#include <gtest/gtest.h>

#include "warplens/base/text.h"

namespace warplens::findings {
namespace {

Finding with_advice(std::string id, std::string advice) {
  Finding f;
  f.id = std::move(id);
  f.advice = std::move(advice);
  return f;
}

TEST(Advice, OutsidePyTorchNothingNamesIt) {
  std::vector<Finding> all = {
      with_advice("pageable-copy", "Pin it (DataLoader(pin_memory=True)), non_blocking=True."),
      with_advice("launch-bound", "torch.compile(mode=\"reduce-overhead\")"),
      with_advice("exposed-communication", "Start them earlier: DDP's bucket_cap_mb, async_op=True."),
      with_advice("layout-conversion", "Use channels_last: model.to(...).")};
  fit_advice(ProgramKind::kElsewhere, all);
  for (const char* word : {"DDP", "async_op", "channels_last"}) {
    for (const Finding& finding : all) EXPECT_FALSE(contains(finding.advice, word)) << finding.advice;
  }
  EXPECT_TRUE(contains(all[0].advice, "cudaMallocHost")) << all[0].advice;
  EXPECT_TRUE(contains(all[1].advice, "cudaGraphLaunch")) << all[1].advice;
  for (const Finding& finding : all) EXPECT_FALSE(contains(finding.advice, "torch")) << finding.advice;
}

TEST(Advice, CompiledProgramsAreNotToldToCompile) {
  std::vector<Finding> all = {with_advice("fusable-chain", "Fuse them: torch.compile does it for whole modules.")};
  fit_advice(ProgramKind::kCompiled, all);
  EXPECT_FALSE(contains(all[0].advice, "torch.compile")) << all[0].advice;
}

TEST(Advice, PyTorchProgramsKeepTheirs) {
  const std::string advice = "Fuse them: torch.compile does it for whole modules.";
  std::vector<Finding> all = {with_advice("fusable-chain", advice)};
  fit_advice(ProgramKind::kTorch, all);
  EXPECT_EQ(all[0].advice, advice);
}

TEST(Advice, KindFollowsTheOperators) {
  Profile profile;
  EXPECT_EQ(kind_of(profile), ProgramKind::kElsewhere);
}

}  // namespace
}  // namespace warplens::findings
