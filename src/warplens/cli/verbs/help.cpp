// warplens help: a verb's help, or everything that the program says of itself, for manuals.
#include <algorithm>

#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/cli/verb.h"
#include "warplens/explain/explanation.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

struct Variable {
  const char *name, *help;
};

constexpr Variable kVariables[] = {
#define WL_ENVIRONMENT(name, help) {name, help},
#include "warplens/cli/environment.def"
#undef WL_ENVIRONMENT
};

void write_flag(json::Writer& w, const Flag& flag) {
  w.begin_object()
      .list("names", split(flag.names, ','))
      .member("value", flag.value)
      .member("help", flag.help)
      .member("default", flag.initial);
  w.member("group", flag.group)
      .member("repeats", flag.repeats)
      .member("environment", environment_name(flag))
      .list("choices", flag.choices)
      .end_object();
}

void write_verb(json::Writer& w, const Verb& verb) {
  w.begin_object().member("name", verb.name).member("summary", verb.summary).member("operands", verb.operands);
  w.member("details", verb.details).key("flags").begin_array();
  for (const Flag& flag : verb.flags) write_flag(w, flag);
  w.end_array().key("common_flags").begin_array();
  for (const Flag& flag : common_flags(verb)) write_flag(w, flag);
  w.end_array().key("examples").begin_array();
  for (const auto& [command, what] : verb.examples)
    w.begin_object().member("command", command).member("what", what).end_object();
  w.end_array().end_object();
}

std::string to_json(const std::vector<const Verb*>& verbs) {
  json::Writer w(true);
  w.begin_object()
      .member("schema_version", kSchemaVersion)
      .member("version", WARPLENS_VERSION)
      .key("verbs")
      .begin_array();
  for (const Verb* verb : verbs) write_verb(w, *verb);
  w.end_array().key("environment").begin_array();
  for (const Variable& variable : kVariables)
    w.begin_object().member("name", variable.name).member("help", variable.help).end_object();
  w.end_array().key("exit_codes").begin_array();
#define WL_EXIT(name, code, meaning) w.begin_object().member("code", code).member("meaning", meaning).end_object();
#include "warplens/cli/exit_codes.def"
#undef WL_EXIT
  w.end_array().end_object();
  return w.take() + "\n";
}

std::string to_text(const std::vector<const Verb*>& verbs) {
  std::vector<std::string> texts;
  for (const Verb* verb : verbs) texts.push_back(full_help(*verb));
  return join(texts, "\n\n");
}

std::string environment_text() {
  std::string out = "\n\nenvironment variables (each long flag has its own: WARPLENS_SORT_BY for --sort-by):\n";
  for (const Variable& variable : kVariables) out += fmt::format("  {:<26}{}\n", variable.name, variable.help);
  return out;
}

Result<const Verb*> find_verb(const std::string& name) {
  std::vector<std::string> names;
  for (const Verb* verb : all_verbs()) {
    if (verb->name == name) return verb;
    names.push_back(verb->name);
  }
  const std::string near = nearest(name, names);
  return usage_error(
      fmt::format("no verb '{}'{}", name, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

Result<int> run_help(const Invocation& invocation) {
  if (invocation.format() == Format::kCsv || invocation.format() == Format::kMarkdown)
    return usage_error("help is text: give no --format, or --format json for the tables of verbs and flags");
  std::vector<const Verb*> chosen;
  for (const std::string& name : invocation.operands) {
    if (explain::find_explanation(name, explain::Scope::kKernel) != nullptr) {
      WL_ASSIGN(const std::string text,
                explain::explain(name, explain::Scope::kKernel, invocation.format(), terminal_width()));
      WL_TRY(invocation.emit_for_people(text));
      return kExitOk;
    }
    WL_ASSIGN(const Verb* verb, find_verb(name));
    chosen.push_back(verb);
  }
  const bool all = invocation.has("--all") || (chosen.empty() && invocation.format() == Format::kJson);
  if (all) chosen = all_verbs();
  std::string text = chosen.empty() ? general_help() : to_text(chosen);
  if (invocation.format() == Format::kJson) text = to_json(chosen);
  else if (all) text += environment_text();
  WL_TRY(invocation.emit_for_people(text));
  return kExitOk;
}

}  // namespace

extern const Verb kHelp;
const Verb kHelp = {
    "help",
    "explain a verb and all of its flags",
    "[VERB...]",
    "Explains verbs with every flag. Without a verb, it lists the verbs. --format json prints the tables of all "
    "verbs and flags.",
    {{"--all", "", "the help of every verb, and the environment variables"}},
    {{"warplens help kernel", "the same as warplens kernel --help all"},
     {"warplens help --all", "everything on one page"}},
    run_help,
    {{"a verb", [](const Invocation& i) { return !i.operands.empty(); }, ""}}};

}  // namespace warplens::cli
