// A page of whatever file is given.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/page/page.h"

namespace warplens::cli {

/// Of the operands of `report` or `open`: profiles, a comparison of two, counters, a launch file, benchmark results.
Result<page::Page> make_page(const Invocation& invocation);

/// Flags that say what of the operands is shown, behind a verb's own.
std::vector<Flag> page_flags(std::vector<Flag> own);

/// Which of them say something for which operands. `own`: flags of the verb; `of_profiles`: those of profiles alone.
std::vector<Use> page_uses(const std::string& own, const std::string& of_profiles = "");

}  // namespace warplens::cli
