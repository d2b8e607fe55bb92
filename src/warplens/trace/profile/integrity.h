// The missing and damaged data of a trace: each kind counted, with a severity and a line of advice.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warplens {

/// kInfo: worth knowing. kWarning: some numbers are too low or missing. kError: conclusions that rest on it are
/// withheld.
enum class Severity : uint8_t { kInfo, kWarning, kError };

struct IntegrityIssue {
  std::string id;  // stable, for scripts: "kernels-without-launch"
  Severity severity = Severity::kInfo;
  int64_t count = 0;
  std::string detail;  // this case in words: damage and place (byte offset, rank)
  std::string advice;  // the remedy
};

class Integrity {
 public:
  /// Adds `count` to the issue `id`; the first detail and advice given stay.
  void add(std::string_view id, Severity severity, int64_t count, std::string detail, std::string advice);
  const IntegrityIssue* find(std::string_view id) const;
  const std::vector<IntegrityIssue>& issues() const { return issues_; }

 private:
  std::vector<IntegrityIssue> issues_;
};

}  // namespace warplens
