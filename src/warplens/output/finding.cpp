#include "warplens/output/finding.h"

#include <algorithm>

namespace warplens {

std::string_view level_name(Level level) {
  return level == Level::kCritical ? "critical" : level == Level::kWarn ? "warn" : "info";
}

Style style_of(Level level, Style least) {
  return level == Level::kCritical ? Style::kRed : level == Level::kWarn ? Style::kYellow : least;
}

double saved_together(const std::vector<Finding>& findings, size_t n) {
  double saved = 0;
  for (size_t k = 0; k < std::min(n, findings.size()); ++k) {
    if (!findings[k].beside_fraction) return 0;
    saved += *findings[k].beside_fraction;
  }
  return saved;
}

void write_evidence(json::Writer& w, const Finding& finding) {
  w.key("evidence").begin_object();
  for (const auto& [name, cell] : finding.evidence) write_cell(w.key(name), cell);
  w.end_object();
}

}  // namespace warplens
