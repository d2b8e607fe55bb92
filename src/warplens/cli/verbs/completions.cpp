// warplens completions: shell completion made from the flag tables.
#include <fmt/format.h>

#include "warplens/base/text.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

/// `text` inside single quotes of a shell.
std::string shell_quoted(const std::string& text) { return "'" + replace_all(text, "'", "'\\''") + "'"; }

std::string bash_verb(const Verb& verb) {
  std::string names, values;
  for (const Flag& flag : flags_of(verb)) {
    for (const std::string_view name : split(flag.names, ',')) {
      names += fmt::format("{}{}", names.empty() ? "" : " ", name);
      if (!flag.choices.empty())
        values +=
            fmt::format("      {}) words={} ;;\n", name, shell_quoted(fmt::format("{}", fmt::join(flag.choices, " "))));
    }
  }
  return fmt::format("    {})\n      words={}\n      case \"$previous\" in\n{}      esac ;;\n", verb.name,
                     shell_quoted(names), values);
}

std::string bash() {
  std::string verbs, cases;
  for (const Verb* verb : all_verbs()) {
    verbs += fmt::format("{}{}", verbs.empty() ? "" : " ", verb->name);
    cases += bash_verb(*verb);
  }
  return fmt::format(R"(# bash completion for warplens: source <(warplens completions bash)
_warplens() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{}' -- "$current") $(compgen -f -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  if [[ "$current" == -* || "$words" != -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _warplens warplens
)",
                     verbs, cases);
}

/// Help as zsh's specs take it: no brackets, colons or quotes of their own.
std::string zsh_text(std::string text) {
  for (const char* special : {"[", "]", ":"}) text = replace_all(text, special, std::string("\\") + special);
  return text;
}

std::string zsh_verb(const Verb& verb) {
  std::string specs;
  for (const Flag& flag : flags_of(verb)) {
    for (const std::string_view name : split(flag.names, ',')) {
      std::string spec = fmt::format("{}[{}]", name, zsh_text(flag.help));
      if (!flag.value.empty()) {
        spec += fmt::format(":{}:{}", flag.value,
                            flag.choices.empty() ? "_files" : fmt::format("({})", fmt::join(flag.choices, " ")));
      }
      specs += fmt::format(" \\\n        {}", shell_quoted(spec));
    }
  }
  return fmt::format("    {})\n      _arguments{} \\\n        '*:file:_files' ;;\n", verb.name, specs);
}

std::string zsh() {
  std::string verbs, cases;
  for (const Verb* verb : all_verbs()) {
    verbs += fmt::format("    {}\n", shell_quoted(fmt::format("{}:{}", verb->name, zsh_text(verb->summary))));
    cases += zsh_verb(*verb);
  }
  return fmt::format(R"(#compdef warplens
# zsh completion for warplens: warplens completions zsh > "${{fpath[1]}}/_warplens"
_warplens() {{
  local -a verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
    _files
    return
  fi
  local verb="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$verb" in
{}  esac
}}
if [ "$funcstack[1]" = _warplens ]; then _warplens "$@"; else compdef _warplens warplens; fi
)",
                     verbs, cases);
}

std::string fish_flag(const Verb& verb, const Flag& flag) {
  std::string out = fmt::format("complete -c warplens -n '__fish_seen_subcommand_from {}'", verb.name);
  for (const std::string_view name : split(flag.names, ',')) {
    out += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
  }
  if (!flag.value.empty()) out += " -r";
  if (!flag.choices.empty())
    out += fmt::format(" -x -a {}", shell_quoted(fmt::format("{}", fmt::join(flag.choices, " "))));
  return out + fmt::format(" -d {}\n", shell_quoted(flag.help));
}

std::string fish() {
  std::string out =
      "# fish completion for warplens: warplens completions fish > ~/.config/fish/completions/warplens.fish\n";
  for (const Verb* verb : all_verbs()) {
    out += fmt::format("complete -c warplens -n __fish_use_subcommand -a {} -d {}\n", verb->name,
                       shell_quoted(verb->summary));
  }
  for (const Verb* verb : all_verbs()) {
    for (const Flag& flag : flags_of(*verb)) out += fish_flag(*verb, flag);
  }
  return out;
}

Result<int> run_completions(const Invocation& invocation) {
  const std::string shell = invocation.operands.empty() ? "" : invocation.operands[0];
  if (shell != "bash" && shell != "zsh" && shell != "fish") return usage_error("give a shell: bash, zsh or fish");
  WL_TRY(invocation.emit(shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish()));
  return kExitOk;
}

}  // namespace

extern const Verb kCompletions;
const Verb kCompletions = {"completions",
                           "shell completion for bash, zsh or fish",
                           "SHELL",
                           "Prints a script for the shell, made from the same tables as --help.",
                           {},
                           {{"source <(warplens completions bash)", "in ~/.bashrc"},
                            {"warplens completions fish > ~/.config/fish/completions/warplens.fish", "for fish"}},
                           run_completions,
                           {},
                           Prints::kText};

}  // namespace warplens::cli
