// docs/profile-tables.md says what the catalog says. WARPLENS_UPDATE=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/query/schema_text.h"

namespace warplens::query {
namespace {

TEST(Tables, AreDocumented) {
  const std::string path = tests::source_path("docs/profile-tables.md");
  const Profile none;
  const Catalog catalog(none);
  if (std::getenv("WARPLENS_UPDATE") != nullptr) {
    ASSERT_TRUE(write_file(path, tables_page(catalog), true).ok());
  }
  const Result<std::string> written = read_file(path);
  ASSERT_TRUE(written.ok()) << written.status().message();
  EXPECT_EQ(written.value(), tables_page(catalog))
      << "write it anew: WARPLENS_UPDATE=1 build/query_test --gtest_filter='Tables.*'";
}

}  // namespace
}  // namespace warplens::query
