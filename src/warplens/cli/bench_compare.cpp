#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/bench/results/compare_results.h"
#include "warplens/cli/bench_commands.h"
#include "warplens/cli/gate.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

std::string to_json(const bench::ComparedResults& compared, size_t crossed) {
  json::Writer out(true);
  out.begin_object().member("schema_version", kSchemaVersion).key("rows");
  write_rows(out, bench::comparison_table(compared));
  out.list("only_in_base", compared.only_in_base);
  out.list("only_in_new", compared.only_in_new);
  out.list("notes", compared.notes);
  out.member("slower_than_allowed", static_cast<int64_t>(crossed));
  return out.end_object().take() + "\n";
}

std::string to_text(const bench::ComparedResults& compared) {
  std::string out = to_terminal(bench::comparison_table(compared), terminal_width());
  for (const std::string& key : compared.only_in_base) out += "only in BASE: " + key + "\n";
  for (const std::string& key : compared.only_in_new) out += "only in NEW: " + key + "\n";
  for (const std::string& note : compared.notes) out += styled("note ", Style::kDim) + note + "\n";
  return out;
}

}  // namespace

Result<double> fail_on_share(const Invocation& invocation) {
  return invocation.has("--fail-on") ? invocation.percent("--fail-on") : Result<double>(0.0);
}

Result<double> margin_share(const Invocation& invocation, double otherwise) {
  return invocation.has("--margin") ? invocation.percent("--margin") : Result<double>(otherwise);
}

Result<double> confidence_share(const Invocation& invocation) {
  WL_ASSIGN(const double share, invocation.percent("--confidence"));
  if (share > 0.5 && share < 1) return share;
  return usage_error(
      fmt::format("--confidence {}: give more than 50% and less than 100%", invocation.text("--confidence")));
}

namespace {

Result<bench::Results> read_kept(const std::string& path) {
  Result<bench::Results> results = bench::read_results(path);
  if (results.ok() || results.status().code() == ErrorCode::kNotFound) return results;
  const std::string& why = results.status().message();
  const bool says = contains(why, "not benchmark results");
  return Status(results.status().code(),
                why + (says ? "" : "; compare reads results of `warplens bench ... -o FILE.json`"));
}

}  // namespace

Result<int> bench_compare(const Invocation& invocation) {
  if (invocation.operands.size() != 3) return usage_error("compare takes BASE.json and NEW.json");
  WL_ASSIGN(const double fail_on, fail_on_share(invocation));
  WL_ASSIGN(const bench::Results base, read_kept(invocation.operands[1]));
  WL_ASSIGN(const bench::Results now, read_kept(invocation.operands[2]));
  bench::CompareOptions options;
  WL_ASSIGN(options.confidence, confidence_share(invocation));
  WL_ASSIGN(options.margin, margin_share(invocation, options.margin));
  const bench::ComparedResults compared = bench::compare_results(base, now, options);
  const size_t crossed = invocation.has("--fail-on") ? compared.slower_by_more_than(fail_on) : 0;
  if (invocation.format() == Format::kJson) WL_TRY(invocation.emit(to_json(compared, crossed)));
  else if (invocation.format() == Format::kTable) WL_TRY(invocation.emit_for_people(to_text(compared)));
  else WL_TRY(invocation.emit(bench::comparison_table(compared)));
  Gate gate(invocation, "bench");
  for (const bench::ComparedPair& pair : compared.pairs) {
    const bench::Comparison& c = pair.comparison;
    const bool slower = c.verdict == bench::Verdict::kSlower && c.ratio > 1 + fail_on;
    gate.add({join({pair.label, pair.regime}, " "), slower ? Outcome::kFailed : Outcome::kPassed,
              fmt::format("{}: {} before, {} now", bench::name_of(c.verdict), format_ns(pair.base_ns),
                          format_ns(pair.new_ns)),
              pair.why});
  }
  const std::vector<std::string> missing = compared.not_judged();
  for (const std::string& each : missing) gate.add({each, Outcome::kNotJudged, each, ""});
  if (compared.pairs.empty()) return gate.cannot_judge(invalid_input("the files have no benchmark in common"));
  if (!gate.crossed() && invocation.has("--fail-on") && !missing.empty())
    return gate.cannot_judge(
        invalid_input(fmt::format("--fail-on cannot judge {}: run the same benchmarks again", join(missing, "; "))));
  return gate.exit_code();
}

}  // namespace warplens::cli
