// warplens agent-guide: how an agent makes a kernel faster with warplens; the same text is a skill.
#include "warplens/base/files.h"
#include "warplens/cli/agent_skill.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

/// The skill without the name and description that its file begins with.
std::string_view guide() {
  constexpr std::string_view kEndOfHead = "\n---\n";
  return kAgentSkill.substr(kAgentSkill.find(kEndOfHead) + kEndOfHead.size());
}

Result<int> run_agent_guide(const Invocation& invocation) {
  WL_TRY(invocation.emit(invocation.has("--skill") ? kAgentSkill : guide()));
  return kExitOk;
}

}  // namespace

extern const Verb kAgentGuide;
const Verb kAgentGuide = {"agent-guide",
                          "how an agent makes a kernel faster with warplens, step by step",
                          "",
                          "Prints the guide as Markdown. With --skill, it prints SKILL.md, the file of a skill "
                          "folder in the open format. Agents load it by its description.",
                          {{"--skill", "", "the guide as SKILL.md, with a name and a description"}},
                          {{"warplens agent-guide", "for an agent, or a person"},
                           {"warplens agent-guide --skill -o skills/warplens/SKILL.md", "for agents that load skills"}},
                          run_agent_guide,
                          {},
                          Prints::kText};

}  // namespace warplens::cli
