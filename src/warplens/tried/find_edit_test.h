// Finds an edit by a part of its text, for tests.
#pragma once
#include <algorithm>

#include "warplens/tried/edits.h"

namespace warplens::tried {

inline const Edit* find(const std::vector<Edit>& edits, std::string_view what) {
  const auto found = std::ranges::find_if(edits, [&](const Edit& e) { return e.what.find(what) != std::string::npos; });
  return found == edits.end() ? nullptr : &*found;
}

}  // namespace warplens::tried
