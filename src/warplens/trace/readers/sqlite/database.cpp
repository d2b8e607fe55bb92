#include "warplens/trace/readers/sqlite/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "warplens/base/text.h"

namespace warplens::sqlite {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kMagic = "SQLite format 3\0"sv;
constexpr size_t kHeaderBytes = 100;
constexpr int64_t kMostColumns = 2000;  // SQLite's own limit
constexpr int kMostValueBytes = 64 << 20;
constexpr int64_t kLeastRowBytes = 2;  // a cell's length and its row's number

std::string identifier(std::string_view name) { return "\"" + replace_all(std::string(name), "\"", "\"\"") + "\""; }

uint32_t big_endian(std::string_view bytes, size_t at, size_t size) {
  uint32_t out = 0;
  for (size_t i = 0; i < size; ++i) out = out << 8 | static_cast<uint8_t>(bytes[at + i]);
  return out;
}

/// Bytes that the header says the file has; 0 where it does not say.
int64_t claimed_bytes(std::string_view header) {
  const uint32_t page = big_endian(header, 16, 2);
  const bool valid = big_endian(header, 24, 4) == big_endian(header, 92, 4);
  return valid ? int64_t{page == 1 ? 65536 : page} * big_endian(header, 28, 4) : 0;
}

/// What a statement may do: select columns of tables, and ask for a table's columns. Everything else is refused.
int authorize(void*, int action, const char* first, const char*, const char*, const char*) {
  if (action == SQLITE_SELECT || action == SQLITE_READ) return SQLITE_OK;
  if (action == SQLITE_PRAGMA && first != nullptr && std::string_view(first) == "table_info") return SQLITE_OK;
  return SQLITE_DENY;
}

/// "file:" with what is special in a URI escaped.
std::string uri_of(const std::string& path) {
  std::string out = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') out += fmt::format("%{:02X}", static_cast<unsigned>(c));
    else out += c;
  }
  return out + "?mode=ro&immutable=1";
}

void harden(sqlite3* database, bool is_cut) {
  sqlite3_extended_result_codes(database, 1);
  for (const int off : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                        SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL})
    sqlite3_db_config(database, off, 0, nullptr);
  // SQLite opens a file that is shorter than its header says only where the schema may be written, which a connection
  // that only reads never does.
  sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, is_cut ? 1 : 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostValueBytes);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 100);
  sqlite3_limit(database, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_set_authorizer(database, authorize, nullptr);
}

}  // namespace

Rows::Rows(sqlite3_stmt* statement, int64_t most_rows) : statement_(statement), most_rows_(most_rows) {}
Rows::Rows(Status damage) : damage_(std::move(damage)) {}
Rows::Rows(Rows&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      most_rows_(other.most_rows_),
      read_(other.read_),
      damage_(std::move(other.damage_)) {}
Rows::~Rows() { sqlite3_finalize(statement_); }

bool Rows::next() {
  if (statement_ == nullptr || !damage_.ok()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW && read_++ < most_rows_) return true;
  if (code == SQLITE_ROW) {
    damage_ = invalid_input(fmt::format("more rows than the file has room for: {} were read", most_rows_));
  } else if (code != SQLITE_DONE) {
    damage_ = invalid_input(fmt::format("{} behind row {}", sqlite3_errstr(code), read_));
  }
  return false;
}

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
bool Rows::is_integer(int column) const {
  const int type = sqlite3_column_type(statement_, column);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT || (type == SQLITE_TEXT && parse_int(text(column)));
}
int64_t Rows::integer(int column, int64_t otherwise) const {
  return is_integer(column) ? sqlite3_column_int64(statement_, column) : otherwise;
}
double Rows::real(int column) const { return sqlite3_column_double(statement_, column); }
std::string_view Rows::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

bool Database::sniff(std::string_view head) { return head.starts_with(kMagic); }

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }
Database::~Database() = default;

Status Database::open_file(const std::string& path) {
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(uri_of(path).c_str(), &opened, flags, nullptr);
  handle_.reset(opened);
  std::error_code ignored;
  size_bytes_ = static_cast<int64_t>(std::filesystem::file_size(path, ignored));
  return code == SQLITE_OK ? Status() : invalid_input(sqlite3_errstr(code));
}

Status Database::open_bytes(Input& input) {
  WL_ASSIGN(std::string all, input.read_all());
  bytes_ = std::make_unique<std::string>(std::move(all));
  if (!input.damage().ok()) truncation_ = input.damage().message();
  if (bytes_->size() < kHeaderBytes) return invalid_input("cut off within its header");
  (*bytes_)[18] = (*bytes_)[19] = 1;  // read as one without a write-ahead log, which memory cannot have
  size_bytes_ = static_cast<int64_t>(bytes_->size());
  sqlite3* opened = nullptr;
  int code = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(opened);
  if (code == SQLITE_OK)
    code = sqlite3_deserialize(opened, "main", reinterpret_cast<unsigned char*>(bytes_->data()), size_bytes_,
                               size_bytes_, SQLITE_DESERIALIZE_READONLY);
  return code == SQLITE_OK ? Status() : invalid_input(sqlite3_errstr(code));
}

Status Database::list_tables() {
  sqlite3_stmt* statement = nullptr;
  int code =
      sqlite3_prepare_v2(handle_.get(), "SELECT type, name, rootpage FROM sqlite_schema", -1, &statement, nullptr);
  Rows schema(statement, size_bytes_ / kLeastRowBytes);
  if (code != SQLITE_OK) return invalid_input(sqlite3_errmsg(handle_.get()));
  while (schema.next()) {
    const std::string_view type = schema.text(0);
    left_out_ += type == "view" || type == "trigger";
    if (type == "table" && schema.integer(2) > 0) tables_[std::string(schema.text(1))];  // virtual ones have no page
  }
  for (auto& [table, columns] : tables_) {
    code = sqlite3_prepare_v2(handle_.get(), ("PRAGMA table_info(" + identifier(table) + ")").c_str(), -1, &statement,
                              nullptr);
    Rows info(statement, kMostColumns);
    while (code == SQLITE_OK && info.next()) columns.emplace_back(info.text(1));
  }
  return schema.damage();
}

Result<Database> Database::open(Input& input) {
  Database out;
  WL_TRY((input.is_plain_file() ? out.open_file(input.name()) : out.open_bytes(input)).in(input.name()));
  if (input.head().size() < kHeaderBytes) return invalid_input(input.name() + ": an SQLite file cut off in its header");
  if (const int64_t claimed = claimed_bytes(input.head()); claimed > out.size_bytes_ && out.truncation_.empty())
    out.truncation_ = fmt::format("it has {} of {} bytes", out.size_bytes_, claimed);
  harden(out.handle_.get(), !out.truncation_.empty());
  if (const Status listed = out.list_tables(); !listed.ok() && out.tables_.empty()) {
    const std::string cut = out.truncation_.empty() ? "" : " (" + out.truncation_ + ")";
    return invalid_input(
        fmt::format("{}: the list of its tables is damaged{}: {}", input.name(), cut, listed.message()));
  } else if (!listed.ok() && out.truncation_.empty()) {
    out.truncation_ = "the list of its tables is damaged";
  }
  return out;
}

bool Database::has(const std::string& table, std::string_view column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() && std::find(found->second.begin(), found->second.end(), column) != found->second.end();
}

Rows Database::rows(const std::string& table, const std::vector<const char*>& columns) const {
  if (!has(table)) return {};
  std::vector<std::string> wanted;
  for (const char* column : columns) wanted.push_back(has(table, column) ? identifier(column) : "NULL");
  if (wanted.empty()) wanted.emplace_back("NULL");
  // An index may say other than its table does.
  const std::string sql = fmt::format("SELECT {} FROM main.{} NOT INDEXED", join(wanted, ", "), identifier(table));
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return Rows(invalid_input(sqlite3_errmsg(handle_.get())));
  return Rows(statement, size_bytes_ / kLeastRowBytes);
}

}  // namespace warplens::sqlite
