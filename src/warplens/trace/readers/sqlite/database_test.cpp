// Databases that are cut off, changed, or made to do harm.
#include "warplens/trace/readers/sqlite/database.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstring>
#include <random>

#include "warplens/trace/readers/format.h"

namespace warplens::sqlite {
namespace {

std::string database_of(const char* sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &database), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, &error), SQLITE_OK) << (error ? error : "");
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database, "main", &size, 0);
  std::string out(reinterpret_cast<char*>(bytes), static_cast<size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return out;
}

Result<Database> open(const std::string& bytes) {
  Input input = Input::of_bytes("test.sqlite", bytes);
  return Database::open(input);
}

int64_t count(Rows rows) {
  int64_t out = 0;
  while (rows.next()) ++out;
  return out;
}

constexpr const char* kMany =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, demangledName INT);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10, i * 10 + 5, 0, 7, i FROM n;"
    "INSERT INTO StringIds SELECT demangledName, 'kernel ' || demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL;";

TEST(Database, MissingTablesAndColumnsAreNull) {
  const auto database =
      open(database_of("CREATE TABLE t (a INT, \"b \"\"c\"\"\" TEXT); INSERT INTO t VALUES (1, 'x');"));
  ASSERT_TRUE(database.ok());
  Rows rows = database->rows("t", {"a", "missing", "b \"c\""});
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), 1);
  EXPECT_TRUE(rows.is_null(1));
  EXPECT_EQ(rows.integer(1, 42), 42);
  EXPECT_EQ(rows.text(2), "x");
  EXPECT_FALSE(rows.next());
  EXPECT_EQ(count(database->rows("nowhere", {"a"})), 0);
}

TEST(Database, RunsNothingThatItHolds) {
  const auto database = open(database_of(
      "CREATE TABLE t (a INT, g INT AS (a / 0) VIRTUAL, h TEXT AS (upper(a)) STORED); INSERT INTO t VALUES (1);"
      "CREATE VIEW v AS SELECT load_extension('x') FROM t;"
      "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT 1; END;"));
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(database->tables().size(), 1U);
  EXPECT_EQ(database->tables().at("t"), std::vector<std::string>{"a"});
  EXPECT_EQ(database->left_out(), 2);
}

TEST(Database, CutAnywhereKeepsWhatIsThereOrSaysWhy) {
  const std::string whole = database_of(kMany);
  for (size_t size = 0; size < whole.size(); size += 499) {
    const auto database = open(whole.substr(0, size));
    if (!database.ok()) {
      EXPECT_FALSE(database.status().message().empty());
      continue;
    }
    EXPECT_FALSE(database->truncation().empty()) << size;
    Rows rows = database->rows("CUPTI_ACTIVITY_KIND_KERNEL", {"start"});
    int64_t read = 0;
    while (rows.next()) ++read;
    EXPECT_TRUE(read == 3000 || !rows.damage().ok() || !database->has("CUPTI_ACTIVITY_KIND_KERNEL")) << size;
  }
}

TEST(Database, ChangedBytesNeitherCrashNorHang) {
  const std::string whole = database_of(kMany);
  std::mt19937 dice(7);
  for (int round = 0; round < 150; ++round) {
    std::string changed = whole;
    for (uint32_t k = 0; k < 1 + dice() % 40; ++k) changed[dice() % changed.size()] = static_cast<char>(dice());
    Input input = Input::of_bytes("test.sqlite", changed);
    Profile profile;
    const Status read = read_input(input, {}, profile);
    EXPECT_TRUE(read.ok() || !read.message().empty());
  }
}

/// Interior pages that name one child many times would make ten thousand pages of two.
TEST(Database, RowsAreNoMoreThanTheFileCanHold) {
  std::string bomb = database_of(kMany);
  constexpr size_t kPage = 4096;
  const auto two = [&](size_t at) {
    return size_t{static_cast<uint8_t>(bomb[at])} << 8 | static_cast<uint8_t>(bomb[at + 1]);
  };
  int changed = 0;
  for (size_t page = 1; page < bomb.size() / kPage; ++page) {
    const size_t at = page * kPage;
    if (bomb[at] != 5) continue;  // an interior page of a table
    for (size_t cell = 0; cell < two(at + 3); ++cell) {
      std::memset(&bomb[at + two(at + 12 + 2 * cell)], 0, 3);
      bomb[at + two(at + 12 + 2 * cell) + 3] = static_cast<char>(page + 1);  // each child is the page itself
      ++changed;
    }
  }
  ASSERT_GT(changed, 0);
  const auto database = open(bomb);
  ASSERT_TRUE(database.ok());
  Rows rows = database->rows("CUPTI_ACTIVITY_KIND_KERNEL", {"start"});
  int64_t read = 0;
  while (rows.next()) ++read;
  EXPECT_FALSE(rows.damage().ok());
  EXPECT_LT(read, static_cast<int64_t>(bomb.size()));
}

TEST(Database, OthersAreRefusedInWords) {
  Input input = Input::of_bytes("bookmarks.db", database_of("CREATE TABLE bookmarks (url TEXT);"));
  Profile profile;
  const Status read = read_input(input, {}, profile);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.message().find("an SQLite database without the tables of Nsight Systems"), std::string::npos);
}

}  // namespace
}  // namespace warplens::sqlite
