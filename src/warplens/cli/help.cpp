#include <fmt/format.h>

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

constexpr size_t kHelpColumn = 30, kLeastWidth = 60, kMostWidth = 100;

size_t line_width() {
  const size_t terminal = terminal_width();
  return terminal == 0 ? kMostWidth : std::clamp(terminal, kLeastWidth, kMostWidth);
}

/// `text` broken at spaces so that no line passes the width, later lines indented by `indent`.
std::string wrapped(const std::string& text, size_t indent, size_t used) {
  std::string out;
  size_t column = used;
  const size_t width = line_width();
  for (const std::string_view word : split(text, ' ')) {
    if (column + word.size() + 1 > width && column > indent) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

/// `text` as paragraphs: each of its lines broken by itself.
std::string paragraphs(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n')) out.push_back(wrapped(std::string(line), 0, 0));
  return join(out, "\n");
}

std::string flag_line(const Flag& flag) {
  std::string left = "  " + replace_all(flag.names, ",", ", ");
  if (!flag.value.empty()) left += flag.bare.empty() ? ' ' + flag.value : "[=" + flag.value + "]";
  std::string right = flag.help;
  if (!flag.choices.empty()) right += fmt::format(" ({})", fmt::join(flag.choices, ", "));
  if (!flag.initial.empty()) right += fmt::format(" [{}]", flag.initial);
  if (left.size() + 2 > kHelpColumn)
    return left + '\n' + std::string(kHelpColumn, ' ') + wrapped(right, kHelpColumn, kHelpColumn) + '\n';
  return fmt::format("{:<{}}{}\n", left, kHelpColumn, wrapped(right, kHelpColumn, kHelpColumn));
}

std::string examples_of(const Verb& verb, size_t most) {
  std::string out = verb.examples.empty() ? "" : "\nexamples:\n";
  for (size_t i = 0; i < std::min(most, verb.examples.size()); ++i)
    out += fmt::format("  {}\n      {}\n", verb.examples[i].first, verb.examples[i].second);
  return out;
}

std::string usage_of(const Verb& verb) {
  return fmt::format("usage: warplens {}{}{} [flags]\n", verb.name, verb.operands.empty() ? "" : " ", verb.operands);
}

std::string key_of(const Flag& flag) { return std::string(split(flag.names, ',').back()); }

bool is_common(const Verb& verb, const Flag& flag) {
  const auto shown = split(verb.common, ' ');
  return verb.common.empty() || std::ranges::find(shown, key_of(flag)) != shown.end();
}

/// "--format, --json, --output"
std::string names_of_shared(const Verb& verb) {
  std::vector<std::string> names;
  for (const Flag& flag : common_flags(verb)) {
    const std::string name = flag.names.substr(0, flag.names.find(','));
    names.push_back(name == "--brief"                             ? "--brief (2 KB of JSON)"
                    : name == "--format" && !flag.choices.empty() ? fmt::format("--format {}", join(flag.choices, "|"))
                                                                  : name);
  }
  return join(names, ", ");
}

/// The flags that choose a part of a profile, in one line: many verbs share them.
bool is_cut(const Verb& verb, const Flag& flag) {
  static const std::string names = cut_flag_names();
  static const std::vector<std::string_view> cuts = split(names, ' ');
  const bool has_cuts = std::ranges::any_of(verb.flags, [](const Flag& each) { return each.names == "--annotation"; });
  return has_cuts && flag.names != "--capture" && std::ranges::find(cuts, key_of(flag)) != cuts.end();
}

std::string cuts_of(const Verb& verb) {
  std::vector<std::string> flags;
  for (const Flag& flag : verb.flags)
    if (is_cut(verb, flag)) flags.push_back(flag.names + " " + flag.value);
  return flags.empty() ? "" : "\n" + paragraphs("Read only a part of the profile: " + join(flags, ", ") + ".") + "\n";
}

/// What the short help leaves out.
std::string rest_of(const Verb& verb) {
  if (verb.hands_on) return "";
  const auto left_out = std::ranges::count_if(
      verb.flags, [&](const Flag& flag) { return !is_common(verb, flag) && !is_cut(verb, flag); });
  const std::string more = left_out == 0 ? "" : fmt::format("{} more flags, and ", left_out);
  return "\n" +
         paragraphs(
             fmt::format("{}{} of every verb:\n`warplens {} --help all`.", more, names_of_shared(verb), verb.name)) +
         "\n";
}

}  // namespace

std::string help(const Verb& verb) {
  const std::string first = verb.details.substr(0, verb.details.find('\n'));
  std::string out = usage_of(verb) + "\n" + paragraphs(first) + "\n";
  if (!verb.flags.empty()) out += "\nflags:\n";
  for (const Flag& flag : verb.flags) {
    if (is_common(verb, flag) && !is_cut(verb, flag)) out += flag_line(flag);
  }
  return out + cuts_of(verb) + rest_of(verb) + examples_of(verb, 2);
}

std::string full_help(const Verb& verb) {
  std::string out = usage_of(verb) + "\n" + paragraphs(verb.details) + "\n";
  if (!verb.flags.empty() && verb.flags[0].group.empty()) out += "\nflags:\n";
  for (const Flag& flag : verb.flags) {
    if (!flag.group.empty()) out += fmt::format("\n{}:\n", flag.group);
    out += flag_line(flag);
  }
  if (!verb.hands_on) out += "\nflags that verbs share:\n";
  for (const Flag& flag : common_flags(verb)) out += flag_line(flag);
  return out + examples_of(verb, verb.examples.size());
}

std::string general_help() {
  std::string out =
      "warplens shows where GPU time goes, why, and how to save it, on a GPU or without one.\nusage: warplens "
      "FILE...             where the time goes (the same as warplens summary)\n       warplens VERB [arguments]    "
      "VERB --help: common flags; VERB --help all: every flag\n\n";
  for (const VerbGroup& group : verb_groups()) {
    out += group.title + ":\n";
    for (const Verb* verb : group.verbs) out += fmt::format("  {:<14}{}\n", verb->name, verb->summary);
  }
  std::vector<std::string> codes;
#define WL_EXIT(name, code, meaning) codes.push_back(fmt::format("{} {}", code, meaning));
#include "warplens/cli/exit_codes.def"
#undef WL_EXIT
  return out + paragraphs("Exit codes: " + join(codes, ", ") + ".") + "\n";
}

}  // namespace warplens::cli
