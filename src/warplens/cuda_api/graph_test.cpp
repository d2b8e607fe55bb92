#include "warplens/cuda_api/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::cuda_api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Graph, NodesStandBehindWhatTheyWaitFor) {
  Graph graph;
  Node* a = graph.add(NodeKind::kEmpty, {}, {});
  Node* b = graph.add(NodeKind::kEmpty, {}, {});
  Node* c = graph.add(NodeKind::kEmpty, {}, {a});
  a->before = {b};
  EXPECT_THAT(in_order(graph), ElementsAre(b, a, c));
}

TEST(Graph, AsAddedWhereNothingWaits) {
  Graph graph;
  Node* a = graph.add(NodeKind::kEmpty, {}, {});
  Node* b = graph.add(NodeKind::kEmpty, {}, {a});
  Node* c = graph.add(NodeKind::kEmpty, {}, {a});
  EXPECT_THAT(in_order(graph), ElementsAre(a, b, c));
}

TEST(Graph, ACircleHasNoOrder) {
  Graph graph;
  Node* a = graph.add(NodeKind::kEmpty, {}, {});
  Node* b = graph.add(NodeKind::kEmpty, {}, {a});
  a->before = {b};
  EXPECT_THAT(in_order(graph), IsEmpty());
}

}  // namespace
}  // namespace warplens::cuda_api
