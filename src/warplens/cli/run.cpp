#include "warplens/cli/run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>

#include "warplens/base/files.h"
#include "warplens/base/output_name.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/base/units.h"
#include "warplens/build/compile/refused.h"
#include "warplens/cli/brief_flag.h"
#include "warplens/cli/remedy.h"
#include "warplens/cli/verb.h"
#include "warplens/cli/within.h"
#include "warplens/output/messages.h"
#include "warplens/output/source_excerpt.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

const Verb* find_verb(const std::string& name) {
  for (const Verb* verb : all_verbs()) {
    if (verb->name == name) return verb;
  }
  return nullptr;
}

int exit_code_of(ErrorCode code) {
  return code == ErrorCode::kUsage ? kExitUsage : code == compile::kRefused ? kExitCompile : kExitFailed;
}

int fail(const std::string& prefix, const Status& status) {
  constexpr size_t kMost = 4096;  // a message may quote a file's own words, of any length
  tell("{}: {}\n", prefix, ellipsis(status.message(), kMost));
  return exit_code_of(status.code());
}

/// The help that arguments ask for with --help, or with --help all; none where they do not.
std::optional<std::string> asked_help(const Verb& verb, const std::vector<std::string>& arguments) {
  const auto own_end = std::find(arguments.begin(), arguments.end(), "--");
  for (auto it = arguments.begin(); it != own_end; ++it) {
    if (*it == "--help-all" || *it == "--help=all") return full_help(verb);
    if (*it == "--help" || *it == "-h") return it + 1 != own_end && it[1] == "all" ? full_help(verb) : help(verb);
  }
  return std::nullopt;
}

/// Runs a verb. What the standard library throws, mostly for want of memory, is an error as any other.
Result<int> run_guarded(const Verb& verb, const Invocation& invocation) {
  try {
    return verb.run(invocation);
  } catch (const std::bad_alloc&) {
    return io_error("out of memory; give it smaller inputs, or run it on a machine with more memory");
  } catch (const std::exception& error) {
    return internal_error(fmt::format("unexpected: {}; please report it with the command", error.what()));
  }
}

/// Help and the like: text for standard output.
int show(const std::string& prefix, const std::string& text, int code) {
  const Status written = write_file("-", text, false);
  return written.ok() ? code : fail(prefix, written);
}

/// A verb whose arguments are another program's: none of them is ours, but a --help that stands alone.
int hand_on(const Verb& verb, const std::vector<std::string>& arguments) {
  const std::string prefix = "warplens " + verb.name;
  if (arguments.empty()) return show(prefix, help(verb), kExitUsage);
  const bool is_ours = arguments.size() == 1 || (arguments.size() == 2 && arguments[1] == "all");
  if (const auto text = asked_help(verb, arguments); text && is_ours) return show(prefix, *text, kExitOk);
  Invocation invocation;
  invocation.command = arguments;
  const Result<int> code = run_guarded(verb, invocation);
  return code.ok() ? *code : fail(prefix, code.status());
}

/// " (from warplens.toml)" for an error about a flag's value that is not the command line's.
std::string origin_of(const Invocation& invocation, std::string_view message) {
  const auto found = invocation.origins.find(message.substr(0, message.find_first_of(" :")));
  return found == invocation.origins.end() ? "" : fmt::format(" (from {})", found->second);
}

/// The working folder, the files and folders that the command line names, and what lies beside these files: what the
/// user meant to show.
std::vector<std::string> places_of(const std::vector<std::string>& operands) {
  std::vector<std::string> out = {""};
  std::error_code ignored;
  for (const std::string& operand : operands) {
    if (!std::filesystem::exists(operand, ignored)) continue;
    out.push_back(operand);
    if (!std::filesystem::is_directory(operand, ignored))
      out.push_back(std::filesystem::path(operand).parent_path().string());
  }
  return out;
}

/// Names the file of -o on a terminal, where a verb that writes a file prints nothing else. `record` names its own.
void say_written(const Verb& verb, const Invocation& invocation) {
  if (!invocation.has("--output") || invocation.has("--brief") || verb.name == "record" || ::isatty(2) == 0) return;
  const std::string name = expand_output_name(invocation.text("--output"));
  std::error_code error;
  const auto bytes = std::filesystem::file_size(name, error);
  if (!error) tell("warplens {}: wrote {} ({})\n", verb.name, name, format_bytes(static_cast<double>(bytes)));
  else if (std::filesystem::is_directory(name, error)) tell("warplens {}: wrote {}\n", verb.name, name);
}

/// Runs a verb that was understood; tells what went wrong.
int run_parsed(const Verb& verb, const Invocation& invocation) {
  const std::string prefix = "warplens " + verb.name;
  if (!invocation.config_note.empty()) tell("{}: {}\n", prefix, invocation.config_note);
  set_color(invocation.text("--color"));
  if (invocation.has("--full-names") || (invocation.has("--output") && invocation.text("--output") != "-"))
    show_whole_names();
  if (invocation.command.empty()) show_sources_only_in(places_of(invocation.operands));
  const Result<int> code = run_guarded(verb, invocation);
  if (const std::string file = source_not_shown(); !file.empty())
    tell(
        "{}: lines of {} are not shown, because it is outside the current folder or in a hidden one. Run this in its "
        "folder\n",
        prefix, file);
  if (invocation.has("--timing")) tell("{}", timing_report());
  if (code.ok()) {
    if (*code != kExitFailed) say_written(verb, invocation);
    return *code;
  }
  const Status& error = code.status();
  return fail(prefix, Status(error.code(), error.message() + remedy(verb, invocation, error) +
                                               origin_of(invocation, error.message())));
}

int run_verb(const Verb& verb, const std::vector<std::string>& arguments) {
  if (verb.hands_on) return hand_on(verb, arguments);
  const std::string prefix = "warplens " + verb.name;
  if (const auto text = asked_help(verb, arguments)) return show(prefix, *text, kExitOk);
  if (asks_for_brief(verb, arguments)) keep_messages();
  const Result<Invocation> invocation = parse(verb, arguments);
  if (!invocation.ok()) {
    const int code = fail(prefix, usage_error(invocation.status().message() + fmt::format(" (see {} --help)", prefix)));
    return asks_for_brief(verb, arguments) ? brief_of_failure(verb, code) : code;
  }
  const auto run = [&](const Invocation& each) { return run_parsed(verb, each); };
  return invocation->has("--brief") ? run_brief(verb, *invocation, run) : run(*invocation);
}

/// What other programs call a verb, and what to type here.
constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
    {"profile", "warplens record -- PROGRAM to make a profile, warplens FILE to read one"},
    {"trace", "warplens record -- PROGRAM to make a trace, warplens FILE to read one"},
    {"run", "warplens emulate -- PROGRAM"},
    {"stats", "warplens summary PROFILE"},
    {"report", "warplens summary PROFILE"},
    {"analyze", "warplens findings PROFILE"},
    {"compare", "warplens diff BASE NEW"},
    {"check", "warplens kernel FILE --emulate --check, or warplens emulate --check -- PROGRAM"},
    {"count", "warplens counters -- PROGRAM"},
    {"metrics", "warplens counters -- PROGRAM"},
    {"view", "warplens export PROFILE -o FILE.json.gz, for ui.perfetto.dev"},
    {"open", "warplens export PROFILE -o FILE.json.gz, for ui.perfetto.dev"},
    {"sql", "warplens query PROFILE 'select ...'"},
};

std::string instead_of(const std::string& word) {
  for (const auto& [theirs, ours] : kElsewhere) {
    if (word == theirs) return fmt::format("; try: {}", ours);
  }
  std::vector<std::string> names;
  for (const Verb* verb : all_verbs()) names.push_back(verb->name);
  const std::string near = nearest(word, names);
  return near.empty() ? " (see warplens --help)" : fmt::format("; did you mean '{}'?", near);
}

bool is_kernel_source(const std::string& path) {
  return path.ends_with(".cu") || path.ends_with(".ptx") || path.ends_with(".cubin");
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  if (const Status inside = stay_within(); !inside.ok()) return fail("warplens", inside);
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h")
    return show("warplens", general_help(), arguments.empty() ? kExitUsage : kExitOk);
  if (arguments[0] == "--version") return show("warplens", fmt::format("warplens {}\n", WARPLENS_VERSION), kExitOk);
  if (const Verb* verb = find_verb(arguments[0])) return run_verb(*verb, {arguments.begin() + 1, arguments.end()});
  if (is_kernel_source(arguments[0])) {
    tell("warplens: {0} holds kernels, not a trace; try warplens kernel {0} --emulate, or warplens inspect {0}\n",
         arguments[0]);
    return kExitUsage;
  }
  // Anything else is taken for files: `warplens FILE...` is `warplens summary FILE...`.
  std::error_code ignored;
  const bool is_file =
      arguments[0].find_first_of("./-") != std::string::npos || std::filesystem::exists(arguments[0], ignored);
  if (is_file) return run_verb(*find_verb("summary"), arguments);
  tell("warplens: '{}' is neither a verb nor a file{}\n", arguments[0], instead_of(arguments[0]));
  return kExitUsage;
}

}  // namespace warplens::cli
