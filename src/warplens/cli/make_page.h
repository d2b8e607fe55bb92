// A page of any supported file.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/page/page.h"

namespace warplens::cli {

/// The page of the operands of `report` or `open`: profiles, two of them, counters, launch files, benchmarks.
Result<page::Page> make_page(const Invocation& invocation);

/// Flags that choose the contents of the page, after the verb's own.
std::vector<Flag> page_flags(std::vector<Flag> own);

/// Flags with an effect on each kind of operand. `own`: flags of the verb; `of_profiles`: those of profiles alone.
std::vector<Use> page_uses(const std::string& own, const std::string& of_profiles = "");

}  // namespace warplens::cli
