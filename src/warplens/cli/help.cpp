#include <fmt/format.h>

#include <algorithm>

#include "warplens/base/text.h"
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

std::string examples_of(const Verb& verb) {
  std::string out = verb.examples.empty() ? "" : "\nexamples:\n";
  for (const auto& [command, what] : verb.examples) out += fmt::format("  {}\n      {}\n", command, what);
  return out;
}

}  // namespace

std::string help(const Verb& verb) {
  std::string out = fmt::format("usage: warplens {}{}{} [flags]\n\n{}\n", verb.name, verb.operands.empty() ? "" : " ",
                                verb.operands, paragraphs(verb.details));
  if (!verb.flags.empty()) out += "\nflags:\n";
  for (const Flag& flag : verb.flags) out += flag_line(flag);
  if (verb.hands_on) return out + examples_of(verb);
  out += "\nflags that verbs share:\n";
  for (const Flag& flag : common_flags(verb)) out += flag_line(flag);
  return out + examples_of(verb);
}

std::string general_help() {
  std::string out =
      "warplens tells where GPU time goes, why, and what to do about it, on a GPU or without one.\n\n"
      "usage: warplens FILE...             where the time goes (the same as warplens summary)\n"
      "       warplens VERB [arguments]\n"
      "       warplens VERB --help\n\nverbs:\n";
  for (const Verb* verb : all_verbs()) out += fmt::format("  {:<14}{}\n", verb->name, verb->summary);
  return out + "\nExit codes: 0 fine, 1 failed, 2 usage, 3 a threshold of --fail-on was crossed, 130 interrupted.\n";
}

}  // namespace warplens::cli
