// --fail-on: the cases that a verb judged, its exit code, and --junit FILE.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "warplens/cli/verb.h"
#include "warplens/output/finding.h"
#include "warplens/output/junit.h"

namespace warplens::cli {

/// Without --fail-on, it judges nothing: cases are ignored, and the exit code is 0.
class Gate {
 public:
  /// Named "warplens VERB" in --junit.
  Gate(const Invocation& invocation, std::string verb);
  void add(GateCase each);
  bool crossed() const;
  /// Writes --junit; kExitThreshold where a case failed. Error: the file cannot be written.
  Result<int> exit_code() const;
  /// Writes --junit and returns `why`: the error of the cases that were not judged, or of all that passed.
  Status cannot_judge(const Status& why) const;

 private:
  Status write(const std::vector<GateCase>& cases) const;

  const Invocation& invocation_;
  std::string name_;
  std::vector<GateCase> cases_;
};

/// The level of findings that --fail-on names; none if it names a percentage or was not given.
std::optional<warplens::Level> failing_level(const Invocation& invocation);

/// The flags of every verb with --fail-on; `common_flags` adds them.
Flag junit_flag();

}  // namespace warplens::cli
