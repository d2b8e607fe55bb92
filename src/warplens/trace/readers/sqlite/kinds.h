// The kinds of SQLite files, recognised by their tables. Each kind is in a folder of its own.
#pragma once
#include <vector>

#include "warplens/trace/readers/read.h"
#include "warplens/trace/readers/sqlite/database.h"

namespace warplens::sqlite {

struct Kind {
  const char* name;  // as messages call it
  bool (*fits)(const Database& database);
  /// Adds the file to the profile, as one or more ranks.
  Status (*read)(const Database& database, const std::string& file, Profile& profile);
};

const std::vector<const Kind*>& all_kinds();

}  // namespace warplens::sqlite
