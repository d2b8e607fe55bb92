#include <algorithm>

#include "warplens/program/analysis/summary/summary_text.h"

namespace warplens::analysis {
namespace {

Cell cell(bool given, int64_t value) { return given ? Cell{value} : Cell{}; }

double busy_share(const SummaryPage& page, const RankSummary& rank, const DeviceSummary& device) {
  const int64_t span_ns = busy_span_ns(page, rank, device);
  return span_ns > 0 ? static_cast<double>(device.busy_ns) / static_cast<double>(span_ns) : 0;
}

Table shares(const std::vector<Share>& list, int64_t whole, const char* kind, size_t limit) {
  Table table{{{"kind", "kind"},
               {"name", "name"},
               {"class", "class"},
               {"tensor_cores", "tensor cores"},
               {"count", "count", Kind::kCount},
               {"time_ns", "time", Kind::kTimeNs},
               {"share", "share", Kind::kShare}},
              {}};
  for (const Share& s : list) {
    if (table.rows.size() == limit) break;
    const Cell tensor = s.tensor_use == TensorUse::kUnknown ? Cell{} : Cell{s.tensor_use == TensorUse::kYes};
    table.rows.push_back({std::string(kind), s.name.empty() ? std::string("(no operator in the trace)") : s.name,
                          s.class_name, tensor, s.count, s.device_ns,
                          whole > 0 ? static_cast<double>(s.device_ns) / static_cast<double>(whole) : 0.0});
  }
  return table;
}

Table owner_table(const SummaryPage& page) {
  Table table{{{"rank", "rank", Kind::kCount},
               {"operator", "operator"},
               {"module", "module"},
               {"line", "line"},
               {"blocks", "blocks", Kind::kCount},
               {"bytes", "bytes", Kind::kBytes}},
              {}};
  for (const RankSummary& rank : page.summary.ranks) {
    if (!rank.peak) continue;
    for (size_t i = 0; i < std::min(page.limit, rank.peak->owners.size()); ++i) {
      const MemoryOwner& owner = rank.peak->owners[i];
      table.rows.push_back({int64_t{page.profile.ranks.rank[rank.rank]}, owner.name, owner.module, owner.line,
                            owner.blocks, owner.bytes});
    }
    table.rows.push_back({int64_t{page.profile.ranks.rank[rank.rank]}, std::string("(before the trace)"), std::string(),
                          std::string(), Cell{}, rank.peak->before_bytes});
  }
  return table;
}

void append(Table& to, Table from) {
  for (auto& row : from.rows) to.rows.push_back(std::move(row));
}

}  // namespace

bool is_cut(const Profile& profile) { return profile.integrity.find("left-out-by-the-cut") != nullptr; }

int64_t busy_span_ns(const SummaryPage& page, const RankSummary& rank, const DeviceSummary& device) {
  return is_cut(page.profile) ? device.end_ns - device.start_ns : rank.span_ns;
}

Table rank_table(const SummaryPage& page) {
  Table table{{{"rank", "rank", Kind::kCount},
               {"file", "file"},
               {"device", "device", Kind::kText, 3},
               {"span_ns", "span", Kind::kTimeNs},
               {"busy_ns", "GPU busy", Kind::kTimeNs},
               {"busy_share", "share", Kind::kShare},
               {"steps", "steps", Kind::kCount},
               {"median_step_ns", "step", Kind::kTimeNs},
               {"kernels", "kernels", Kind::kCount, 1},
               {"peak_allocated_bytes", "peak memory", Kind::kBytes, 2},
               {"peak_step", "in step", Kind::kCount, 2}},
              {}};
  const Profile& p = page.profile;
  for (const RankSummary& rank : page.summary.ranks) {
    const auto add = [&](const DeviceSummary* device) {
      table.rows.push_back({int64_t{p.ranks.rank[rank.rank]}, std::string(p.text(p.ranks.file[rank.rank])),
                            device ? std::string(p.text(p.devices.name[device->device])) : std::string(), rank.span_ns,
                            cell(device, device ? device->busy_ns : 0),
                            device ? Cell{busy_share(page, rank, *device)} : Cell{},
                            static_cast<int64_t>(rank.steps.steady), cell(rank.steps.steps != 0, rank.steps.median_ns),
                            device ? device->count : 0, cell(rank.peak_allocated_bytes != 0, rank.peak_allocated_bytes),
                            cell(rank.peak_step.has_value(), rank.peak_step.value_or(0))});
    };
    if (rank.devices.empty()) add(nullptr);
    for (const DeviceSummary& device : rank.devices) add(&device);
  }
  return table;
}

Table phase_table(const SummaryPage& page) {
  Table table{{{"phase", "phase"},
               {"iterations", "iterations", Kind::kCount},
               {"requests", "requests each", Kind::kNumber},
               {"tokens", "tokens each", Kind::kNumber},
               {"host_ns", "host, each", Kind::kTimeNs},
               {"busy_ns", "GPU busy, each", Kind::kTimeNs},
               {"busy_ns_per_token", "a token", Kind::kTimeNs}},
              {}};
  for (const PhaseSummary& phase : page.summary.phases) {
    const auto each = [&](int64_t sum) { return static_cast<double>(sum) / static_cast<double>(phase.iterations); };
    table.rows.push_back({std::string(phase_name(phase.phase)), phase.iterations, each(phase.requests),
                          each(phase.tokens), phase.host_ns / phase.iterations, phase.busy_ns / phase.iterations,
                          cell(phase.tokens > 0, phase.busy_ns / std::max<int64_t>(phase.tokens, 1))});
  }
  return table;
}

Table share_table(const SummaryPage& page) {
  const Summary& s = page.summary;
  Table table = shares(s.classes, s.work_ns, "class", s.classes.size());
  append(table, shares(s.kernels, s.work_ns, "kernel", page.limit));
  append(table, shares(s.operators, s.work_ns, "operator", page.limit));
  return table;
}

void write_members(json::Writer& w, const SummaryPage& page) {
  const Summary& s = page.summary;
  write_rows(w.key("ranks"), rank_table(page));
  w.member("steps_by", source_name(s.step_source)).key("recorded_steps").begin_array();
  for (const RankSummary& rank : s.ranks) write_steps(w, rank.steps);
  w.end_array().key("phases");
  write_rows(w, phase_table(page));
  w.member("device_time_ns", s.work_ns)
      .member("tensor_core_ns", s.tensor_ns)
      .member("no_tensor_core_ns", s.no_tensor_ns);
  w.member("matrix_ns", s.matrix_ns).member("matrix_tensor_core_ns", s.matrix_tensor_ns).key("classes");
  write_rows(w, shares(s.classes, s.work_ns, "class", s.classes.size()));
  w.key("kernels");
  write_rows(w, shares(s.kernels, s.work_ns, "kernel", page.limit));
  w.key("operators");
  write_rows(w, shares(s.operators, s.work_ns, "operator", page.limit));
  w.key("memory_at_peak");
  write_rows(w, owner_table(page));
  w.list("findings", page.headlines);
  if (!page.findings_note.empty()) w.member("findings_note", page.findings_note);
}

}  // namespace warplens::analysis
