#include "warplens/base/text.h"
#include "warplens/bench/results/compare_results.h"
#include "warplens/cli/bench_commands.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

std::string to_json(const bench::ComparedResults& compared, size_t crossed) {
  json::Writer out(true);
  out.begin_object().member("schema_version", 1).key("rows");
  write_rows(out, bench::comparison_table(compared));
  const auto list = [&](const char* key, const std::vector<std::string>& texts) {
    out.key(key).begin_array();
    for (const std::string& text : texts) out.value(text);
    out.end_array();
  };
  list("only_in_base", compared.only_in_base);
  list("only_in_new", compared.only_in_new);
  list("notes", compared.notes);
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
  if (!invocation.has("--fail-on")) return 0.0;
  std::string text = invocation.text("--fail-on");
  if (text.ends_with('%')) text.pop_back();
  const auto percent = parse_double(text);
  if (!percent || *percent < 0)
    return usage_error(fmt::format("--fail-on takes a share such as 5%, not '{}'", invocation.text("--fail-on")));
  return *percent / 100;
}

Result<double> margin_share(const Invocation& invocation, double otherwise) {
  if (!invocation.has("--margin")) return otherwise;
  WL_ASSIGN(const double percent, invocation.number("--margin"));
  if (percent < 0) return usage_error("--margin must not be negative");
  return percent / 100;
}

Result<int> bench_compare(const Invocation& invocation) {
  if (invocation.operands.size() != 3) return usage_error("compare takes BASE.json and NEW.json");
  WL_ASSIGN(const double fail_on, fail_on_share(invocation));
  WL_ASSIGN(const bench::Results base, bench::read_results(invocation.operands[1]));
  WL_ASSIGN(const bench::Results now, bench::read_results(invocation.operands[2]));
  bench::CompareOptions options;
  WL_ASSIGN(const double confidence, invocation.number("--confidence"));
  if (confidence <= 50 || confidence >= 100) return usage_error("--confidence must be between 50 and 100");
  options.confidence = confidence / 100;
  WL_ASSIGN(options.margin, margin_share(invocation, options.margin));
  const bench::ComparedResults compared = bench::compare_results(base, now, options);
  const size_t crossed = invocation.has("--fail-on") ? compared.slower_by_more_than(fail_on) : 0;
  if (invocation.format() == Format::kJson) WL_TRY(invocation.emit(to_json(compared, crossed)));
  else if (invocation.format() == Format::kTable) WL_TRY(invocation.emit(to_text(compared)));
  else WL_TRY(invocation.emit(bench::comparison_table(compared)));
  if (compared.pairs.empty()) return invalid_input("the files have no benchmark in common");
  return crossed > 0 ? kExitThreshold : kExitOk;
}

}  // namespace warplens::cli
