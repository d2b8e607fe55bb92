#include "warplens/cli/run.h"

#include <algorithm>
#include <cstdio>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

const Verb* find_verb(const std::string& name) {
  for (const Verb* verb : all_verbs())
    if (verb->name == name) return verb;
  return nullptr;
}

int fail(const std::string& prefix, const Status& status) {
  fmt::print(stderr, "{}: {}\n", prefix, status.message());
  return status.code() == ErrorCode::kUsage ? kExitUsage : kExitFailed;
}

bool asks_help(const std::vector<std::string>& arguments) {
  const auto own_end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), own_end, [](const std::string& a) { return a == "--help" || a == "-h"; });
}

int run_verb(const Verb& verb, const std::vector<std::string>& arguments) {
  const std::string prefix = "warplens " + verb.name;
  if (asks_help(arguments)) {
    fmt::print("{}", help(verb));
    return kExitOk;
  }
  const Result<Invocation> invocation = parse(verb, arguments);
  if (!invocation.ok())
    return fail(prefix, usage_error(invocation.status().message() + fmt::format(" (see {} --help)", prefix)));
  set_color(invocation->text("--color"));
  const Result<int> code = verb.run(*invocation);
  if (invocation->has("--timing")) fmt::print(stderr, "{}", timing_report());
  return code.ok() ? *code : fail(prefix, code.status());
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    fmt::print("{}", general_help());
    return arguments.empty() ? kExitUsage : kExitOk;
  }
  if (arguments[0] == "--version") {
    fmt::print("warplens {}\n", WARPLENS_VERSION);
    return kExitOk;
  }
  if (const Verb* verb = find_verb(arguments[0])) return run_verb(*verb, {arguments.begin() + 1, arguments.end()});
  // Anything else is taken for files: `warplens FILE...` is `warplens summary FILE...`.
  if (const Verb* summary = find_verb("summary")) {
    const bool looks_like_file = arguments[0].find_first_of("./-") != std::string::npos;
    if (looks_like_file) return run_verb(*summary, arguments);
  }
  std::vector<std::string> names;
  for (const Verb* verb : all_verbs()) names.push_back(verb->name);
  const std::string near = nearest(arguments[0], names);
  fmt::print(stderr, "warplens: '{}' is neither a verb nor a file{}\n", arguments[0],
             near.empty() ? " (see warplens --help)" : fmt::format("; did you mean '{}'?", near));
  return kExitUsage;
}

}  // namespace warplens::cli
