// The joint saving of several findings.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "warplens/program/findings/context.h"
#include "warplens/program/findings/finding.h"

namespace warplens::findings {

/// The changed program of each finding's saving, by the finding's id.
using Changes = std::map<std::string, Change>;

/// Both changes at once. An event that both shorten gets the shorter length.
Change with_both(Change first, const Change& second);

/// Some findings forbid to capture a step as a graph, such as waits for the device. A graph then saves what is left
/// after those, and their ids are returned. `changes` and `findings` are of one rank.
std::vector<std::string> save_after_what_forbids_capture(const Context& context, const Changes& changes,
                                                         std::vector<Finding>& findings);

/// For each of the first three findings with known changes, sets its further saving after those before it. The program
/// runs again with all of them changed.
void add_up(const Context& context, const Changes& changes, std::vector<Finding>& findings);

}  // namespace warplens::findings
