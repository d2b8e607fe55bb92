#include <cmath>

#include "warplens/base/files.h"
#include "warplens/base/output_name.h"
#include "warplens/base/printable.h"
#include "warplens/base/quantity.h"
#include "warplens/base/text.h"
#include "warplens/cli/verb.h"
#include "warplens/output/fit.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {

bool Invocation::has(std::string_view flag) const { return values.contains(flag) && !assumed.contains(flag); }

std::vector<std::string> Invocation::list(std::string_view flag) const {
  const auto found = values.find(flag);
  return found == values.end() ? std::vector<std::string>{} : found->second;
}

std::string Invocation::text(std::string_view flag) const {
  const auto found = values.find(flag);
  return found == values.end() || found->second.empty() ? std::string() : found->second.back();
}

Result<int64_t> Invocation::integer(std::string_view flag) const {
  if (const auto value = parse_int(text(flag))) return *value;
  return usage_error(fmt::format("{} takes a whole number, not '{}'", flag, text(flag)));
}

Result<size_t> Invocation::count(std::string_view flag) const {
  WL_ASSIGN(const int64_t value, integer(flag));
  if (value < 0) return usage_error(fmt::format("{} {}: give a number that is not negative", flag, value));
  return static_cast<size_t>(value);
}

Result<double> Invocation::number(std::string_view flag) const {
  if (const auto value = parse_double(text(flag)); value && std::isfinite(*value)) return *value;
  return usage_error(fmt::format("{} takes a number, not '{}'", flag, text(flag)));
}

namespace {

/// The flag's value by one of base/quantity.h's parsers; an error names the flag and what was given.
template <typename Value>
Result<Value> quantity(const Invocation& invocation, std::string_view flag, Result<Value> (*parse)(std::string_view)) {
  const std::string text = invocation.text(flag);
  Result<Value> value = parse(text);
  if (!value.ok()) return value.status().in(fmt::format("{} {}", flag, text));
  return value;
}

}  // namespace

Result<double> Invocation::percent(std::string_view flag) const { return quantity(*this, flag, parse_percent); }
Result<int64_t> Invocation::time_ns(std::string_view flag) const { return quantity(*this, flag, parse_time_ns); }
Result<int64_t> Invocation::bytes(std::string_view flag) const { return quantity(*this, flag, parse_bytes); }

bool Invocation::operand_ends(std::string_view ending) const {
  return !operands.empty() && operands[0].ends_with(ending);
}

Format Invocation::format() const {
  const std::string name = has("--json") ? "json" : text("--format");
  if (name == "json") return Format::kJson;
  if (name == "csv") return Format::kCsv;
  if (name == "md") return Format::kMarkdown;
  return Format::kTable;
}

bool Invocation::is_read_by_scripts() const {
  const std::string name = text("--format"), to = text("--output");
  return (has("--json") || (!name.empty() && name != "table")) && (to.empty() || to == "-");
}

Result<FileWriter> Invocation::output_file() const {
  return FileWriter::create(has("--output") ? expand_output_name(text("--output")) : "-", has("--force"));
}

Status Invocation::emit(std::string_view output) const {
  WL_ASSIGN(FileWriter file, output_file());
  const bool for_people = !has("--json") && (text("--format").empty() || text("--format") == "table");
  WL_TRY(for_people ? file.write(printable_lines(output)) : file.write(output));
  return file.commit();
}

Status Invocation::emit_for_people(std::string_view output) const {
  return emit(format() == Format::kTable ? fitted(output, terminal_width()) : std::string(output));
}

Status Invocation::emit(const Table& table) const { return emit(render(table, format(), terminal_width())); }

}  // namespace warplens::cli
