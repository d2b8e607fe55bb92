// Profiles as pages for a browser.
#pragma once
#include <string>

#include "warplens/page/page.h"
#include "warplens/program/analysis/classify/rules.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::cli {

page::Page page_of(const Profile& profile, const analysis::ClassRules& rules, const std::string& title);

/// Two profiles of one program: what changed, and both timelines with steps that can be aligned.
page::Page page_of_change(const Profile& base, const Profile& fresh, const analysis::ClassRules& rules,
                          const std::string& title);

}  // namespace warplens::cli
