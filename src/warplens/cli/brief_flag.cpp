#include "warplens/cli/brief_flag.h"

#include <algorithm>

#include "warplens/base/files.h"
#include "warplens/base/output_name.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/brief/brief.h"
#include "warplens/output/messages.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

/// Standard output, also where the whole report goes into a file.
int print(const brief::Brief& brief, const std::string& resource, int exit_code) {
  const Status written = write_file("-", brief::to_json(brief, resource), false);
  return written.ok() ? exit_code : kExitFailed;
}

std::string own_messages(const Verb& verb) {
  std::string out;
  const std::string prefix = "warplens " + verb.name + ": ";
  for (std::string_view rest = kept_messages(); !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    std::string_view line = rest.substr(0, end + 1);
    rest.remove_prefix(end + 1);
    if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
    out += line;
  }
  return out;
}

bool prints_text(const Verb& verb, const Invocation& invocation) {
  const auto use = std::ranges::find_if(verb.uses, [&](const Use& each) { return each.fits(invocation); });
  return invocation.has("--explain") || (use != verb.uses.end() && use->plain);
}

/// With the report in a file. Errors: a format beside --brief, or no file for what the verb writes.
Result<Invocation> redirected(const Verb& verb, const Invocation& invocation, const std::string& folder) {
  Invocation out = invocation;
  const std::string to = invocation.text("--output");
  if (verb.prints == Prints::kFile) {
    const bool needs_file = verb.name == "export" || verb.name == "convert" || verb.name == "report";
    if (to == "-" || (needs_file && to.empty() && !invocation.has("--png")))
      return usage_error("--brief prints to standard output: give -o FILE for the rest");
    return out;
  }
  if (to == "-") return usage_error("--brief prints to standard output: give -o FILE.json for the whole report");
  if (to.empty()) out.values["--output"] = {folder + "/report"};
  if (prints_text(verb, invocation)) {
    out.values["--format"] = {"table"};
    return out;
  }
  if (!invocation.assumed.contains("--format") && invocation.format() != Format::kJson)
    return usage_error(fmt::format(
        "--brief writes the whole report as JSON, not as {}: leave --format out, or name the file FILE.json",
        invocation.text("--format")));
  out.values["--format"] = {"json"};
  out.assumed.erase("--format");
  return out;
}

brief::Brief made(const Verb& verb, const Invocation& ran, int exit_code) {
  if (verb.prints != Prints::kData) return brief::of_messages(verb.name, exit_code, own_messages(verb));
  const Result<std::string> text = read_file(expand_output_name(ran.text("--output")));
  if (!text.ok()) return brief::of_failure(verb.name, own_messages(verb));
  const Result<json::Value> report = json::parse(*text);
  return report.ok() && report->object() ? brief::of_report(verb.name, exit_code, *report)
                                         : brief::of_text(verb.name, exit_code, *text);
}

}  // namespace

Flag brief_flag() {
  return {
      "--brief", "",
      "print at most 2 KB of JSON: verdict, details, unknowns, and one next step; -o FILE.json gets the whole report"};
}

bool has_brief(const Verb& verb) {
  return !verb.hands_on && (verb.prints == Prints::kData || verb.prints == Prints::kFile);
}

bool asks_for_brief(const Verb& verb, const std::vector<std::string>& arguments) {
  const auto own_end = std::find(arguments.begin(), arguments.end(), "--");
  return has_brief(verb) && std::find(arguments.begin(), own_end, "--brief") != own_end;
}

int run_brief(const Verb& verb, const Invocation& invocation, const std::function<int(const Invocation&)>& run) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  Result<Invocation> ran = folder.ok() ? redirected(verb, invocation, folder->path()) : folder.status();
  if (!ran.ok()) {
    tell("warplens {}: {}\n", verb.name, ran.status().message());
    return brief_of_failure(verb, ran.status().code() == ErrorCode::kUsage ? kExitUsage : kExitFailed);
  }
  const int exit_code = run(*ran);
  const bool is_kept = invocation.has("--output");
  return print(made(verb, *ran, exit_code), is_kept ? expand_output_name(invocation.text("--output")) : "", exit_code);
}

int brief_of_failure(const Verb& verb, int exit_code) {
  return print(brief::of_failure(verb.name, own_messages(verb)), "", exit_code);
}

}  // namespace warplens::cli
