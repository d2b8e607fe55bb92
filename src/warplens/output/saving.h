// The saving of a finding's fix, in words.
#pragma once
#include <string>

#include "warplens/output/finding.h"

namespace warplens {

/// "saves about 1.2 ms (8.1 %), 4.0 % on top of the findings above"; "saving not known". A share lost to the findings
/// above is mentioned if it is at least `minor`.
std::string saving_text(const Finding& finding, double minor = 0.0005);

}  // namespace warplens
