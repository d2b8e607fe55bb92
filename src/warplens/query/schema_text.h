// The catalog's description of itself: `warplens query --schema`, and docs/profile-tables.md.
#pragma once
#include <string>

#include "warplens/output/table.h"
#include "warplens/query/catalog.h"

namespace warplens::query {

/// A row a table: its name, rows (if counting them needs no computation), columns and the meaning of a row.
Table tables_list(const Catalog& catalog);

/// A row a column of one table.
Table columns_list(const QueryTable& table);

/// All tables with their columns, for people.
std::string schema_text(const Catalog& catalog, size_t width);

/// {"schema_version":1,"tables":[{"name","what","origin","sql","columns":[{"name","type","unit","refers_to","what"}]}]}
std::string schema_json(const Catalog& catalog);

/// The same as a page of documentation.
std::string tables_page(const Catalog& catalog);

}  // namespace warplens::query
