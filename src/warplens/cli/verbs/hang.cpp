// warplens hang: which collective of a job hangs, and which ranks are missing, by dumps of PyTorch's flight recorder.
#include <algorithm>
#include <filesystem>
#include <ranges>
#include <set>

#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/cli/explain_flag.h"
#include "warplens/cli/verb.h"
#include "warplens/hangs/analysis.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

using hangs::Hang;
using hangs::HangReport;
using hangs::Standing;

/// Files, and all files of folders.
std::vector<std::string> dump_paths(const std::vector<std::string>& operands) {
  std::vector<std::string> out;
  for (const std::string& operand : operands) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(operand, ignored)) {
      out.push_back(operand);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(operand, ignored)) {
      if (!entry.is_directory(ignored)) out.push_back(entry.path().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

Result<std::vector<hangs::Dump>> read_dumps(const std::vector<std::string>& paths) {
  std::vector<hangs::Dump> dumps;
  std::set<int64_t> ranks;
  for (const std::string& path : paths) {
    WL_ASSIGN(const std::string bytes, read_file(path));
    WL_ASSIGN(hangs::Dump dump, hangs::read_dump(path, bytes));
    if (!ranks.insert(dump.rank).second)
      return invalid_input(fmt::format("{}: a second dump of rank {}. Give the dumps of one hang", path, dump.rank));
    dumps.push_back(std::move(dump));
  }
  return dumps;
}

const char* state_text(const Standing& rank) {
  if (!rank.arrived) return rank.has_dump ? "missing" : "no dump";
  switch (rank.state) {
    case hangs::State::kScheduled: return "scheduled";
    case hangs::State::kStarted: return "started";
    case hangs::State::kCompleted: break;
  }
  return "completed";
}

Table ranks_table(const Hang& hang) {
  auto arrived = hang.ranks | std::views::filter(&Standing::arrived);
  const bool differ = std::ranges::adjacent_find(arrived, [](const Standing& a, const Standing& b) {
                        return a.sizes != b.sizes || a.dtypes != b.dtypes;
                      }) != arrived.end();
  Table table{{{"rank", "rank", Kind::kNumber},
               {"state", "state"},
               {"name", "operation"},
               {"sizes", "input sizes", Kind::kText, differ ? 0 : 2},
               {"dtypes", "types", Kind::kText, differ ? 0 : 1},
               {"last", "its last operation"},
               {"last_place", "called at"},
               {"waits_elsewhere", "waits there"}},
              {}};
  for (const Standing& rank : hang.ranks) {
    const bool missing = !rank.arrived && rank.has_dump;
    table.rows.push_back({rank.rank, std::string(state_text(rank)), rank.arrived ? Cell(rank.name) : Cell(),
                          rank.arrived ? Cell(rank.sizes) : Cell(), rank.arrived ? Cell(rank.dtypes) : Cell(),
                          missing ? Cell(rank.last) : Cell(), missing ? Cell(rank.last_place) : Cell(),
                          missing ? Cell(rank.waits_elsewhere) : Cell()});
  }
  return table;
}

std::string headline(const Hang& hang) {
  std::string out = fmt::format("{} number {} of group {}{} hangs", hang.name, hang.sequence, hang.group,
                                hang.description.empty() ? "" : " (" + hang.description + ")");
  if (!hang.place.empty()) out += ", called at " + hang.place;
  out += '\n';
  for (const Finding& finding : hangs::findings_of(hang))
    out += fmt::format("  {}: {}\n", styled(finding.id, style_of(finding.level, Style::kDim)), finding.title);
  return out;
}

std::string as_text(const HangReport& report) {
  std::string out =
      fmt::format("{} dump{}, {} entries\n", report.ranks.size(), report.ranks.size() == 1 ? "" : "s", report.entries);
  if (report.left_out > 0)
    out += fmt::format("{} entries without a name, number or state are left out\n", report.left_out);
  if (report.entries == 0)
    return out + "nothing was recorded: set TORCH_NCCL_TRACE_BUFFER_SIZE to 2000 or more before the job starts\n";
  if (report.hangs.empty()) return out + "every recorded collective completed on every rank with a dump\n";
  std::vector<int64_t> missing, without_dump;
  for (const int64_t rank : report.culprits)
    (std::ranges::find(report.ranks, rank) == report.ranks.end() ? without_dump : missing).push_back(rank);
  if (!missing.empty())
    out += fmt::format("check rank{} {} first: missing here, and not waiting in another collective\n",
                       missing.size() == 1 ? "" : "s", hangs::numbers_text(missing));
  if (!without_dump.empty())
    out += fmt::format("no dump of rank{} {} is given, so it is not known whether {} arrived\n",
                       without_dump.size() == 1 ? "" : "s", hangs::numbers_text(without_dump),
                       without_dump.size() == 1 ? "it" : "they");
  for (const Hang& hang : report.hangs) out += '\n' + headline(hang) + to_terminal(ranks_table(hang), terminal_width());
  return out;
}

std::string as_json(const HangReport& report) {
  json::Writer writer;
  writer.begin_object()
      .member("schema_version", kSchemaVersion)
      .member("entries", report.entries)
      .member("left_out", report.left_out);
  writer.list("ranks", report.ranks);
  writer.list("culprits", report.culprits);
  writer.key("hangs").begin_array();
  for (const Hang& hang : report.hangs) {
    writer.begin_object()
        .member("group", hang.group)
        .member("description", hang.description)
        .member("sequence", hang.sequence)
        .member("name", hang.name)
        .member("place", hang.place)
        .member("names_differ", hang.names_differ)
        .member("sizes_differ", hang.sizes_differ)
        .member("dtypes_differ", hang.dtypes_differ);
    writer.list("missing", hang.missing());
    write_rows(writer.key("ranks"), ranks_table(hang));
    writer.key("findings").begin_array();
    for (const Finding& finding : hangs::findings_of(hang)) {
      writer.begin_object()
          .member("id", finding.id)
          .member("severity", level_name(finding.level))
          .member("title", finding.title);
      write_evidence(writer, finding);
      writer.end_object();
    }
    writer.end_array().end_object();
  }
  return writer.end_array().end_object().take() + '\n';
}

Result<int> run_hang(const Invocation& invocation) {
  if (invocation.has("--explain")) return explain_finding(invocation, explain::Scope::kHang);
  const std::vector<std::string> paths = dump_paths(invocation.operands);
  if (paths.empty()) return usage_error("give the dumps of all ranks, or the folder that holds them");
  WL_ASSIGN(const std::vector<hangs::Dump> dumps, read_dumps(paths));
  const HangReport report = hangs::analyse(dumps);
  switch (invocation.format()) {
    case Format::kJson: WL_TRY(invocation.emit(as_json(report))); break;
    case Format::kTable: WL_TRY(invocation.emit_for_people(as_text(report))); break;
    case Format::kCsv:
    case Format::kMarkdown: {
      std::string text;
      for (const Hang& hang : report.hangs) text += render(ranks_table(hang), invocation.format(), 0);
      WL_TRY(invocation.emit(text));
    }
  }
  return kExitOk;
}

}  // namespace

extern const Verb kHang;
const Verb kHang = {
    "hang",
    "find the collective that hangs, and the missing ranks",
    "DUMP|FOLDER...",
    "Reads the dumps that PyTorch's flight recorder writes when a collective times out. To get them, set "
    "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 and TORCH_NCCL_DUMP_ON_TIMEOUT=1. Each rank writes one file, pickled or "
    "JSON. Nothing in a pickle runs. The report names the first incomplete collective of each group, the ranks that "
    "did not reach it, and their last operation. It also shows operations, sizes or types that differ between ranks.",
    {explain_flag()},
    {{"warplens hang /tmp/nccl_trace_rank_*", "the dumps of all ranks"},
     {"warplens hang dumps/ --json", "a folder of them, for scripts"}},
    run_hang};

}  // namespace warplens::cli
