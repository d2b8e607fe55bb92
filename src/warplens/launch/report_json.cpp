#include "warplens/base/demangle.h"
#include "warplens/base/schema.h"
#include "warplens/launch/report.h"
#include "warplens/report/writers/write_json.h"

namespace warplens::launch {
namespace {

void write_place(json::Writer& writer, std::string_view name, const simt::Place& place) {
  writer.key(name)
      .begin_object()
      .member("kernel", place.kernel)
      .member("file", place.file)
      .member("line", uint64_t{place.line});
  if (!place.caller_file.empty())
    writer.member("caller_file", place.caller_file).member("caller_line", uint64_t{place.caller_line});
  if (place.is_machine_code) writer.member("code_offset", uint64_t{place.index} * 16);
  else writer.member("ptx_line", uint64_t{place.ptx_line});
  writer.list("block", place.block);
  writer.list("thread", place.thread);
  writer.end_object();
}

void write_fault(json::Writer& writer, const simt::Fault& fault) {
  writer.key("fault").begin_object().member("id", simt::name(fault.kind)).member("message", fault.message);
  write_place(writer, "where", fault.place);
  writer.end_object();
}

void write_reports(json::Writer& writer, const simt::LaunchResult& emulated) {
  writer.key("reports").begin_array();
  for (const simt::Report& report : emulated.reports) write_defect(writer, report);
  writer.end_array().member("reports_dropped", emulated.reports_dropped);
}

void write_emulated(json::Writer& writer, const simt::LaunchResult& emulated) {
  writer.member("warp_instructions", emulated.counts.warp_instructions);
  if (emulated.counts.thread_instructions) writer.member("thread_instructions", emulated.counts.thread_instructions);
  writer.member("emulation_ns", static_cast<int64_t>(emulated.seconds * 1e9)).member("serialised", emulated.serialised);
  writer.member("output", emulated.output);
  write_reports(writer, emulated);
  if (emulated.fault) write_fault(writer, *emulated.fault);
}

void write_launch(json::Writer& writer, const Outcome& outcome, simt::Precision precision) {
  writer.begin_object().member("kernel", short_name(outcome.kernel)).member("function", outcome.kernel);
  writer.list("grid", outcome.spec.grid);
  writer.list("block", outcome.spec.block);
  writer.list("cluster", outcome.spec.cluster);
  writer.member("shared_bytes", uint64_t{outcome.spec.dynamic_shared_bytes})
      .member("cooperative", outcome.spec.cooperative);
  if (outcome.emulated) write_emulated(writer, *outcome.emulated);
  if (outcome.config.checks != 0) writer.member("precision", simt::name(precision));
  if (outcome.counted) report::write_report(writer, *outcome.counted);
  if (!outcome.gpu_samples_ns.empty()) {
    writer.member("gpu_ns", outcome.gpu_ns).list("gpu_samples_ns", outcome.gpu_samples_ns);
  }
  writer.end_object();
}

void write_buffer(json::Writer& writer, const BufferSummary& buffer) {
  writer.begin_object().member("name", buffer.spec.name).member("dtype", info(buffer.spec.dtype).name);
  writer.list("shape", buffer.spec.shape);
  writer.member("count", buffer.spec.count())
      .member("sum", buffer.summary.sum)
      .member("sum_squares", buffer.summary.sum_squares);
  writer.member("min", buffer.summary.min)
      .member("max", buffer.summary.max)
      .member("nan", buffer.summary.nan)
      .member("inf", buffer.summary.inf);
  writer.end_object();
}

void write_comparison(json::Writer& writer, const Comparison& c) {
  writer.begin_object()
      .member("buffer", c.name)
      .member("against", c.against)
      .member("ok", c.ok())
      .member("count", c.count);
  writer.member("wrong", c.wrong)
      .member("rtol", c.rtol)
      .member("atol", c.atol)
      .member("largest_error", c.largest_error);
  writer.member("at", c.at).member("got", c.got).member("want", c.want).member("shape_differs", c.shape_differs);
  writer.member("nan_got", c.nan_got)
      .member("nan_want", c.nan_want)
      .member("inf_got", c.inf_got)
      .member("inf_want", c.inf_want);
  if (c.wrong > 0) writer.member("first_wrong", c.first_wrong);
  writer.end_object();
}

}  // namespace

void write_defect(json::Writer& writer, const simt::Report& defect) {
  writer.begin_object().member("id", defect.id).member("message", defect.message).member("count", defect.count);
  writer.member("address", defect.address).member("size_bytes", uint64_t{defect.size_bytes});
  write_place(writer, "where", defect.place);
  if (defect.other) write_place(writer, "other", *defect.other);
  writer.end_object();
}

std::string to_json(const RunResult& result) {
  const bool emulated = !result.outcomes.empty() && result.outcomes[0].emulated;
  json::Writer writer(true);
  writer.begin_object().member("schema_version", kSchemaVersion).member("source", emulated ? "emulated" : "hardware");
  writer.member("file", result.source.path).member("arch", result.source.arch);
  if (!result.source.compiler.empty()) writer.member("compiler", result.source.compiler);
  if (!result.gpu_name.empty()) writer.member("gpu", result.gpu_name);
  writer.key("launches").begin_array();
  for (const Outcome& outcome : result.outcomes) write_launch(writer, outcome, check_precision(result));
  writer.end_array().key("buffers").begin_array();
  for (const BufferSummary& buffer : result.buffers) write_buffer(writer, buffer);
  writer.end_array().key("comparisons").begin_array();
  for (const Comparison& comparison : result.comparisons) write_comparison(writer, comparison);
  return writer.end_array().list("saved", result.saved).end_object().take() + "\n";
}

}  // namespace warplens::launch
