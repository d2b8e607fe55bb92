#include "warplens/writers/sqlite/sqlite.h"

#include <sqlite3.h>

#include <memory>
#include <type_traits>

#include "warplens/base/files.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/trace/profile/value_names.h"

namespace warplens::writers {
namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

template <typename T>
constexpr const char* sql_type() {
  return std::is_floating_point_v<T> ? "REAL" : "INTEGER";
}

/// The expression of a column in a view: texts and names of enumerations in place of their numbers.
template <typename T>
std::string shown(const char* name) {
  if constexpr (std::is_same_v<T, StringId>)
    return fmt::format("(SELECT text FROM strings WHERE strings.id = t.\"{0}\") AS \"{0}\"", name);
  constexpr auto names = value_names<T>();
  if (names.empty()) return fmt::format("t.\"{}\"", name);
  std::string out = fmt::format("CASE t.\"{}\"", name);
  for (size_t i = 0; i < names.size(); ++i) out += fmt::format(" WHEN {} THEN '{}'", i, names[i]);
  return out + fmt::format(" END AS \"{}\"", name);
}

class Database {
 public:
  Status open(const std::string& path) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open(path.c_str(), &opened);
    handle_.reset(opened);
    if (code != SQLITE_OK) return failed("open " + path);
    // The file is nobody's until it is whole: no journal, no waiting for the disk.
    return run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  }
  Status run(const std::string& sql) {
    return sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK ? Status() : failed(sql);
  }
  Status prepare(const std::string& sql) {
    sqlite3_stmt* made = nullptr;
    const int code = sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &made, nullptr);
    statement_.reset(made);
    return code == SQLITE_OK ? Status() : failed(sql);
  }
  void bind(int at, std::string_view text) {
    sqlite3_bind_text64(statement_.get(), at, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
  }
  template <typename T>
  void bind(int at, T value) {
    if constexpr (std::is_floating_point_v<T>) sqlite3_bind_double(statement_.get(), at, value);
    else if constexpr (std::is_same_v<T, uint32_t>) {
      if (value == kNone) sqlite3_bind_null(statement_.get(), at);
      else sqlite3_bind_int64(statement_.get(), at, value);
    } else {
      sqlite3_bind_int64(statement_.get(), at, static_cast<int64_t>(value));
    }
  }
  Status step() {
    const int code = sqlite3_step(statement_.get());
    sqlite3_reset(statement_.get());
    return code == SQLITE_DONE ? Status() : failed("insert a row");
  }
  Status close() {
    statement_.reset();
    WL_TRY(run("COMMIT"));
    handle_.reset();
    return {};
  }

 private:
  Status failed(const std::string& what) {
    return invalid_input(fmt::format("SQLite: {}: {}", what, sqlite3_errmsg(handle_.get())));
  }
  std::unique_ptr<sqlite3, Close> handle_;
  std::unique_ptr<sqlite3_stmt, Close> statement_;
};

Status write_strings(const Profile& p, Database& to) {
  WL_TRY(to.run("CREATE TABLE strings (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"));
  WL_TRY(to.prepare("INSERT INTO strings VALUES (?, ?)"));
  for (uint32_t id = 0; id < p.strings.size(); ++id) {
    to.bind(1, id);
    to.bind(2, p.strings[StringId{id}]);
    WL_TRY(to.step());
  }
  return {};
}

Status write_facts(const Profile& p, Database& to) {
  WL_TRY(to.run("CREATE TABLE warplens_profile (key TEXT PRIMARY KEY, value)"));
  WL_TRY(to.prepare("INSERT INTO warplens_profile VALUES (?, ?)"));
  for (const auto& [key, value] : {std::pair<const char*, int64_t>{"format", 1}, {"base_ns", p.base_ns}}) {
    to.bind(1, std::string_view(key));
    to.bind(2, value);
    WL_TRY(to.step());
  }
  WL_TRY(to.run("CREATE TABLE integrity (id TEXT, severity INTEGER, count INTEGER, detail TEXT, advice TEXT)"));
  WL_TRY(to.prepare("INSERT INTO integrity VALUES (?, ?, ?, ?, ?)"));
  for (const IntegrityIssue& issue : p.integrity.issues()) {
    to.bind(1, std::string_view(issue.id));
    to.bind(2, static_cast<int64_t>(issue.severity));
    to.bind(3, issue.count);
    to.bind(4, std::string_view(issue.detail));
    to.bind(5, std::string_view(issue.advice));
    WL_TRY(to.step());
  }
  return {};
}

template <typename Table>
Status write_table(const char* name, const Table& table, Database& to) {
  std::string columns, places, view;
  for_each_column(table, [&](const char* column, const auto& values, const char*) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    const char* comma = columns.empty() ? "" : ", ";
    columns += fmt::format("{}\"{}\" {}", comma, column, sql_type<T>());
    places += fmt::format("{}?", comma);
    view += comma + shown<T>(column);
  });
  WL_TRY(to.run(fmt::format("CREATE TABLE \"{}\" ({})", name, columns)));
  WL_TRY(to.run(fmt::format("CREATE VIEW \"named_{0}\" AS SELECT t.rowid - 1 AS row, {1} FROM \"{0}\" t", name, view)));
  WL_TRY(to.prepare(fmt::format("INSERT INTO \"{}\" VALUES ({})", name, places)));
  for (size_t row = 0; row < table.size(); ++row) {
    int at = 0;
    for_each_column(table, [&](const char*, const auto& values, const char*) { to.bind(++at, values[row]); });
    WL_TRY(to.step());
  }
  return {};
}

}  // namespace

Status sqlite_database(const Profile& profile, const ByteSink& to) {
  const TimedScope timed("write SQLite database");
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string path = folder.path() + "/profile.sqlite";
  Database database;
  WL_TRY(database.open(path));
  WL_TRY(write_facts(profile, database));
  WL_TRY(write_strings(profile, database));
  Status status;
  for_each_table(profile, [&](const char* name, const auto& table, const char*) {
    if (status.ok()) status = write_table(name, table, database);
  });
  WL_TRY(status);
  WL_TRY(database.close());
  WL_ASSIGN(const MappedFile file, MappedFile::open(path));
  return to(file.bytes());
}

}  // namespace warplens::writers
