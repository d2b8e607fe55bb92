#include "warplens/query/schema_text.h"

#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/output/terminal.h"

namespace warplens::query {
namespace {

const char* type_name(SqlType type) {
  return type == SqlType::kText ? "text" : type == SqlType::kReal ? "real" : "integer";
}

const char* origin_name(Origin origin) {
  switch (origin) {
    case Origin::kProfile: return "profile";
    case Origin::kSelected: return "selected";
    case Origin::kComputed: return "computed";
    case Origin::kView: break;
  }
  return "view";
}

constexpr std::pair<Origin, const char*> kSections[] = {
    {Origin::kSelected, "Kernels and copies: start here"},
    {Origin::kView, "Views: common questions"},
    {Origin::kComputed, "Results of analyses, computed when a query first uses them"},
    {Origin::kProfile, "The profile, as every reader fills it"}};

Cell text_or_nothing(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }

}  // namespace

Table tables_list(const Catalog& catalog) {
  Table out{{{"table", "table"}, {"rows", "rows", Kind::kNumber}, {"what", "a row is"}, {"columns", "columns"}}, {}};
  for (const auto& [origin, title] : kSections) {
    for (const QueryTable& table : catalog.tables()) {
      if (table.origin != origin) continue;
      std::vector<std::string> names;
      for (const ColumnSource& column : table.columns) names.push_back(column.name);
      out.rows.push_back({table.name, origin == Origin::kProfile ? Cell(int64_t{table.rows()}) : Cell(), table.what,
                          join(names, ", ")});
    }
  }
  return out;
}

Table columns_list(const QueryTable& table) {
  Table out{{{"column", "column"}, {"type", "type"}, {"unit", "unit"}, {"refers_to", "row of"}, {"what", "holds"}}, {}};
  for (const ColumnSource& column : table.columns)
    out.rows.push_back({column.name, std::string(type_name(column.type)), text_or_nothing(unit_of(column.name)),
                        text_or_nothing(column.refers_to), column.what});
  return out;
}

std::string schema_text(const Catalog& catalog, size_t width) {
  std::string out;
  for (const auto& [origin, title] : kSections) {
    out += styled(title, Style::kBold) + "\n\n";
    for (const QueryTable& table : catalog.tables()) {
      if (table.origin != origin) continue;
      out += fmt::format("{}: {}\n{}\n", styled(table.name, Style::kBold), table.what,
                         to_terminal(columns_list(table), width));
    }
  }
  return out;
}

std::string schema_json(const Catalog& catalog) {
  json::Writer writer;
  writer.begin_object().member("schema_version", kSchemaVersion).key("tables").begin_array();
  for (const QueryTable& table : catalog.tables()) {
    writer.begin_object()
        .member("name", table.name)
        .member("what", table.what)
        .member("origin", origin_name(table.origin))
        .key("sql");
    write_cell(writer, text_or_nothing(table.sql));
    write_rows(writer.key("columns"), columns_list(table));
    writer.end_object();
  }
  return writer.end_array().end_object().take() + '\n';
}

std::string tables_page(const Catalog& catalog) {
  std::string page =
      "# The profile's tables\n\n`warplens query PROFILE 'select ...'` queries these tables with [SQL](query.md), "
      "`warplens query "
      "PROFILE --schema` lists them. All times of a profile are nanoseconds on one time axis. In Python, "
      "`profile.table(\"device_events\")` has the columns of the last section. This page is generated from "
      "`src/warplens/trace/profile/schema.def` and `src/warplens/query`.\n";
  for (const auto& [origin, title] : kSections) {
    page += fmt::format("\n## {}\n", title);
    for (const QueryTable& table : catalog.tables()) {
      if (table.origin != origin) continue;
      page +=
          fmt::format("\n### {}\n{}.\n\n| column | type | unit | holds |\n|---|---|---|---|\n", table.name, table.what);
      for (const ColumnSource& column : table.columns)
        page += fmt::format("| {} | {} | {} | {} |\n", column.name, type_name(column.type), unit_of(column.name),
                            replace_all(column.what, "|", "\\|"));
    }
  }
  return page;
}

}  // namespace warplens::query
