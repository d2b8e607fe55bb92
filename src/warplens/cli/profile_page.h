// Profiles as pages for a browser.
#pragma once
#include <string>

#include "warplens/page/page.h"
#include "warplens/program/analysis/classify/rules.h"
#include "warplens/program/findings/counted/counted_kernels.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::cli {

/// `counted`: of the profile's kernels, for its findings; empty without counters.
page::Page page_of(const Profile& profile, const analysis::ClassRules& rules, const std::string& title,
                   findings::CountedKernels counted);

/// Two profiles of one program: the changes, and both timelines with steps that can be aligned. `counted`: of `fresh`.
page::Page page_of_change(const Profile& base, const Profile& fresh, const analysis::ClassRules& rules,
                          const std::string& title, findings::CountedKernels counted);

}  // namespace warplens::cli
