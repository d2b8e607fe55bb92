// Views: common questions as queries, over tables of the catalog.
#include "warplens/query/catalog.h"

namespace warplens::query {
namespace {

struct ViewColumn {
  const char* name;
  const char* is;  // SQL
  const char* what;
  SqlType type = SqlType::kInteger;
};

struct View {
  const char* name;
  const char* what;
  std::vector<ViewColumn> columns;
  const char* from;  // with where, group by and order by
};

const std::vector<View>& all_views() {
  static const std::vector<View> views = {
      {"kernel_totals",
       "Kernels by name, the costliest first",
       {{"name", "name", "kernel name", SqlType::kText},
        {"class", "class", "class by the rules of `--classes`", SqlType::kText},
        {"count", "count(*)", "launches"},
        {"total_ns", "sum(duration_ns)", "time of all"},
        {"mean_ns", "avg(duration_ns)", "mean length", SqlType::kReal},
        {"min_ns", "min(duration_ns)", "shortest"},
        {"max_ns", "max(duration_ns)", "longest"}},
       "from kernels group by name, class order by sum(duration_ns) desc"},
      {"operator_totals",
       "Operators by the time of the kernels that they launched themselves, the costliest first",
       {{"operator", "operator", "operator name; nothing for kernels without one", SqlType::kText},
        {"kernels", "count(*)", "kernels launched"},
        {"total_ns", "sum(duration_ns)", "time of those"}},
       "from kernels group by operator order by sum(duration_ns) desc"},
      {"step_kernels",
       "Kernels by step and class",
       {{"rank", "rank", "rank in the job"},
        {"step", "step", "number of the step that launched them; null for work outside the steps"},
        {"class", "class", "class by the rules of `--classes`", SqlType::kText},
        {"count", "count(*)", "kernels"},
        {"total_ns", "sum(duration_ns)", "time of those"}},
       "from kernels group by rank, step, class order by rank, step, sum(duration_ns) desc"},
      {"idle_causes",
       "Idle time of each GPU by cause, the costliest first",
       {{"rank", "rank", "rank in the job"},
        {"device", "device", "the GPU's number in its process"},
        {"cause", "cause", "as in gaps", SqlType::kText},
        {"count", "count(*)", "gaps"},
        {"total_ns", "sum(duration_ns)", "time of those"},
        {"longest_ns", "max(duration_ns)", "the longest"}},
       "from gaps group by rank, device, cause order by sum(duration_ns) desc"},
      {"copy_totals",
       "Copies and sets by direction, the costliest first",
       {{"kind", "kind", "copy or set", SqlType::kText},
        {"copy_kind", "copy_kind",
         "host to device, device to host, device to device, host to host, peer to peer, other; none for a set",
         SqlType::kText},
        {"count", "count(*)", "copies or sets"},
        {"total_bytes", "sum(bytes)", "bytes of all"},
        {"total_ns", "sum(duration_ns)", "time of all"}},
       "from copies group by kind, copy_kind order by sum(duration_ns) desc"},
      {"call_totals",
       "CUDA calls by name, the costliest first",
       {{"name", "name", "for example cudaLaunchKernel", SqlType::kText},
        {"count", "count(*)", "calls"},
        {"total_ns", "sum(duration_ns)", "host time of all"},
        {"max_ns", "max(duration_ns)", "longest"}},
       "from calls group by name order by sum(duration_ns) desc"},
  };
  return views;
}

}  // namespace

void add_views(std::vector<QueryTable>& tables) {
  for (const View& view : all_views()) {
    QueryTable& table = tables.emplace_back(QueryTable{view.name, view.what, Origin::kView, {}, {}, "select"});
    for (const ViewColumn& column : view.columns) {
      table.columns.push_back({column.name, column.what, column.type, "", {}});
      table.sql += std::string(table.columns.size() > 1 ? ", " : " ") + column.is + " as \"" + column.name + '"';
    }
    table.sql += std::string(" ") + view.from;
  }
}

}  // namespace warplens::query
