#include "warplens/program/analysis/links.h"

#include <gmock/gmock.h>

#include "warplens/program/analysis/id_index.h"
#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

using testing::ElementsAre;

TEST(Forest, NestsByContainmentAndRefusesPartialOverlap) {
  TestProfile t;
  const uint32_t outer = t.op("main", "outer", 0, 100);
  const uint32_t late = t.op("main", "partly inside outer", 90, 20);
  const uint32_t inner = t.op("main", "inner", 10, 30);
  const uint32_t leaf = t.op("main", "leaf", 10, 5);
  const uint32_t other = t.op("worker", "other thread", 12, 2);
  const Forest forest = operator_forest(t.profile);
  EXPECT_THAT(forest.order, ElementsAre(outer, inner, leaf, late, other));
  EXPECT_THAT(forest.parent, ElementsAre(kNone, kNone, outer, inner, kNone));
  EXPECT_THAT(forest.depth, ElementsAre(0, 0, 1, 2, 0));
  EXPECT_EQ(forest.subtree_end[outer], forest.position[leaf] + 1);
  const auto& ops = t.profile.operators;
  const auto at = [&](int64_t ns) {
    return innermost_at(forest, ops.start_ns.values(), ops.duration_ns.values(), 0, ns);
  };
  EXPECT_EQ(at(12), leaf);
  EXPECT_EQ(at(15), inner);
  EXPECT_EQ(at(50), outer);
  EXPECT_EQ(at(200), kNone);
}

TEST(IdIndex, FindsDenseAndSparseIds) {
  const std::vector<int64_t> dense = {5, 0, 7, 6}, sparse = {1, INT64_MAX, 0, int64_t{1} << 40};
  const auto rank0 = [](size_t) { return 0u; };
  const IdIndex a(dense, 1, rank0), b(sparse, 1, rank0);
  EXPECT_EQ(a.find(0, 6), 3u);
  EXPECT_EQ(a.find(0, 0), kNone);
  EXPECT_EQ(a.find(0, 8), kNone);
  EXPECT_EQ(b.find(0, INT64_MAX), 1u);
  EXPECT_EQ(b.find(0, int64_t{1} << 40), 3u);
  EXPECT_EQ(b.find(0, 2), kNone);
}

TEST(Links, ExternalIdsThatAreCorrelationsNameNoOperators) {
  TestProfile t;
  for (int i = 0; i < 10; ++i) {
    const uint32_t op = t.op("main", "aten::mm", i * 100, 50);
    const int64_t correlation = 10 - i;  // also the number of another operator
    t.call("main", "cudaLaunchKernel", i * 100 + 10, 5, correlation, correlation);
    t.kernel("k", i * 100 + 60, 20, correlation, correlation);
    EXPECT_EQ(op, i);
  }
  const Links links = link_events(t.profile, operator_forest(t.profile));
  for (uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(links.call_operator[i], i);
    EXPECT_EQ(links.event_operator[i], i);
  }
  EXPECT_EQ(link_device_operators(t.profile)[3], 3u);
}

TEST(Links, FollowExternalIdsThenTheCallingThread) {
  TestProfile t;
  const uint32_t by_id = t.op("main", "aten::mm", 0, 10), by_time = t.op("main", "range", 50, 50);
  const uint32_t first = t.call("main", "cudaLaunchKernel", 60, 5, 1, by_id + 1),
                 second = t.call("main", "cudaLaunchKernel", 70, 5, 2);
  t.kernel("named by id", 100, 5, 1, by_id + 1);
  t.kernel("named by its call", 110, 5, 2);
  t.kernel("nobody's", 120, 5, 99);
  const Links links = link_events(t.profile, operator_forest(t.profile));
  EXPECT_THAT(links.call_operator, ElementsAre(by_id, by_time));
  EXPECT_THAT(links.event_call, ElementsAre(first, second, kNone));
  EXPECT_THAT(links.event_operator, ElementsAre(by_id, by_time, kNone));
}

TEST(BackwardLinks, ChargeTheInnermostForwardOperatorOfTheRightThread) {
  TestProfile t;
  t.op("wrong", "aten::linear", 0, 50, {.sequence = 9});
  const uint32_t linear = t.op("main", "aten::linear", 0, 50, {.sequence = 9});
  const uint32_t addmm = t.op("main", "aten::addmm", 10, 20, {.sequence = 9});
  const uint32_t evaluate = t.op("engine", "autograd::engine::evaluate_function: AddmmBackward0", 100, 50,
                                 {.sequence = 9, .forward_thread = 4});
  const uint32_t function = t.op("engine", "AddmmBackward0", 105, 40, {.sequence = 9, .forward_thread = 4});
  const uint32_t mm = t.op("engine", "aten::mm", 110, 10);
  const uint32_t accumulate =
      t.op("engine", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 160, 9);
  const uint32_t add = t.op("engine", "aten::add_", 161, 5);
  t.flow("main", 10, 1, false);
  t.flow("engine", 105, 1, true);
  const BackwardLinks links = link_backward(t.profile, operator_forest(t.profile));
  EXPECT_EQ(links.forward[function], addmm);
  EXPECT_EQ(links.forward[mm], kNone);
  for (const uint32_t row : {evaluate, function, mm}) EXPECT_EQ(links.cause[row], addmm);
  EXPECT_EQ(links.cause[linear], linear);
  EXPECT_EQ(links.cause[add], add);
  EXPECT_FALSE(links.is_backward[linear]);
  for (const uint32_t row : {evaluate, function, mm, accumulate, add}) EXPECT_TRUE(links.is_backward[row]);
}

}  // namespace
}  // namespace warplens::analysis
