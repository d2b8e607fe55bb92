#include "warplens/query/virtual_table.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "warplens/base/text.h"

namespace warplens::query {

uint32_t OpenTable::rows() {
  if (!rows_) rows_ = declared_.rows();
  return *rows_;
}

const ColumnData& OpenTable::data(size_t column) {
  if (!data_[column]) data_[column] = declared_.columns[column].data();
  return *data_[column];
}

const RowIndex* OpenTable::index_for_lookup(size_t column) {
  if (indexes_[column] == nullptr) {
    if (lookups_[column] < 2) ++lookups_[column];
    if (lookups_[column] < 2 || declared_.columns[column].type == SqlType::kReal) return nullptr;
    indexes_[column] = std::make_unique<RowIndex>(data(column), rows());
  }
  return indexes_[column].get();
}

bool OpenTable::ascends(size_t column) {
  for (const auto& [known, ascends] : ascending_) {
    if (known == column) return ascends;
  }
  const ColumnData& values = data(column);
  bool ascends = true;
  for (uint32_t row = 1; row < rows() && ascends; ++row) ascends = key_at(values, row - 1) <= key_at(values, row);
  ascending_.emplace_back(column, ascends);
  return ascends;
}

namespace {

constexpr uint32_t kBlockRows = 4096;

struct TableHandle : sqlite3_vtab {
  OpenTable* open = nullptr;
};

struct Cursor : sqlite3_vtab_cursor {
  OpenTable* open = nullptr;
  std::vector<Predicate> predicates;
  std::vector<uint32_t> rows;  // of the block at hand that fit
  size_t at = 0;
  uint32_t next = 0, end = 0;  // rows that no block has taken yet
};

OpenTable& table_of(sqlite3_vtab* handle) { return *static_cast<TableHandle*>(handle)->open; }
Cursor& cursor_of(sqlite3_vtab_cursor* cursor) { return *static_cast<Cursor*>(cursor); }

const char* sql_name(SqlType type) {
  return type == SqlType::kText ? "TEXT" : type == SqlType::kReal ? "REAL" : "INTEGER";
}

int connect(sqlite3* db, void* open, int, const char* const*, sqlite3_vtab** out, char**) {
  auto* table = static_cast<OpenTable*>(open);
  std::string declaration = "CREATE TABLE x(";
  for (const ColumnSource& column : table->declared().columns)
    declaration +=
        fmt::format("{}\"{}\" {}", declaration.back() == '(' ? "" : ", ", column.name, sql_name(column.type));
  table->guard().declaring = true;
  const int code = sqlite3_declare_vtab(db, (declaration + ")").c_str());
  table->guard().declaring = false;
  if (code != SQLITE_OK) return code;
  auto* handle = new TableHandle{};
  handle->open = table;
  *out = handle;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* handle) {
  delete static_cast<TableHandle*>(handle);
  return SQLITE_OK;
}

std::optional<Comparison> comparison_of(unsigned char op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return Comparison::kEqual;
    case SQLITE_INDEX_CONSTRAINT_LT: return Comparison::kLess;
    case SQLITE_INDEX_CONSTRAINT_LE: return Comparison::kLessOrEqual;
    case SQLITE_INDEX_CONSTRAINT_GT: return Comparison::kGreater;
    case SQLITE_INDEX_CONSTRAINT_GE: return Comparison::kGreaterOrEqual;
    case SQLITE_INDEX_CONSTRAINT_ISNULL: return Comparison::kIsNull;
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL: return Comparison::kIsNotNull;
    default: return std::nullopt;
  }
}

Value::Kind kind_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: return Value::Kind::kInteger;
    case SQLITE_FLOAT: return Value::Kind::kReal;
    case SQLITE_TEXT: return Value::Kind::kText;
    default: return Value::Kind::kNull;
  }
}

Value value_of(sqlite3_value* value) {
  Value out{kind_of(value), 0, 0, {}};
  if (out.kind == Value::Kind::kInteger) out.integer = sqlite3_value_int64(value);
  if (out.kind == Value::Kind::kReal) out.real = sqlite3_value_double(value);
  if (out.kind == Value::Kind::kText)
    out.text = {reinterpret_cast<const char*>(sqlite3_value_text(value)),
                static_cast<size_t>(sqlite3_value_bytes(value))};
  return out;
}

/// Whether SQLite need not check the condition again, which it can be told only where the value stands in the query.
bool is_settled([[maybe_unused]] sqlite3_index_info* info, [[maybe_unused]] int i, [[maybe_unused]] SqlType type,
                Comparison comparison) {
  if (comparison == Comparison::kIsNull || comparison == Comparison::kIsNotNull) return true;
#if SQLITE_VERSION_NUMBER >= 3038000
  sqlite3_value* value = nullptr;
  return sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK && value != nullptr &&
         is_exact(type, comparison, kind_of(value));
#else
  return false;
#endif
}

/// Rows that one condition leaves of `rows`, as the planner weighs it.
double estimated(double rows, Comparison comparison, bool is_row_number) {
  if (comparison != Comparison::kEqual) return rows / 4;
  return is_row_number ? 1 : std::max(1.0, rows / 200);
}

/// The plan is text: "column:comparison " for each condition, in the order of its arguments.
int best_index(sqlite3_vtab* handle, sqlite3_index_info* info) try {
  OpenTable& open = table_of(handle);
  const auto& columns = open.declared().columns;
  const double all = std::max<double>(1, open.rows());
  double rows = all;
  bool lookup = false;
  int arguments = 0;
  std::string plan;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const std::optional<Comparison> comparison = comparison_of(constraint.op);
    if (!constraint.usable || !comparison || constraint.iColumn >= static_cast<int>(columns.size())) continue;
    // SQLite's own row number is this table's: the place, not what a column called `row` holds.
    if (constraint.iColumn < 0) continue;
    const ColumnSource& column = columns[static_cast<size_t>(constraint.iColumn)];
    if (column.type == SqlType::kText && std::strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
    plan += fmt::format("{}:{} ", constraint.iColumn, static_cast<int>(*comparison));
    info->aConstraintUsage[i].argvIndex = ++arguments;
    info->aConstraintUsage[i].omit = is_settled(info, i, column.type, *comparison);
    rows = std::min(rows, estimated(rows, *comparison, constraint.iColumn == 0));
    lookup = lookup || *comparison == Comparison::kEqual;
  }
  info->estimatedRows = static_cast<sqlite3_int64>(std::max(1.0, rows));
  info->estimatedCost = lookup ? rows + 10 : all + rows;
  if (info->nOrderBy == 1 && !info->aOrderBy[0].desc && info->aOrderBy[0].iColumn >= 0 &&
      open.ascends(static_cast<size_t>(info->aOrderBy[0].iColumn)) &&
      columns[static_cast<size_t>(info->aOrderBy[0].iColumn)].type == SqlType::kInteger)
    info->orderByConsumed = 1;
  info->idxStr = sqlite3_mprintf("%s", plan.c_str());
  info->needToFreeIdxStr = 1;
  return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
} catch (const std::bad_alloc&) {
  return SQLITE_NOMEM;
}

int open_cursor(sqlite3_vtab* handle, sqlite3_vtab_cursor** out) {
  auto* cursor = new Cursor{};
  cursor->open = &table_of(handle);
  *out = cursor;
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

void take_block(Cursor& cursor) {
  cursor.rows.clear();
  cursor.at = 0;
  while (cursor.rows.empty() && cursor.next < cursor.end) {
    const uint32_t last = cursor.end - cursor.next > kBlockRows ? cursor.next + kBlockRows : cursor.end;
    cursor.rows.resize(last - cursor.next);
    for (uint32_t row = cursor.next; row < last; ++row) cursor.rows[row - cursor.next] = row;
    for (const Predicate& predicate : cursor.predicates) predicate.keep(cursor.rows);
    cursor.next = last;
  }
}

/// Rows with one key, by the row number itself or an index; false where the condition is to be checked row by row.
bool look_up(Cursor& cursor, size_t column, const Predicate& predicate) {
  const int64_t key = predicate.wanted_key();
  if (key == kNoValue) return false;
  if (predicate.column().physical == Physical::kOwnRow) {
    if (key >= 0 && key < int64_t{cursor.open->rows()}) cursor.rows.push_back(static_cast<uint32_t>(key));
    return true;
  }
  const RowIndex* index = cursor.open->index_for_lookup(column);
  if (index == nullptr) return false;
  const auto rows = index->equal(key);
  cursor.rows.assign(rows.begin(), rows.end());
  return true;
}

int filter(sqlite3_vtab_cursor* base, int, const char* plan, int, sqlite3_value** values) try {
  Cursor& cursor = cursor_of(base);
  OpenTable& open = *cursor.open;
  cursor.predicates.clear();
  cursor.rows.clear();
  cursor.at = cursor.next = cursor.end = 0;
  bool found = false, never = false;
  for (const std::string_view part : split(trim(plan), ' ')) {
    if (part.empty()) continue;
    const size_t colon = part.find(':');
    const auto column = static_cast<size_t>(*parse_int(part.substr(0, colon)));
    const auto comparison = static_cast<Comparison>(*parse_int(part.substr(colon + 1)));
    const Predicate predicate(open.data(column), comparison, value_of(*values++), open.strings());
    never = never || predicate.never();
    if (!never && !found && look_up(cursor, column, predicate)) found = true;
    else cursor.predicates.push_back(predicate);
  }
  if (never) cursor.rows.clear();
  else if (found)
    for (const Predicate& predicate : cursor.predicates) predicate.keep(cursor.rows);
  else {
    cursor.end = open.rows();
    take_block(cursor);
  }
  return SQLITE_OK;
} catch (const std::bad_alloc&) {
  return SQLITE_NOMEM;
}

int next(sqlite3_vtab_cursor* base) {
  Cursor& cursor = cursor_of(base);
  if (++cursor.at >= cursor.rows.size()) take_block(cursor);
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* base) { return cursor_of(base).at >= cursor_of(base).rows.size(); }

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int number) try {
  const Cursor& cursor = cursor_of(base);
  const ColumnData& data = cursor.open->data(static_cast<size_t>(number));
  const Value value = value_at(data, cursor.open->strings(), cursor.rows[cursor.at]);
  switch (value.kind) {
    case Value::Kind::kNull: break;
    case Value::Kind::kInteger: sqlite3_result_int64(context, value.integer); break;
    case Value::Kind::kReal: sqlite3_result_double(context, value.real); break;
    case Value::Kind::kText:
      sqlite3_result_text64(context, value.text.data() ? value.text.data() : "", value.text.size(), SQLITE_STATIC,
                            SQLITE_UTF8);
  }
  return SQLITE_OK;
} catch (const std::bad_alloc&) {
  return SQLITE_NOMEM;
}

int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  *out = cursor_of(base).rows[cursor_of(base).at];
  return SQLITE_OK;
}

sqlite3_module make_module() {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xDisconnect = disconnect;
  module.xBestIndex = best_index;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}

}  // namespace

Status register_table(sqlite3* db, OpenTable& table) {
  static const sqlite3_module module = make_module();  // without xCreate: it is there without CREATE, and read only
  if (sqlite3_create_module_v2(db, table.declared().name.c_str(), &module, &table, nullptr) != SQLITE_OK)
    return internal_error(fmt::format("SQLite refused the table {}: {}", table.declared().name, sqlite3_errmsg(db)));
  return {};
}

void unregister_table(sqlite3* db, const OpenTable& table) {
  sqlite3_create_module_v2(db, table.declared().name.c_str(), nullptr, nullptr, nullptr);
}

}  // namespace warplens::query
