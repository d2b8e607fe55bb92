#include "warplens/trace/profile/integrity.h"

#include <algorithm>
#include <utility>

namespace warplens {

void Integrity::add(std::string_view id, Severity severity, int64_t count, std::string detail, std::string advice) {
  for (IntegrityIssue& issue : issues_) {
    if (issue.id == id) {
      issue.count += count;
      issue.severity = std::max(issue.severity, severity);
      return;
    }
  }
  issues_.push_back({std::string(id), severity, count, std::move(detail), std::move(advice)});
}

const IntegrityIssue* Integrity::find(std::string_view id) const {
  for (const IntegrityIssue& issue : issues_) {
    if (issue.id == id) return &issue;
  }
  return nullptr;
}

}  // namespace warplens
