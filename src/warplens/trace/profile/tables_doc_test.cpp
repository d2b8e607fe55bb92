// docs/profile-tables.md says what schema.def says. WARPLENS_UPDATE=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/trace/profile/profile.h"

namespace warplens {
namespace {

template <typename T>
const char* type_name() {
  if constexpr (std::is_same_v<T, StringId>) return "text";
  else if constexpr (std::is_same_v<T, OperatorKind>) return "0 operator, 1 range, 2 instant";
  else if constexpr (std::is_same_v<T, CallKind>) return "0 runtime, 1 driver";
  else if constexpr (std::is_same_v<T, DeviceEventKind>) return "0 kernel, 1 copy, 2 set, 3 range";
  else if constexpr (std::is_same_v<T, CopyKind>)
    return "0 none, 1 host to device, 2 device to host, 3 device to device, 4 host to host, 5 peer to peer, 6 other";
  else if constexpr (std::is_floating_point_v<T>) return "real";
  else if constexpr (std::is_signed_v<T>) return sizeof(T) == 8 ? "integer, 64 bits" : "integer, 32 bits";
  else return sizeof(T) == 8 ? "unsigned, 64 bits" : sizeof(T) == 4 ? "row number" : "unsigned, 8 bits";
}

std::string tables_page() {
  std::string page =
      "# The profile's tables\n\nEvery reader fills these tables, and every analysis takes them. Times are nanoseconds "
      "on one axis "
      "per profile. A column that is a row number names a row of the table in its description. This page follows from "
      "`src/warplens/trace/profile/schema.def`.\n";
  const Tables tables;
  for_each_table(tables, [&](const char* name, const auto& table, const char* what) {
    page += fmt::format("\n## {}\n{}.\n\n| column | type | holds |\n|---|---|---|\n", name, what);
    for_each_column(table, [&]<typename T>(const char* column, const Column<T>&, const char* holds) {
      page += fmt::format("| {} | {} | {} |\n", column, type_name<T>(), holds);
    });
  });
  return page;
}

TEST(Tables, AreDocumented) {
  const std::string path = tests::source_path("docs/profile-tables.md");
  if (std::getenv("WARPLENS_UPDATE") != nullptr) {
    ASSERT_TRUE(write_file(path, tables_page(), true).ok());
  }
  const Result<std::string> written = read_file(path);
  ASSERT_TRUE(written.ok()) << written.status().message();
  EXPECT_EQ(written.value(), tables_page())
      << "write it anew: WARPLENS_UPDATE=1 build/profile_test --gtest_filter='Tables.*'";
}

}  // namespace
}  // namespace warplens
