// The remedy for a file that was given by mistake, appended to its error.
#pragma once
#include <string>

#include "warplens/cli/verb.h"

namespace warplens::cli {

/// "; did you mean 'trace.json'?" of a file that is not there, "; ..." of one that another verb reads; "" when the
/// files are not at fault.
std::string remedy(const Verb& verb, const Invocation& invocation, const Status& error);

}  // namespace warplens::cli
