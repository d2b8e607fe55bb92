// NVTX: ranges of threads, ranges across threads, marks, and the names of domains, categories and threads.
#include <algorithm>
#include <tuple>

#include "warplens/base/json.h"
#include "warplens/base/printable.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/nsys/recording.h"
#include "warplens/trace/readers/recorded/range_names.h"
#include "warplens/trace/stream/torch_text.h"

namespace warplens::nsys {
namespace {

// ENUM_NSYS_EVENT_TYPE; the second of each is that of imported NVTX text files.
enum EventType : int64_t {
  kCategory = 33,
  kMark = 34,
  kThread = 39,
  kPushPop = 59,
  kStartEnd = 60,
  kTextCategory = 64,
  kTextMark = 65,
  kTextPushPop = 70,
  kTextStartEnd = 71,
  kTextThread = 72,
  kDomain = 75
};

struct In {  // columns, in the order of read_ranges()
  enum : int {
    kStart,
    kEnd,
    kType,
    kText,
    kTextId,
    kTid,
    kDomainId,
    kCategoryId,
    kColour,
    kUnsigned64,
    kSigned64,
    kDouble,
    kUnsigned32,
    kSigned32,
    kFloat,
    kJsonId,
    kJson
  };
};

/// A payload as JSON text; empty where there is none.
std::string payload_of(const sqlite::Rows& row, std::string_view json_text) {
  if (!json_text.empty())
    return json::parse(json_text).ok() ? std::string(json_text) : json::quoted(printable(json_text));
  if (!row.is_null(In::kUnsigned64)) return fmt::format("{}", static_cast<uint64_t>(row.integer(In::kUnsigned64)));
  for (const int column : {In::kSigned64, In::kUnsigned32, In::kSigned32}) {
    if (!row.is_null(column)) return fmt::format("{}", row.integer(column));
  }
  for (const int column : {In::kDouble, In::kFloat}) {
    if (!row.is_null(column)) return json::Writer().value(row.real(column)).take();
  }
  return "";
}

}  // namespace

/// A row of NVTX_EVENTS.
struct Recording::Range {
  int64_t type, thread, domain, category;
  Span at;
  bool is_closed;
  std::string_view name;  // many rows may share it
  std::string colour, payload;
};

void Recording::name_things(const Range& range) {
  const uint64_t process = process_of(range.thread).id;
  if (range.type == kDomain) domains_[{process, range.domain}] = range.name;
  if (range.type == kCategory || range.type == kTextCategory)
    categories_[{process, range.domain, range.category}] = range.name;
  if (range.type == kThread || range.type == kTextThread) {
    Process& owner = process_of(range.thread);
    owner.builder.thread_name(static_cast<uint64_t>(range.thread), owner.text(range.name));
    constexpr std::string_view kMpiRank = "MPI Rank ";
    if (range.name.starts_with(kMpiRank)) {
      if (const auto rank = parse_int(range.name.substr(kMpiRank.size())); rank && *rank >= 0 && *rank <= INT32_MAX)
        mpi_ranks_[process] = *rank;
    }
  }
}

/// {"domain": "NCCL", "payload": {...}}; empty where a range has nothing beside its name.
StringId Recording::arguments_of(const Range& range, Process& process) {
  json::Writer w;
  w.begin_object();
  if (const auto domain = domains_.find({process.id, range.domain}); domain != domains_.end() && range.domain != 0)
    w.member("domain", domain->second);
  const auto category = categories_.find({process.id, range.domain, range.category});
  if (category != categories_.end()) w.member("category", category->second);
  else if (range.category != 0) w.member("category", range.category);
  if (!range.colour.empty()) w.member("color", range.colour);
  if (!range.payload.empty()) w.key("payload").raw(range.payload);
  const std::string text = w.end_object().take();
  return text == "{}" ? StringId::kEmpty : process.builder.profile().strings.intern(text);
}

void Recording::add_range(const Range& range) {
  Process& process = process_of(range.thread);
  Profile& profile = process.builder.profile();
  const uint32_t thread = process.builder.thread_row(static_cast<uint64_t>(range.thread));
  const int64_t start_ns = process.builder.local(absolute(range.at.start_ns));
  const int64_t duration_ns = process.builder.local(absolute(range.at.end_ns)) - start_ns;
  const StringId args = arguments_of(range, process);
  if (range.type == kStartEnd || range.type == kTextStartEnd) {  // they cross threads: no part of a thread's nesting
    append(profile.other_events, {.start_ns = start_ns,
                                  .duration_ns = duration_ns,
                                  .name = profile.strings.intern(range.name),
                                  .category = profile.strings.intern("nvtx_start_end"),
                                  .thread = thread,
                                  .args = args,
                                  .phase = 'X'});
    return;
  }
  const bool is_mark = range.type == kMark || range.type == kTextMark;
  const stream::TorchText torch =
      range.domain == 0 ? stream::parse_torch_text(range.name) : stream::TorchText{range.name};
  const StringId name = profile.strings.intern(torch.name);
  if (recorded::is_module(torch.name) && !is_mark) {
    append(profile.python_frames, {.start_ns = start_ns,
                                   .duration_ns = duration_ns,
                                   .name = name,
                                   .thread = thread,
                                   .python_id = static_cast<int64_t>(profile.python_frames.size()) + 1,
                                   .python_parent_id = -1,
                                   .python_module_id = -1});
    return;
  }
  const bool of_torch = range.domain == 0 && (torch.is_operator || recorded::is_operator(torch.name, torch.sequence));
  append(profile.operators, {.start_ns = start_ns,
                             .duration_ns = duration_ns,
                             .name = name,
                             .thread = thread,
                             .kind = is_mark    ? OperatorKind::kInstant
                                     : of_torch ? OperatorKind::kOperator
                                                : OperatorKind::kRange,
                             .sequence_number = torch.sequence,
                             .input_shapes = profile.strings.intern(torch.sizes),
                             .args = args});
}

void Recording::read_ranges() {
  const std::string table = "NVTX_EVENTS";
  sqlite::Rows row = rows(table, {"start", "end", "eventType", "text", "textId", "globalTid", "domainId", "category",
                                  "color", "uint64Value", "int64Value", "doubleValue", "uint32Value", "int32Value",
                                  "floatValue", "jsonTextId", "jsonText"});
  std::vector<Range> ranges;
  std::map<int64_t, int64_t> others;  // by type
  int64_t last_ns = INT64_MIN;
  while (growth_.fits() && row.next()) {
    const auto at = span(row, In::kStart, In::kEnd);
    if (!at) continue;
    last_ns = std::max(last_ns, at->end_ns);
    const bool has_text = !row.is_null(In::kText);
    const std::string_view json_text =
        row.is_null(In::kJsonId) ? row.text(In::kJson) : string(row.integer(In::kJsonId));
    Range range{row.integer(In::kType),
                row.integer(In::kTid),
                row.integer(In::kDomainId),
                row.integer(In::kCategoryId),
                *at,
                !row.is_null(In::kEnd),
                has_text                    ? own_texts_.emplace_back(printable(row.text(In::kText)))
                : !row.is_null(In::kTextId) ? string(row.integer(In::kTextId))
                                            : std::string_view(),
                row.is_null(In::kColour) ? "" : fmt::format("#{:08x}", static_cast<uint32_t>(row.integer(In::kColour))),
                payload_of(row, json_text)};
    switch (range.type) {
      case kCategory:
      case kTextCategory:
      case kThread:
      case kTextThread:
      case kDomain: name_things(range); break;
      case kMark:
      case kTextMark:
      case kPushPop:
      case kTextPushPop:
      case kStartEnd:
      case kTextStartEnd: ranges.push_back(std::move(range)); break;
      default: ++other_nvtx_;
    }
  }
  end(table, row);
  // Outer ranges first, as recordings have them.
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tie(a.thread, a.at.start_ns, b.at.end_ns) < std::tie(b.thread, b.at.start_ns, a.at.end_ns);
  });
  for (Range& range : ranges) {
    const bool is_mark = range.type == kMark || range.type == kTextMark;
    if (!range.is_closed && !is_mark) {
      range.at.end_ns = std::max(range.at.start_ns, last_ns);
      ++open_ranges_;
    }
    add_range(range);
  }
}

}  // namespace warplens::nsys
