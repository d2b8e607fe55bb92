// Findings as code review shows them, beside a source line: GitHub's workflow commands or SARIF.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/explain/explanation.h"

namespace warplens::explain {

enum class Level : uint8_t { kNote, kWarning, kError };

/// Of "info", "warn" or "critical", as findings name their severity.
Level level_of(std::string_view severity);

struct Location {
  std::string file;   // as the compiler or the profiler saw it; empty when unknown
  uint32_t line = 0;  // from 1; 0 when unknown
};

struct Annotation {
  std::string id;
  Scope scope = Scope::kProgram;
  Level level = Level::kNote;
  std::string message;              // whole sentences; lines are kept
  std::vector<Location> locations;  // the most costly first
};

/// The locations among texts such as "aten::mm in Net_0 at train.py(42): forward" and "probe.cu:47".
std::vector<Location> locations_in(const std::vector<std::string>& places);

/// One `::error file=...,line=...,title=...::message` a finding. A finding without a file is shown on the run.
std::string to_github(const std::vector<Annotation>& annotations);

/// SARIF 2.1.0, with the explanations as rules. Results without a place refer to `input`, because viewers require one.
std::string to_sarif(const std::vector<Annotation>& annotations, const std::string& input, std::string_view version);

}  // namespace warplens::explain
