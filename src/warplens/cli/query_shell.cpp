#include "warplens/cli/query_shell.h"

#include <cstdlib>

#include "warplens/base/text.h"
#include "warplens/cli/line_reader.h"
#include "warplens/cli/query_output.h"
#include "warplens/output/terminal.h"
#include "warplens/query/schema_text.h"

namespace warplens::cli {
namespace {

constexpr const char* kHelp =
    "A statement ends with ';'. The tables are listed by .tables, one table's columns by .schema TABLE.\n"
    ".format table|json|csv|md   how answers are printed\n"
    ".limit N                    print at most N rows; 0: all\n"
    ".quit                       or Ctrl-D\n";

/// Of the user alone; empty where there is no place for it.
std::string history_path() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0')
    return std::string(state) + "/warplens/query_history";
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.local/state/warplens/query_history";
}

std::optional<Format> format_named(std::string_view name) {
  if (name == "table") return Format::kTable;
  if (name == "json") return Format::kJson;
  if (name == "csv") return Format::kCsv;
  if (name == "md") return Format::kMarkdown;
  return std::nullopt;
}

struct Shell {
  query::Session& session;
  query::Limits limits;
  Format format;
  std::string json_head;  // of each answer in JSON
  bool failed = false, done = false;

  void say(const Status& status) {
    if (status.ok()) return;
    failed = true;
    tell("error: {}\n", status.message());
  }

  void print(std::string_view text) { say(write_file("-", printable_lines(text), false)); }

  void command(std::string_view line) {
    const size_t space = line.find(' ');
    const std::string_view name = line.substr(0, space);
    const std::string argument(space == std::string_view::npos ? "" : trim(line.substr(space)));
    if (name == ".quit" || name == ".exit") done = true;
    else if (name == ".help") print(kHelp);
    else if (name == ".tables") print(to_terminal(query::tables_list(session.catalog()), terminal_width()));
    else if (name == ".schema" && argument.empty()) print(query::schema_text(session.catalog(), terminal_width()));
    else if (const query::QueryTable* table = name == ".schema" ? session.catalog().find(argument) : nullptr)
      print(to_terminal(query::columns_list(*table), terminal_width()));
    else if (name == ".format" && format_named(argument)) format = *format_named(argument);
    else if (const auto rows = name == ".limit" ? parse_int(argument) : std::nullopt; rows && *rows >= 0)
      limits.rows = *rows == 0 ? SIZE_MAX : static_cast<size_t>(*rows);
    else say(usage_error(fmt::format("{}: not known here; .help lists commands", line)));
  }

  void statement(std::string_view sql) {
    const Result<query::Answer> answer = session.run(sql, limits);
    if (!answer.ok()) return say(answer.status());
    say(write_answer(*answer, format, format == Format::kJson ? json_head : "", terminal_width(),
                     [](std::string_view text) { return write_file("-", text, false); }));
    if (answer->more) fmt::print(stderr, "more rows are left out; .limit 0 prints all\n");
  }
};

}  // namespace

Result<int> run_query_shell(const Invocation& invocation, const ProfileReport& report, query::Session& session,
                            const query::Limits& limits) {
  report.warn();
  LineReader lines(history_path());
  Shell shell{session, limits, invocation.format(), report.json_head()};
  if (lines.is_terminal()) fmt::print("A statement ends with ';'; .help lists commands.\n");
  std::string pending;
  while (!shell.done) {
    const std::optional<std::string> line = lines.read(pending.empty() ? "warplens> " : "     ...> ");
    if (!line) break;
    if (lines.interrupted()) pending.clear();
    if (trim(*line).empty() && pending.empty()) continue;
    if (pending.empty() && line->starts_with('.')) {
      lines.remember(*line);
      shell.command(trim(*line));
      continue;
    }
    pending += *line + '\n';
    if (!query::is_complete(pending)) continue;
    lines.remember(pending);
    shell.statement(trim(pending));
    pending.clear();
  }
  if (!trim(pending).empty()) shell.statement(trim(pending));
  return shell.failed && !lines.is_terminal() ? kExitFailed : kExitOk;
}

}  // namespace warplens::cli
