#include "warplens/fuse/report.h"

#include <algorithm>

#include "warplens/base/json.h"
#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/fit.h"
#include "warplens/output/terminal.h"

namespace warplens::fuse {
namespace {

double largest_error(const bench::Measurement& m) {
  double error = 0;
  for (const bench::OutputCheck& c : m.checks) error = std::max(error, c.error);
  return error;
}

void write_operands(json::Writer& out, const char* key, const std::vector<Operand>& operands) {
  out.key(key).begin_array();
  for (const Operand& o : operands) {
    out.begin_object()
        .member("name", o.name)
        .member("dtype", launch::info(o.dtype).name)
        .list("shape", o.shape)
        .member("bytes", o.bytes())
        .end_object();
  }
  out.end_array();
}

void write_kernel(json::Writer& out, const GeneratedKernel& k, const std::string& text) {
  out.begin_object().member("kernel", k.name).member("formula", text).member("bytes", k.bytes);
  out.key("grid").begin_array().value(static_cast<int64_t>(k.grid)).value(1).value(1).end_array();
  out.key("block")
      .begin_array()
      .value(static_cast<int64_t>(k.block[0]))
      .value(static_cast<int64_t>(k.block[1]))
      .value(1)
      .end_array();
  write_operands(out, "inputs", k.inputs);
  write_operands(out, "outputs", k.outputs);
  out.member("source", k.source).end_object();
}

void write_measurement(json::Writer& out, const bench::Measurement& m) {
  out.begin_object()
      .member("variant", m.name)
      .member("source", m.source)
      .member("valid", m.valid)
      .member("bytes", static_cast<int64_t>(m.bytes));
  out.key("median_ns");
  if (m.median_ns > 0)
    out.value(static_cast<int64_t>(m.median_ns))
        .member("low_ns", static_cast<int64_t>(m.low_ns))
        .member("high_ns", static_cast<int64_t>(m.high_ns))
        .member("bytes_per_second", static_cast<int64_t>(m.bytes_per_second));
  else out.null();
  bench::write_metrics(out, m.metrics);
  bench::write_checks(out, m.checks);
  out.list("errors", m.errors).end_object();
}

}  // namespace

bool FusionReport::valid() const {
  return std::all_of(measurements.begin(), measurements.end(), [](const bench::Measurement& m) { return m.valid; });
}

Table fusion_table(const FusionReport& report) {
  const FusionPlan& plan = report.plan;
  Table table{{{"variant", "variant"},
               {"kernels", "kernels", Kind::kCount},
               {"bytes", "bytes moved", Kind::kBytes},
               {"instructions", "warp instructions", Kind::kCount},
               {"estimate_ns", "estimate", Kind::kTimeNs},
               {"median_ns", "time", Kind::kTimeNs},
               {"gbs", "GB/s", Kind::kNumber},
               {"error", "error", Kind::kNumber},
               {"correct", "correct"}},
              {}};
  const auto row = [&](const std::string& name, int64_t kernels, int64_t bytes) {
    const bench::Measurement* m = nullptr;
    for (const bench::Measurement& candidate : report.measurements) {
      if (candidate.name == name) m = &candidate;
    }
    std::vector<Cell> cells = {name, kernels, bytes, Cell(), Cell(), Cell(), Cell(), Cell(), Cell()};
    if (m != nullptr) {
      if (const auto found = m->metrics.find("smsp__inst_executed.sum"); found != m->metrics.end())
        cells[3] = static_cast<int64_t>(found->second);
      if (m->estimate_ns > 0) cells[4] = m->estimate_ns;
      if (m->median_ns > 0) {
        cells[5] = m->median_ns;
        cells[6] = m->bytes_per_second / 1e9;
      }
      if (!m->checks.empty()) {
        cells[7] = largest_error(*m);
        cells[8] = m->valid;
      }
    }
    table.rows.push_back(std::move(cells));
  };
  row("fused", 1, plan.fused.bytes);
  row("chain", static_cast<int64_t>(plan.chain.size()), plan.chain_bytes());
  for (const bench::Measurement& m : report.measurements) {
    if (m.name == "copy") row("copy", 1, static_cast<int64_t>(m.bytes));
  }
  return table;
}

std::string to_text(const FusionReport& report, const std::string& show, size_t width) {
  const FusionPlan& plan = report.plan;
  std::string out;
  if (show == "fused" || show == "both") out += plan.fused.source + "\n";
  if (show == "chain" || show == "both") {
    for (const ChainStep& step : plan.chain) out += step.kernel.source + "\n";
  }
  std::vector<std::string> steps;
  for (const ChainStep& step : plan.chain) steps.push_back(step.text);
  out += styled("chain: ", Style::kDim) + join(steps, "; ") + "\n\n";
  out += to_terminal(fusion_table(report), width);
  std::string told = fmt::format("\nfusion moves {} instead of {}: {:.2f} times fewer bytes\n",
                                 format_bytes(static_cast<double>(plan.fused.bytes)),
                                 format_bytes(static_cast<double>(plan.chain_bytes())),
                                 static_cast<double>(plan.chain_bytes()) / static_cast<double>(plan.fused.bytes));
  if (report.comparison)
    told += fmt::format("fused against the chain: {}, {:.2f} times the speed ({:.2f} to {:.2f}) on {}\n",
                        name_of(report.comparison->verdict), 1 / report.comparison->ratio, 1 / report.comparison->high,
                        1 / report.comparison->low, report.device);
  for (const bench::Measurement& m : report.measurements) {
    for (const std::string& error : m.errors) told += styled("wrong: ", Style::kRed) + error + "\n";
  }
  if (!report.comparison && !report.measurements.empty())
    told += fmt::format("{}: counted and checked, not timed\n", report.device);
  return out + fitted(told, width);
}

std::string to_json(const FusionReport& report) {
  const FusionPlan& plan = report.plan;
  json::Writer out(true);
  out.begin_object()
      .member("schema_version", kSchemaVersion)
      .member("device", report.device)
      .member("valid", report.valid());
  write_operands(out, "inputs", plan.inputs);
  write_operands(out, "outputs", plan.outputs);
  out.member("fused_bytes", plan.fused.bytes).member("chain_bytes", plan.chain_bytes()).key("fused");
  write_kernel(out, plan.fused, "");
  out.key("chain").begin_array();
  for (const ChainStep& step : plan.chain) write_kernel(out, step.kernel, step.text);
  out.end_array().key("measurements").begin_array();
  for (const bench::Measurement& m : report.measurements) write_measurement(out, m);
  out.end_array().key("comparison");
  if (report.comparison) {
    out.begin_object()
        .member("ratio", report.comparison->ratio)
        .member("low", report.comparison->low)
        .member("high", report.comparison->high);
    out.member("verdict", name_of(report.comparison->verdict)).end_object();
  } else {
    out.null();
  }
  return out.end_object().take() + "\n";
}

}  // namespace warplens::fuse
