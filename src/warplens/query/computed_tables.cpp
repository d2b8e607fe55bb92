// Tables of what analyses find: rows are computed as a whole when a query first asks for one.
#include <deque>
#include <map>

#include "warplens/query/catalog.h"
#include "warplens/query/facts.h"

namespace warplens::query {
namespace {

/// One computed table: a row an Item, a column a function of it.
template <typename Item>
class Computed {
 public:
  Computed(QueryTable& table, std::function<std::vector<Item>()> find)
      : table_(table), state_(std::make_shared<State>()) {
    state_->find = std::move(find);
    table.rows = [s = state_] { return static_cast<uint32_t>(s->items().size()); };
  }
  void integer(const char* name, const char* what, int64_t (*of)(const Item&), const char* refers_to = "") {
    add(name, what, SqlType::kInteger, refers_to, [of](const Item& item) { return of(item); }, Physical::kOptional);
  }
  void real(const char* name, const char* what, double (*of)(const Item&)) {
    add(name, what, SqlType::kReal, "", [of](const Item& item) { return of(item); }, Physical::kReal);
  }
  /// Of a text that lives as long as the items do.
  void text(const char* name, const char* what, std::string_view (*of)(const Item&)) {
    table_.columns.push_back({name, what, SqlType::kText, "", [s = state_, of] {
                                std::vector<uint32_t>& places = s->places.emplace_back();
                                std::vector<std::string_view>& texts = s->texts.emplace_back();
                                std::map<std::string_view, uint32_t> known;
                                for (const Item& item : s->items()) {
                                  const auto next = static_cast<uint32_t>(texts.size());
                                  const auto [at, added] = known.emplace(of(item), next);
                                  if (added) texts.push_back(at->first);
                                  places.push_back(at->second);
                                }
                                return ColumnData{Physical::kLongName, places.data(), texts, nullptr};
                              }});
  }

 private:
  struct State {
    std::function<std::vector<Item>()> find;
    std::optional<std::vector<Item>> found;
    std::deque<std::vector<int64_t>> integers;
    std::deque<std::vector<double>> reals;
    std::deque<std::vector<uint32_t>> places;
    std::deque<std::vector<std::string_view>> texts;
    const std::vector<Item>& items() {
      if (!found) found = find();
      return *found;
    }
    std::vector<int64_t>& store(int64_t) { return integers.emplace_back(); }
    std::vector<double>& store(double) { return reals.emplace_back(); }
  };

  template <typename Of>
  void add(const char* name, const char* what, SqlType type, const char* refers_to, Of of, Physical physical) {
    table_.columns.push_back({name, what, type, refers_to, [s = state_, of, physical] {
                                auto& values = s->store(decltype(of(s->items()[0])){});
                                for (const Item& item : s->items()) values.push_back(of(item));
                                return ColumnData{physical, values.data(), {}, nullptr};
                              }});
  }

  QueryTable& table_;
  std::shared_ptr<State> state_;
};

int64_t optional_row(uint32_t row) { return row == kNone ? kNoValue : int64_t{row}; }

QueryTable& table(std::vector<QueryTable>& tables, const char* name, const char* what) {
  return tables.emplace_back(QueryTable{name, what, Origin::kComputed, {}, {}, {}});
}

/// A step of one GPU, with its numbers.
struct StepItem {
  analysis::DeviceStep step;
  int64_t rank, device;
};

void add_steps(const Profile& p, Facts& facts, std::vector<QueryTable>& tables) {
  Computed<StepItem> to(
      table(tables, "steps", "A step of one GPU: busy, exposed and idle time, as `warplens timeline` shows it"),
      [&p, f = &facts] {
        std::vector<StepItem> items;
        for (const analysis::DeviceStep& step : f->timeline().rows)
          items.push_back({step, p.ranks.rank[p.devices.rank[step.device]], p.devices.ordinal[step.device]});
        return items;
      });
  using I = const StepItem&;
  to.integer("step", "N of ProfilerStep#N; null in the row of the whole recording",
             [](I i) { return i.step.step == analysis::kWholeTrace ? kNoValue : i.step.step; });
  to.integer("rank", "rank in the job", [](I i) { return i.rank; });
  to.integer("device", "the GPU's number in its process", [](I i) { return i.device; });
  to.integer("start_ns", "end of the step before it", [](I i) { return i.step.start_ns; });
  to.integer("duration_ns", "from start_ns until all work that the step launched has finished",
             [](I i) { return i.step.end_ns - i.step.start_ns; });
  to.integer("busy_ns", "time in which a kernel, copy or set ran", [](I i) { return i.step.busy_ns; });
  to.integer("computation_ns", "time in which a kernel other than communication ran",
             [](I i) { return i.step.computation_ns; });
  to.integer("communication_ns", "time in which a communication kernel ran",
             [](I i) { return i.step.communication_ns; });
  to.integer("copies_ns", "time in which a copy or set ran", [](I i) { return i.step.copies_ns; });
  to.integer("exposed_communication_ns", "communication without computation at the same time",
             [](I i) { return i.step.exposed_communication_ns; });
  to.integer("exposed_copies_ns", "copies that neither computation nor communication hides",
             [](I i) { return i.step.exposed_copies_ns; });
  to.integer("idle_ns", "time in which nothing ran", [](I i) { return i.step.idle_ns; });
  to.integer("kernels", "kernels with a recorded launch", [](I i) { return i.step.launches.kernels; });
  to.integer("latency_median_ns", "median time from the start of a launching call to the start of its kernel",
             [](I i) { return i.step.launches.latency_median_ns; });
  to.integer("queue_empty_ns", "time in which no launched kernel was waiting to start",
             [](I i) { return i.step.launches.queue_empty_ns; });
}

struct GapItem {
  analysis::Gap gap;
  int64_t rank, device;
  std::string_view host, next;
};

void add_gaps(const Profile& p, Facts& facts, std::vector<QueryTable>& tables) {
  Computed<GapItem> to(table(tables, "gaps", "An idle stretch of a GPU, with the cause that explains most of it"),
                       [&p, f = &facts] {
                         std::vector<GapItem> items;
                         for (const auto& of_device : f->timeline().gaps) {
                           for (const analysis::Gap& gap : of_device) {
                             const uint32_t device = p.device_events.device[gap.next];
                             items.push_back({gap, p.ranks.rank[p.devices.rank[device]], p.devices.ordinal[device],
                                              gap.host == kNone ? "" : p.text(p.operators.name[gap.host]),
                                              p.text(p.device_events.name[gap.next])});
                           }
                         }
                         return items;
                       });
  using I = const GapItem&;
  to.integer("rank", "rank in the job", [](I i) { return i.rank; });
  to.integer("device", "the GPU's number in its process", [](I i) { return i.device; });
  to.integer("start_ns", "begin", [](I i) { return i.gap.start_ns; });
  to.integer("duration_ns", "length", [](I i) { return i.gap.end_ns - i.gap.start_ns; });
  to.text("cause", "launch-bound, synchronization, input, ...: docs/timeline.md has them all",
          [](I i) { return analysis::gap_cause_name(i.gap.cause); });
  to.text("host", "operator or range that the host was in; empty when in none", [](I i) { return i.host; });
  to.text("next_kernel", "kernel or copy that ended it", [](I i) { return i.next; });
  to.integer(
      "next", "row of device_events; the event that ended it", [](I i) { return optional_row(i.gap.next); },
      "device_events");
}

void add_collectives(const Profile& p, Facts& facts, std::vector<QueryTable>& tables) {
  struct Item {
    const analysis::CollectiveCost* cost;
    int64_t last_rank;
  };
  Computed<Item> to(
      table(tables, "matched_collectives", "A collective matched across ranks, as `warplens ranks` shows it"),
      [&p, f = &facts] {
        std::vector<Item> items;
        for (const analysis::CollectiveCost& cost : f->rank_analysis().collectives)
          items.push_back({&cost, cost.last_rank == kNone ? kNoValue : int64_t{p.ranks.rank[cost.last_rank]}});
        return items;
      });
  using I = const Item&;
  to.text("name", "for example allreduce", [](I i) { return std::string_view(i.cost->name); });
  to.integer("bytes", "size of the message, as nccl-tests counts it; 0 if unknown", [](I i) { return i.cost->bytes; });
  to.integer("group_size", "ranks that take part", [](I i) { return int64_t{i.cost->group_size}; });
  to.integer("start_ns", "earliest start, on the first rank's clock", [](I i) { return i.cost->start_ns; });
  to.integer("transfer_ns", "shortest duration across ranks", [](I i) { return i.cost->transfer_ns; });
  to.integer("waiting_ns", "each rank's duration minus transfer_ns, summed over ranks",
             [](I i) { return i.cost->waiting_ns; });
  to.integer("last_rank", "rank that started last", [](I i) { return i.last_rank; });
  to.integer("late_ns", "time from the earliest start to the start of last_rank", [](I i) { return i.cost->late_ns; });
  to.text("late_host", "activity of last_rank's host in that time",
          [](I i) { return std::string_view(i.cost->late_host); });
  to.real("bus_gbs", "bus bandwidth in GB/s; 0 if bytes are unknown", [](I i) { return i.cost->bus_gbs; });
}

}  // namespace

void add_computed_tables(const Profile& profile, Facts& facts, std::vector<QueryTable>& tables) {
  add_steps(profile, facts, tables);
  add_gaps(profile, facts, tables);
  add_collectives(profile, facts, tables);
}

}  // namespace warplens::query
