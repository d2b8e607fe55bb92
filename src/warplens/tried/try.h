// A kernel with each of several changes: compiled, run, compared.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/launch/run.h"
#include "warplens/output/finding.h"
#include "warplens/tried/edits.h"

namespace warplens::tried {

enum class Results : uint8_t { kSame, kClose, kDiffer, kNone };  // kSame: to the last bit; kClose: within rtol and atol

struct Attempt {
  Edit edit;
  Results results = Results::kNone;
  double ns = 0;       // of all launches
  double saved = 0;    // of the time without the change; negative where it takes longer
  std::string note;    // why there are no results
  std::string patch;   // of the source; empty where the launch or the options change
  bool helps = false;  // it saves more than the noise, and results are the same or close
};

/// A finding of the original kernel, and the best change for it.
struct Answer {
  std::string finding;
  std::optional<double> promised;  // of the time, by the model: a bound
  const Attempt* best = nullptr;   // in Tried::attempts; nullptr: no change that is tried answers it
};

struct Tried {
  std::string kernel, where;            // where: "modelled on H200", or the GPU's name
  double ns = 0;                        // as it is
  double noise = 0.01;                  // of the time: less is not a gain
  std::vector<Attempt> attempts;        // the largest saving first; changes without results last
  std::optional<Attempt> together;      // several that help, at once; nothing if no two save more than the best
  std::vector<Finding> findings;        // of the original kernel; empty if it was not counted
  std::vector<Answer> answers() const;  // to the findings; they point into `attempts`
};

/// Tries every change that fits the only kernel of `description`. Errors: not CUDA C++; several kernels; the original
/// does not run.
Result<Tried> try_changes(const launch::Description& description, const launch::RunOptions& options);

std::string to_text(const Tried& tried);
void write(json::Writer& writer, const Tried& tried);

}  // namespace warplens::tried
