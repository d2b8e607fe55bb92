#include "warplens/query/sql/session.h"

#include <sqlite3.h>

#include <algorithm>
#include <deque>
#include <set>

#include "warplens/base/system_memory.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/query/grouping/run.h"
#include "warplens/query/sql/sql_error.h"
#include "warplens/query/virtual_table.h"

namespace warplens::query {
namespace {

constexpr int kLongestSqlBytes = 1 << 20;
constexpr int kLongestValueBytes = 64 << 20;
constexpr int kOperationsBetweenChecks = 10'000;  // of SQLite's machine: below a millisecond

struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

const char* action_name(int action) {
  switch (action) {
    case SQLITE_INSERT: return "inserts";
    case SQLITE_UPDATE: return "updates";
    case SQLITE_DELETE: return "deletes";
    case SQLITE_ATTACH:
    case SQLITE_DETACH: return "opens other databases";
    case SQLITE_PRAGMA: return "is a pragma";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT: return "is a transaction";
    case SQLITE_FUNCTION: return "loads extensions";
    default: return "changes the database";
  }
}

Value value_in(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return {Value::Kind::kInteger, sqlite3_column_int64(statement, column), 0, {}};
    case SQLITE_FLOAT: return {Value::Kind::kReal, 0, sqlite3_column_double(statement, column), {}};
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      const auto* text = static_cast<const char*>(sqlite3_column_blob(statement, column));
      const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
      return {Value::Kind::kText, 0, 0, text ? std::string_view(text, size) : std::string_view("")};
    }
    default: return {};
  }
}

/// Names as the query gives them; what stands twice gets a number.
std::vector<AnswerColumn> empty_columns(sqlite3_stmt* statement) {
  std::vector<AnswerColumn> columns;
  std::set<std::string> seen;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* name = sqlite3_column_name(statement, i);
    std::string text = name ? name : "";
    const std::string base = text;
    for (int number = 2; !seen.insert(text).second; ++number) text = fmt::format("{}_{}", base, number);
    columns.emplace_back(std::move(text));
  }
  return columns;
}

int error_offset([[maybe_unused]] sqlite3* db) {
#if SQLITE_VERSION_NUMBER >= 3038000
  return sqlite3_error_offset(db);
#else
  return -1;
#endif
}

}  // namespace

struct Session::State {
  explicit State(const Profile& profile) : catalog(profile) {}
  ~State() { sqlite3_close_v2(db); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Status start();
  Result<Statement> prepare(std::string_view sql);
  Status failure(std::string_view sql) const;
  Result<Answer> rows_of(std::string_view sql, sqlite3_stmt* statement, std::vector<AnswerColumn> columns,
                         size_t limit) const;
  std::optional<Result<Answer>> run_grouped(std::string_view sql, sqlite3_stmt* asked, size_t limit);

  Catalog catalog;
  std::deque<OpenTable> tables;
  sqlite3* db = nullptr;
  Guard guard;
  int64_t deadline_ns = 0;  // monotonic; 0: none
};

namespace {

int authorize(void* guard, int action, const char*, const char* what, const char*, const char*) {
  const bool loads = action == SQLITE_FUNCTION && what != nullptr && std::string_view(what) == "load_extension";
  const bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE ||
                     (action == SQLITE_FUNCTION && !loads);
  if (reads || static_cast<Guard*>(guard)->declaring) return SQLITE_OK;
  static_cast<Guard*>(guard)->refused = action_name(action);
  return SQLITE_DENY;
}

int is_late(void* deadline_ns) {
  const int64_t deadline = *static_cast<const int64_t*>(deadline_ns);
  return deadline != 0 && monotonic_ns() > deadline;
}

}  // namespace

Status Session::State::start() {
  if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK)
    return internal_error("SQLite does not start");
  for (const QueryTable& table : catalog.tables()) {
    if (table.origin == Origin::kView) {
      char* message = nullptr;
      const std::string sql = fmt::format("create temp view {} as {}", table.name, table.sql);
      if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
        const std::string text = message ? message : "";
        sqlite3_free(message);
        return internal_error(fmt::format("view {}: {}", table.name, text));
      }
      continue;
    }
    WL_TRY(register_table(db, tables.emplace_back(table, catalog.profile().strings, guard)));
  }
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, kLongestSqlBytes);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kLongestValueBytes);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_set_authorizer(db, authorize, &guard);
  sqlite3_progress_handler(db, kOperationsBetweenChecks, is_late, &deadline_ns);
  return {};
}

Status Session::State::failure(std::string_view sql) const {
  const int code = sqlite3_errcode(db);
  const bool writes = std::string_view(sqlite3_errmsg(db)).ends_with("may not be modified");
  if (writes || guard.refused != nullptr)
    return usage_error(fmt::format("a profile is only read: this statement {}; begin it with select or with",
                                   writes ? "changes a table" : guard.refused));
  if (code == SQLITE_INTERRUPT)
    return invalid_input("it took longer than --time-limit; select fewer rows, or raise the limit");
  if (code == SQLITE_NOMEM || code == SQLITE_FULL)
    return io_error("not enough memory for this query; select fewer rows or columns, or aggregate them");
  return sql_error(sql, sqlite3_errmsg(db), error_offset(db), catalog);
}

Result<Statement> Session::State::prepare(std::string_view sql) {
  sqlite3_stmt* made = nullptr;
  const char* tail = nullptr;
  guard.refused = nullptr;
  if (sql.size() > static_cast<size_t>(kLongestSqlBytes)) return usage_error("the statement is longer than 1 MiB");
  if (sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &made, &tail) != SQLITE_OK) return failure(sql);
  Statement statement(made);
  if (statement == nullptr) return usage_error("there is no statement in it; try: select * from kernel_totals");
  const std::string_view rest(tail, static_cast<size_t>(sql.data() + sql.size() - tail));
  sqlite3_stmt* second = nullptr;
  const int code = sqlite3_prepare_v2(db, rest.data(), static_cast<int>(rest.size()), &second, nullptr);
  const Statement none(second);
  if (code != SQLITE_OK || second != nullptr) {
    const size_t begin = static_cast<size_t>(rest.data() - sql.data()) + rest.find_first_not_of(" \t\r\n");
    return usage_error("one statement at a time; a second one begins here" + marked_place(sql, begin));
  }
  return statement;
}

Result<std::unique_ptr<Session>> Session::open(const Profile& profile) {
  auto state = std::make_unique<State>(profile);
  WL_TRY(state->start());
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

bool is_complete(const std::string& text) { return sqlite3_complete(text.c_str()) != 0; }

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

const Catalog& Session::catalog() const { return state_->catalog; }

Result<Answer> Session::State::rows_of(std::string_view sql, sqlite3_stmt* statement, std::vector<AnswerColumn> columns,
                                       size_t limit) const {
  Answer answer{std::move(columns), 0, false};
  int code = sqlite3_step(statement);
  for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
    if (answer.rows == limit) {
      answer.more = true;
      return answer;
    }
    for (size_t i = 0; i < answer.columns.size(); ++i) answer.columns[i].add(value_in(statement, static_cast<int>(i)));
    ++answer.rows;
  }
  if (code != SQLITE_DONE) return failure(sql);
  return answer;
}

/// The groups are computed on the columns, and SQLite does the rest with them. No value where that does not go.
std::optional<Result<Answer>> Session::State::run_grouped(std::string_view sql, sqlite3_stmt* asked, size_t limit) {
  const std::optional<GroupingPlan> plan = plan_grouping(sql, catalog);
  if (!plan) return std::nullopt;
  const auto open = std::find_if(tables.begin(), tables.end(),
                                 [&](const OpenTable& table) { return &table.declared() == plan->table; });
  const auto groups = run_grouping(*plan, *open);
  if (!groups) return std::nullopt;
  OpenTable grouped((*groups)->table, catalog.profile().strings, guard);
  if (!register_table(db, grouped).ok()) return std::nullopt;
  std::optional<Result<Answer>> answer;
  if (Result<Statement> statement = prepare(plan->outer); statement.ok())
    answer = rows_of(plan->outer, statement->get(), empty_columns(asked), limit);
  unregister_table(db, grouped);
  return answer;
}

Result<Answer> Session::run(std::string_view sql, const Limits& limits) {
  const TimedScope timed("query");
  const uint64_t memory = limits.memory_bytes != 0 ? limits.memory_bytes : available_memory_bytes() / 2;
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(std::min<uint64_t>(memory, INT64_MAX)));
  state_->deadline_ns = limits.time_ns > 0 ? monotonic_ns() + limits.time_ns : 0;
  WL_ASSIGN(const Statement statement, state_->prepare(sql));
  if (!limits.row_by_row) {
    if (auto answer = state_->run_grouped(sql, statement.get(), limits.rows)) return std::move(*answer);
  }
  return state_->rows_of(sql, statement.get(), empty_columns(statement.get()), limits.rows);
}

}  // namespace warplens::query
