// A profile as an SQLite database, for anything that asks SQL.
#pragma once
#include "warplens/base/byte_sink.h"
#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::writers {

/// A table for each table of the profile, with the same columns: texts are row numbers of `strings`, enumerations are
/// numbers, "no row" is NULL. A view `named_TABLE` has the texts themselves. It reads back as the same profile.
Status sqlite_database(const Profile& profile, const ByteSink& to);

}  // namespace warplens::writers
