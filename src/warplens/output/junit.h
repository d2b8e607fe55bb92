// The results of a gate as JUnit XML, the form in which CI services show tests.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warplens {

enum class Outcome : uint8_t { kPassed, kFailed, kNotJudged };

struct GateCase {
  std::string name;  // unique within the gate: a finding's id, a kernel, a benchmark
  Outcome outcome = Outcome::kPassed;
  std::string message;  // one line: why it failed or could not be judged
  std::string detail;   // any number of lines; shown with a case that passed too
};

/// One test suite. Text is escaped; characters that XML 1.0 does not allow are made visible.
std::string to_junit(std::string_view suite, const std::vector<GateCase>& cases);

}  // namespace warplens
