// The changes of a kernel that were tried, and what each of them saves.
#pragma once
#include "warplens/base/json.h"
#include "warplens/brief/brief.h"

namespace warplens::brief {

/// The changes that help, the best first, with the patch of the best; then the findings that nothing answered.
void add_tried(const json::Value& report, Brief& brief);

}  // namespace warplens::brief
