// Reports of launches, and of the defects that checks found in them.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/brief/brief.h"

namespace warplens::brief {

/// The advice of the finding that saves most; empty without findings.
std::string best_advice(const std::vector<const json::Value*>& findings);
/// Launches of a kernel's report: defects and wrong results. Without any, the limit of each launch, the longest first.
void add_launches(const json::Value& report, Brief& brief);
/// The defects of a checked program.
void add_defects(const json::Value& report, Brief& brief);

}  // namespace warplens::brief
