// The guide for agents (python/warplens/skill/SKILL.md), put into the program by cmake/agent_skill.cmake.
#pragma once
#include <string_view>

namespace warplens::cli {

extern const std::string_view kAgentSkill;

}  // namespace warplens::cli
