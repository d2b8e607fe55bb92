// Kernels and copies with what people ask of them, reached through the rows that they refer to: nothing is copied.
#include "warplens/query/catalog.h"
#include "warplens/query/facts.h"

namespace warplens::query {
namespace {

struct Builder {
  const Profile& profile;
  Facts& facts;
  DeviceEventKind kind;
  std::vector<ColumnSource>& columns;

  template <typename T>
  void add(const char* name, const char* what, const Column<T>& values, Reference reference) {
    constexpr Physical physical = physical_of<T>();
    columns.push_back({name, what, sql_type(physical), "", [f = &facts, k = kind, &values, reference] {
                         return ColumnData{physical, values.begin(), value_names<T>(),
                                           f->selected(k, reference).data()};
                       }});
  }
  void add_rows(const char* name, const char* what, const char* table, Reference reference) {
    columns.push_back({name, what, SqlType::kInteger, table, [f = &facts, k = kind, reference] {
                         return ColumnData{Physical::kRowNumber, f->selected(k, reference).data(), {}, nullptr};
                       }});
  }
  void add_step() {
    columns.push_back({"step", "number of the step that launched it", SqlType::kInteger, "", [f = &facts, k = kind] {
                         return ColumnData{
                             Physical::kOptional, f->event_step().data(), {}, f->selected(k, Reference::kEvent).data()};
                       }});
  }
  void add_class() {
    columns.push_back({"class", "class by the rules of `--classes`: gemm, attention, ...", SqlType::kText, "",
                       [f = &facts, k = kind] {
                         return ColumnData{Physical::kName, f->classes().of_event.data(), f->class_names(),
                                           f->selected(k, Reference::kEvent).data()};
                       }});
  }
};

void add_event(Builder& to, const char* name_holds) {
  const auto& events = to.profile.device_events;
  to.add_rows("row", "row of device_events", "device_events", Reference::kEvent);
  to.add("name", name_holds, events.name, Reference::kEvent);
  to.add("start_ns", "begin", events.start_ns, Reference::kEvent);
  to.add("duration_ns", "length", events.duration_ns, Reference::kEvent);
  to.add_step();
  to.add("rank", "rank in the job", to.profile.ranks.rank, Reference::kRank);
  to.add("device", "the GPU's number in its process", to.profile.devices.ordinal, Reference::kDevice);
  to.add("stream", "stream id", events.stream, Reference::kEvent);
}

void add_operator(Builder& to) {
  const auto& operators = to.profile.operators;
  to.add("operator", "name of the operator that launched it", operators.name, Reference::kOperator);
  to.add("input_shapes", "that operator's Input Dims", operators.input_shapes, Reference::kOperator);
  to.add("module", "that operator's Module Hierarchy", operators.module, Reference::kOperator);
  to.add_rows("operator_row", "row of operators; the operator that launched it", "operators", Reference::kOperator);
}

void add_kernels(Builder to) {
  const auto& configs = to.profile.launch_configs;
  const auto& collectives = to.profile.collectives;
  add_event(to, "kernel name");
  to.add_class();
  add_operator(to);
  for (const auto& [name, column] : {std::pair{"grid_x", &configs.grid_x}, std::pair{"grid_y", &configs.grid_y},
                                     std::pair{"grid_z", &configs.grid_z}})
    to.add(name, "blocks", *column, Reference::kLaunchConfig);
  for (const auto& [name, column] : {std::pair{"block_x", &configs.block_x}, std::pair{"block_y", &configs.block_y},
                                     std::pair{"block_z", &configs.block_z}})
    to.add(name, "threads", *column, Reference::kLaunchConfig);
  to.add("registers_per_thread", "32-bit registers", configs.registers_per_thread, Reference::kLaunchConfig);
  to.add("shared_bytes", "static and dynamic shared memory per block", configs.shared_bytes, Reference::kLaunchConfig);
  to.add("occupancy", "estimated achieved occupancy, 0..1; negative when not given", configs.occupancy,
         Reference::kLaunchConfig);
  to.add("collective", "collective of a communication kernel, for example allreduce", collectives.name,
         Reference::kCollective);
  to.add("graph_id", "CUDA graph; 0 when launched alone", to.profile.device_events.graph_id, Reference::kEvent);
}

void add_copies(Builder to) {
  const auto& events = to.profile.device_events;
  add_event(to, "for example Memcpy HtoD (Pageable -> Device)");
  to.add("kind", "copy or set", events.kind, Reference::kEvent);
  to.add("copy_kind",
         "host to device, device to host, device to device, host to host, peer to peer, other; none for a set",
         events.copy_kind, Reference::kEvent);
  to.add("bytes", "bytes copied or set", events.bytes, Reference::kEvent);
  add_operator(to);
}

}  // namespace

void add_selected_tables(const Profile& profile, Facts& facts, std::vector<QueryTable>& tables) {
  const auto add = [&](const char* name, const char* what, DeviceEventKind kind, void (*fill)(Builder)) {
    QueryTable& table = tables.emplace_back(QueryTable{name, what, Origin::kSelected, {}, {}, {}});
    table.rows = [f = &facts, kind] { return static_cast<uint32_t>(f->selected(kind, Reference::kEvent).size()); };
    fill({profile, facts, kind, table.columns});
  };
  add("kernels", "A kernel with the operator that launched it, its step, class and launch", DeviceEventKind::kKernel,
      add_kernels);
  add("copies", "A copy or set with the operator that launched it and its step", DeviceEventKind::kCopy, add_copies);
}

}  // namespace warplens::query
