// warplens query: SQL over a profile's tables.
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/query_output.h"
#include "warplens/cli/query_shell.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"
#include "warplens/query/schema_text.h"
#include "warplens/query/sql/session.h"

namespace warplens::cli {
namespace {

constexpr size_t kAnswerRowsForPeople = 200;

/// The last operand where it is no file: SQL has spaces in it, or is "-", standard input.
bool is_sql(const std::string& operand) {
  std::error_code ignored;
  return operand.find_first_of(" \t\n") != std::string::npos && !std::filesystem::exists(operand, ignored);
}

struct Request {
  std::vector<std::string> paths;
  std::string sql;
};

Result<Request> requested(const Invocation& invocation) {
  Request out{invocation.operands, {}};
  if (invocation.has("--sql")) {
    WL_ASSIGN(out.sql, read_file(invocation.text("--sql")));
  } else if (!out.paths.empty() && is_sql(out.paths.back())) {
    out.sql = out.paths.back();
    out.paths.pop_back();
  }
  if (out.paths.empty() && !out.sql.empty()) return usage_error("give a profile before the query");
  return out;
}

Result<query::Limits> chosen_limits(const Invocation& invocation) {
  query::Limits limits;
  const bool for_people = invocation.format() == Format::kTable || invocation.format() == Format::kMarkdown;
  limits.rows = for_people ? kAnswerRowsForPeople : SIZE_MAX;
  if (invocation.has("--limit")) {
    WL_ASSIGN(const size_t rows, invocation.count("--limit"));
    limits.rows = rows == 0 ? SIZE_MAX : rows;
  }
  if (invocation.has("--time-limit")) {
    WL_ASSIGN(limits.time_ns, invocation.time_ns("--time-limit"));
  }
  return limits;
}

Status print_schema(const Invocation& invocation, const query::Catalog& catalog) {
  switch (invocation.format()) {
    case Format::kJson: return invocation.emit(query::schema_json(catalog));
    case Format::kMarkdown: return invocation.emit(query::tables_page(catalog));
    case Format::kTable: return invocation.emit(query::schema_text(catalog, terminal_width()));
    case Format::kCsv: break;
  }
  Table all;
  for (const query::QueryTable& table : catalog.tables()) {
    Table columns = query::columns_list(table);
    if (all.columns.empty()) {
      all.columns = columns.columns;
      all.columns.insert(all.columns.begin(), {"table", "table"});
    }
    for (auto& row : columns.rows) {
      row.insert(row.begin(), table.name);
      all.rows.push_back(std::move(row));
    }
  }
  return invocation.emit(all);
}

Status print_answer(const Invocation& invocation, const ProfileReport& report, const query::Answer& answer) {
  WL_ASSIGN(FileWriter file, invocation.output_file());
  const std::string head = invocation.format() == Format::kJson ? report.json_head() : report.warning();
  WL_TRY(write_answer(answer, invocation.format(), head, terminal_width(),
                      [&](std::string_view text) { return file.write(text); }));
  WL_TRY(file.commit());
  if (invocation.format() == Format::kCsv) report.warn();
  if (answer.rows == 0 && invocation.format() == Format::kTable) tell("warplens query: no row matches\n");
  if (answer.more) tell("warplens query: more rows are left out; --limit 0 prints all\n");
  return {};
}

Result<int> run_query(const Invocation& invocation) {
  WL_ASSIGN(const Request request, requested(invocation));
  WL_ASSIGN(const query::Limits limits, chosen_limits(invocation));
  if (invocation.has("--schema") && request.paths.empty()) {
    const Profile none;
    WL_TRY(print_schema(invocation, query::Catalog(none)));
    return kExitOk;
  }
  WL_ASSIGN(const Profile profile, read_cut(invocation, request.paths));
  const ProfileReport report(invocation, profile);
  WL_ASSIGN(const std::unique_ptr<query::Session> session, query::Session::open(profile));
  if (invocation.has("--schema")) {
    WL_TRY(print_schema(invocation, session->catalog()));
  } else if (invocation.has("--shell")) {
    return run_query_shell(invocation, report, *session, limits);
  } else if (request.sql.empty()) {
    const Table tables = query::tables_list(session->catalog());
    WL_TRY(report.table(tables, '\n' + to_terminal(tables, terminal_width())));
  } else {
    WL_ASSIGN(const query::Answer answer, session->run(request.sql, limits));
    WL_TRY(print_answer(invocation, report, answer));
  }
  return kExitOk;
}

}  // namespace

extern const Verb kQuery;
const Verb kQuery = {
    "query",
    "query a profile with SQL",
    "PROFILE... ['SELECT ...']",
    "The profile's columns are tables of SQLite, read in place. Nothing is copied or written, and statements that "
    "change anything are refused. Without SQL it lists the tables. Times are nanoseconds. The table kernels has the "
    "operator, step and class of each kernel. The tables kernel_totals, operator_totals, idle_causes and others "
    "answer common questions.",
    with_cut_flags(
        {{"--schema", "", "every table with its columns, their types, units and meaning; a profile is not needed"},
         {"--shell", "", "read statements from a prompt, or from standard input; the profile is read once"},
         {"--sql", "FILE", "the statement, from a file; - is standard input"},
         {"--limit", "N", "print at most N rows; 0: all [200 rows for people, all rows for scripts]"},
         {"--time-limit", "TIME", "give up after this time: 30s"}}),
    {{"warplens query trace.json.gz 'select * from kernel_totals limit 10'", "the kernels that take most time"},
     {"warplens query trace.json.gz 'select step, sum(duration_ns) from kernels group by step'",
      "GPU work of each step"},
     {"warplens query trace.json.gz \"select * from gaps where cause = 'synchronization' order by duration_ns desc\" "
      "-o gaps.csv",
      "idle time in which the host waited"},
     {"warplens query trace.json.gz --schema", "the tables and columns"},
     {"warplens query trace.json.gz --shell", "a prompt"}},
    run_query,
    {{"--schema", [](const Invocation& i) { return i.has("--schema"); }, "--schema " + cut_flag_names()},
     {"--shell", [](const Invocation& i) { return i.has("--shell"); },
      "--shell --limit --time-limit " + cut_flag_names()},
     {"a query", [](const Invocation&) { return true; }, "--sql --limit --time-limit " + cut_flag_names()}}};

}  // namespace warplens::cli
