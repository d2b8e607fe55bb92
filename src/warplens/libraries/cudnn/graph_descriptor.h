// Descriptors of cuDNN's graphs (cudnnBackendDescriptor_t): attributes by number, kept as they were set.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "warplens/libraries/cudnn/graph.h"

namespace warplens::libraries {

/// As cudnnBackendDescriptorType_t numbers them; operations are in graph_rows.cpp.
enum class Part : int {
  kPointwise = 0,
  kConvolution = 1,
  kEngine = 2,
  kEngineConfig = 3,
  kHeuristics = 4,
  kPlan = 5,
  kKnobChoice = 7,
  kOperationGraph = 15,
  kVariantPack = 16,
  kTensor = 17,
};

/// As cudnnBackendAttributeName_t numbers them: those that more than one file reads. An operation's are in
/// graph_rows.h and graph_rows.cpp.
namespace attribute {
inline constexpr int kHeuristicsGraph = 201, kHeuristicsResults = 202;
inline constexpr int kConfigEngine = 300, kConfigKnobs = 302, kConfigWorkspace = 303, kConfigSharedMemory = 304;
inline constexpr int kPlanConfig = 401, kPlanWorkspace = 402;
inline constexpr int kGraphOperations = 801, kGraphEngines = 802;
inline constexpr int kPackIds = 1000, kPackPointers = 1001;
inline constexpr int kEngineGraph = 1300, kEngineIndex = 1301, kEngineKnobs = 1302, kEngineNumericalNotes = 1303,
                     kEngineBehaviorNotes = 1305;
}  // namespace attribute

struct Content;
using ContentRef = std::shared_ptr<const Content>;

/// The elements of one attribute; which of the three it has follows from the type it was set with.
struct Attribute {
  std::vector<int64_t> whole;  // integers, enumerators, truth values, pointers
  std::vector<double> real;
  std::vector<ContentRef> parts;
};

/// A descriptor that refers to others shares what they held when it was set: programs destroy them before they run the
/// plan.
struct Content {
  int type = 0;
  bool is_final = false;
  std::map<int, Attribute> attributes;
  std::shared_ptr<const Graph> graph;  // of a finalised operation graph

  const Attribute* find(int name) const;
  int64_t whole(int name, int64_t otherwise = 0) const;
  double real(int name, double otherwise = 0) const;
  /// nullptr where it was not set.
  const Content* part(int name) const;
};

/// A program holds a pointer to it.
struct BackendDescriptor {
  std::shared_ptr<Content> content;
};

/// Adds the attributes that a program reads. Returns a cudnnStatus_t.
int finalize(Content* content);

}  // namespace warplens::libraries
