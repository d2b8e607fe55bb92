// Databases that `warplens convert` writes.
#include <limits>

#include "warplens/base/text.h"
#include "warplens/trace/profile/append.h"
#include "warplens/trace/profile/native/check.h"
#include "warplens/trace/readers/sqlite/kinds.h"

namespace warplens {
namespace own_sqlite {
namespace {

constexpr int64_t kFormat = 1;

using sqlite::Database;
using sqlite::Rows;

struct Texts {
  std::vector<StringId> ids;  // by the number in the file
  int64_t wrong = 0;
};

template <typename T>
Status take(const Rows& rows, int at, const Texts& texts, Column<T>& to) {
  if constexpr (std::is_floating_point_v<T>) {
    to.push_back(rows.real(at));
  } else if constexpr (std::is_same_v<T, StringId>) {
    const int64_t id = rows.integer(at, 0);
    if (id < 0 || static_cast<size_t>(id) >= texts.ids.size())
      return invalid_input(fmt::format("text {} is not among its strings", id));
    to.push_back(texts.ids[static_cast<size_t>(id)]);
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    const int64_t row = rows.integer(at, kNone);
    if (row < 0 || row > kNone) return invalid_input(fmt::format("{} is no row", row));
    to.push_back(static_cast<uint32_t>(row));
  } else if constexpr (std::is_enum_v<T>) {
    const int64_t value = rows.integer(at, 0);
    if (value < 0 || value > std::numeric_limits<std::underlying_type_t<T>>::max())
      return invalid_input(fmt::format("{} is out of range", value));
    to.push_back(static_cast<T>(value));
  } else {
    const int64_t value = rows.integer(at, 0);
    if constexpr (sizeof(T) < sizeof(int64_t)) {
      if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
        return invalid_input(fmt::format("{} is out of range", value));
    }
    to.push_back(static_cast<T>(value));
  }
  return {};
}

template <typename Table>
Status read_table(const Database& database, const char* name, const Texts& texts, Table& table) {
  std::vector<const char*> columns;
  for_each_column(table, [&](const char* column, auto&, const char*) { columns.push_back(column); });
  for (const char* column : columns) {
    if (!database.has(name, column))
      return invalid_input(fmt::format("its table {} has no column {}: written by another version", name, column));
  }
  Rows rows = database.rows(name, columns);
  while (rows.next()) {
    int at = 0;
    Status status;
    for_each_column(table, [&](const char* column, auto& values, const char*) {
      if (status.ok()) status = take(rows, at, texts, values).in(fmt::format("{}.{}", name, column));
      ++at;
    });
    WL_TRY(status);
  }
  return rows.damage();
}

Result<Texts> read_strings(const Database& database, Strings& strings) {
  Texts texts;
  Rows rows = database.rows("strings", {"id", "text"});
  while (rows.next()) {
    if (rows.integer(0) != static_cast<int64_t>(texts.ids.size()))
      return invalid_input(fmt::format("its string number {} is missing", texts.ids.size()));
    texts.ids.push_back(strings.intern(rows.text(1)));
  }
  WL_TRY(rows.damage());
  if (texts.ids.empty()) return invalid_input("it has no strings");
  return texts;
}

Status read_facts(const Database& database, Profile& profile) {
  Rows facts = database.rows("warplens_profile", {"key", "value"});
  while (facts.next()) {
    if (facts.text(0) == "base_ns") profile.base_ns = facts.integer(1);
    if (facts.text(0) == "format" && facts.integer(1) > kFormat)
      return unsupported(fmt::format("written by a newer warplens (format {}): update warplens", facts.integer(1)));
  }
  WL_TRY(facts.damage());
  Rows issues = database.rows("integrity", {"id", "severity", "count", "detail", "advice"});
  while (issues.next()) {
    const auto severity = static_cast<Severity>(std::clamp<int64_t>(issues.integer(1), 0, 2));
    profile.integrity.add(issues.text(0), severity, issues.integer(2), std::string(issues.text(3)),
                          std::string(issues.text(4)));
  }
  return issues.damage();
}

Result<Profile> load(const Database& database) {
  Profile profile;
  if (!database.truncation().empty()) return invalid_input("cut off: " + database.truncation());
  WL_TRY(read_facts(database, profile));
  WL_ASSIGN(const Texts texts, read_strings(database, profile.strings));
  Status status;
  for_each_table(profile, [&](const char* name, auto& table, const char*) {
    if (status.ok()) status = read_table(database, name, texts, table);
  });
  WL_TRY(status);
  WL_TRY(native::check_references(profile, [](const std::string&) { return false; }));
  return profile;
}

bool fits(const Database& database) { return database.has("warplens_profile") && database.has("strings"); }

Status read(const Database& database, const std::string& file, Profile& profile) {
  Result<Profile> loaded = load(database);
  if (!loaded.ok())
    return loaded.status().in(file + ": a database of `warplens convert` that is damaged or was changed");
  if (profile.ranks.size() == 0) profile = std::move(*loaded);
  else append_profile(profile, *loaded);
  return {};
}

}  // namespace
}  // namespace own_sqlite

namespace sqlite {
extern const Kind kOwn;
const Kind kOwn = {"`warplens convert`", own_sqlite::fits, own_sqlite::read};
}  // namespace sqlite

}  // namespace warplens
