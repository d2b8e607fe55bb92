// Helpers for tests of rules.
#pragma once
#include <string_view>

#include "warplens/program/findings/engine.h"

namespace warplens::findings {

inline constexpr int64_t kMicrosecond = 1000;

inline const Finding* find_finding(const Report& report, std::string_view id) {
  for (const Finding& finding : report.findings) {
    if (finding.id == id) return &finding;
  }
  return nullptr;
}

}  // namespace warplens::findings
