// Errors of SQL for people: the mistake, its place, and the existing names.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/query/catalog.h"

namespace warplens::query {

/// `message` is SQLite's; `offset` is the byte of `sql` where it stumbled, -1 when it does not say.
Status sql_error(std::string_view sql, const std::string& message, int offset, const Catalog& catalog);

/// The line of `sql` that holds byte `offset`, and a mark under it.
std::string marked_place(std::string_view sql, size_t offset);

}  // namespace warplens::query
