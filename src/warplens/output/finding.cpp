#include "warplens/output/finding.h"

namespace warplens {

std::string_view level_name(Level level) {
  return level == Level::kCritical ? "critical" : level == Level::kWarn ? "warn" : "info";
}

Style style_of(Level level, Style least) {
  return level == Level::kCritical ? Style::kRed : level == Level::kWarn ? Style::kYellow : least;
}

void write_evidence(json::Writer& w, const Finding& finding) {
  w.key("evidence").begin_object();
  for (const auto& [name, cell] : finding.evidence) write_cell(w.key(name), cell);
  w.end_object();
}

}  // namespace warplens
