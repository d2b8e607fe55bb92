// What several findings save together.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "warplens/program/findings/context.h"
#include "warplens/program/findings/finding.h"

namespace warplens::findings {

/// The changed program behind each finding's saving, by the finding's id.
using Changes = std::map<std::string, Change>;

/// Both changes at once. An event that both shorten gets the shorter length.
Change with_both(Change first, const Change& second);

/// Sets what each of the first three findings whose changes are known adds to those before it: the program runs again
/// with all of them changed.
void add_up(const Context& context, const Changes& changes, std::vector<Finding>& findings);

}  // namespace warplens::findings
