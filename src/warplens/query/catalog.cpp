#include "warplens/query/catalog.h"

#include <algorithm>

#include "warplens/query/facts.h"

namespace warplens::query {

Catalog::Catalog(const Profile& profile) : profile_(profile), facts_(std::make_unique<Facts>(profile)) {
  add_profile_tables(profile, *facts_, tables_);
  add_selected_tables(profile, *facts_, tables_);
  add_computed_tables(profile, *facts_, tables_);
  add_views(tables_);
}

Catalog::~Catalog() = default;

const QueryTable* Catalog::find(std::string_view name) const {
  const auto found = std::find_if(tables_.begin(), tables_.end(), [&](const QueryTable& t) { return t.name == name; });
  return found == tables_.end() ? nullptr : &*found;
}

std::string_view unit_of(std::string_view column) {
  if (column.ends_with("_ns")) return "ns";
  if (column == "bytes" || column.ends_with("_bytes") || column.find("_bytes_per_") != std::string_view::npos)
    return "bytes";
  if (column.ends_with("_gbs")) return "GB/s";
  return {};
}

}  // namespace warplens::query
