// The tables of schema.def, each with its row number and with what follows from its events.
#include <concepts>

#include "warplens/query/catalog.h"
#include "warplens/query/facts.h"

namespace warplens::query {
namespace {

constexpr std::string_view kRowOf = "row of ";

/// The table that "row of devices; nothing for ..." names.
std::string referred(std::string_view what) {
  if (!what.starts_with(kRowOf)) return {};
  what.remove_prefix(kRowOf.size());
  return std::string(what.substr(0, what.find_first_not_of("abcdefghijklmnopqrstuvwxyz_")));
}

template <typename T>
ColumnSource plain(const char* name, const Column<T>& column, const char* what) {
  constexpr Physical physical = physical_of<T>();
  return {name, what, sql_type(physical), std::is_same_v<T, uint32_t> ? referred(what) : "",
          [&column] { return ColumnData{physical, column.begin(), value_names<T>(), nullptr}; }};
}

/// Rows of another table, computed when they are asked for.
ColumnSource rows_column(const char* name, const char* what, const char* table, std::function<const Rows&()> rows) {
  return {name, what, SqlType::kInteger, table,
          [rows = std::move(rows)] { return ColumnData{Physical::kRowNumber, rows().data(), {}, nullptr}; }};
}

ColumnSource step_column(const char* what, std::function<const Numbers&()> steps) {
  return {"step", what, SqlType::kInteger, "",
          [steps = std::move(steps)] { return ColumnData{Physical::kOptional, steps().data(), {}, nullptr}; }};
}

ColumnSource rank_column(const Profile& profile, std::function<const Rows&()> ranks) {
  return {"rank", "rank in the job", SqlType::kInteger, "", [&profile, ranks = std::move(ranks)] {
            return ColumnData{Physical::kInt32, profile.ranks.rank.begin(), {}, ranks().data()};
          }};
}

/// What follows from any table's own columns: the end of an event, its rank.
template <typename Table>
void add_common(const Profile& profile, Facts& facts, const Table& table, std::vector<ColumnSource>& columns) {
  if constexpr (requires { table.duration_ns; }) {
    columns.push_back(
        {"end_ns", "begin and length together", SqlType::kInteger, "", [&table, ends = std::make_shared<Numbers>()] {
           if (ends->empty())
             for (size_t i = 0; i < table.size(); ++i) ends->push_back(table.start_ns[i] + table.duration_ns[i]);
           return ColumnData{Physical::kInt64, ends->data(), {}, nullptr};
         }});
  }
  if constexpr (requires { table.device; })
    columns.push_back(rank_column(profile, [&]() -> const Rows& { return facts.ranks_of_devices(table.device); }));
  else if constexpr (requires {
                       { table.thread[0] } -> std::same_as<const uint32_t&>;
                     })
    columns.push_back(rank_column(profile, [&]() -> const Rows& { return facts.ranks_of_threads(table.thread); }));
}

void add_joins(const operators_table&, const Profile&, Facts& facts, std::vector<ColumnSource>& columns) {
  columns.push_back(
      step_column("number of the step it began in", [&]() -> const Numbers& { return facts.operator_step(); }));
  columns.push_back(rows_column("parent", "row of operators; the operator or range around it", "operators",
                                [&]() -> const Rows& { return facts.causes().operators.parent; }));
  columns.push_back({"depth", "operators and ranges around it", SqlType::kInteger, "", [&] {
                       return ColumnData{Physical::kRowNumber, facts.causes().operators.depth.data(), {}, nullptr};
                     }});
}

void add_joins(const calls_table&, const Profile&, Facts& facts, std::vector<ColumnSource>& columns) {
  columns.push_back(
      step_column("number of the step it began in", [&]() -> const Numbers& { return facts.call_step(); }));
  columns.push_back(rows_column("operator", "row of operators; the operator that made the call", "operators",
                                [&]() -> const Rows& { return facts.causes().links.call_operator; }));
}

void add_joins(const device_events_table&, const Profile&, Facts& facts, std::vector<ColumnSource>& columns) {
  columns.push_back(
      step_column("number of the step that launched it", [&]() -> const Numbers& { return facts.event_step(); }));
  columns.push_back(rows_column("operator", "row of operators; the operator that launched it", "operators",
                                [&]() -> const Rows& { return facts.event_operator(); }));
  columns.push_back(rows_column("call", "row of calls; the call that launched it", "calls",
                                [&]() -> const Rows& { return facts.event_call(); }));
  columns.push_back(
      {"class", "class by the rules of `--classes`: gemm, attention, ...", SqlType::kText, "",
       [&] { return ColumnData{Physical::kName, facts.classes().of_event.data(), facts.class_names(), nullptr}; }});
}

void add_joins(const synchronizations_table&, const Profile&, Facts& facts, std::vector<ColumnSource>& columns) {
  columns.push_back(rows_column("call", "row of calls; the call that waited", "calls",
                                [&]() -> const Rows& { return facts.causes().links.sync_call; }));
}

template <typename Table>
void add_joins(const Table&, const Profile&, Facts&, std::vector<ColumnSource>&) {}

}  // namespace

void add_profile_tables(const Profile& profile, Facts& facts, std::vector<QueryTable>& tables) {
  for_each_table(profile, [&](const char* name, const auto& table, const char* what) {
    QueryTable& out = tables.emplace_back(QueryTable{name, what, Origin::kProfile, {}, {}, {}});
    out.rows = [&table] { return static_cast<uint32_t>(table.size()); };
    out.columns.push_back({"row", "its number, by which other tables refer to it", SqlType::kInteger, "",
                           [] { return ColumnData{Physical::kOwnRow, nullptr, {}, nullptr}; }});
    for_each_column(table, [&](const char* column, const auto& values, const char* holds) {
      out.columns.push_back(plain(column, values, holds));
    });
    add_common(profile, facts, table, out.columns);
    add_joins(table, profile, facts, out.columns);
  });
}

}  // namespace warplens::query
