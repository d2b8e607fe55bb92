// Databases: what one holds is told by its tables.
#include "warplens/base/text.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/sqlite/kinds.h"

namespace warplens {
namespace sqlite {

extern const Kind kNsys;
extern const Kind kOwn;
extern const Kind kRocpd;
extern const Kind kRpd;

const std::vector<const Kind*>& all_kinds() {
  static const std::vector<const Kind*> kinds = {&kNsys, &kOwn, &kRocpd, &kRpd};
  return kinds;
}

namespace {

Status read(Input& input, const ReadOptions&, Profile& profile) {
  WL_ASSIGN(const Database database, Database::open(input));
  for (const Kind* kind : all_kinds()) {
    if (!kind->fits(database)) continue;
    WL_TRY(kind->read(database, input.name(), profile));
    if (!database.truncation().empty())
      profile.integrity.add("truncated", Severity::kError, 1,
                            fmt::format("{}: {}", input.name(), database.truncation()),
                            "the rest of the recording is missing: export or copy the file again");
    return {};
  }
  std::vector<std::string> known;
  for (const Kind* kind : all_kinds()) known.emplace_back(kind->name);
  const std::string cut = database.truncation().empty() ? "" : fmt::format(" (truncated: {})", database.truncation());
  return invalid_input(
      fmt::format("{}: an SQLite database without the tables of {}{}", input.name(), join(known, " or "), cut));
}

}  // namespace
}  // namespace sqlite

extern const TraceFormat kSqlite;
const TraceFormat kSqlite = {
    "SQLite databases of Nsight Systems, rocprofv3 (rocpd), rocmProfileData (rpd) and `warplens convert`",
    sqlite::Database::sniff, sqlite::read};

}  // namespace warplens
