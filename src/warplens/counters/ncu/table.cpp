// What `ncu --csv` prints: of the raw page a row per launch under a row of units, of the details page a row a metric or
// rule.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "warplens/base/printable.h"
#include "warplens/base/text.h"
#include "warplens/base/utf8.h"
#include "warplens/counters/ncu/collector.h"
#include "warplens/counters/ncu/ncu.h"
#include "warplens/counters/ncu/units.h"

namespace warplens::counters::ncu {
namespace {

constexpr size_t kHeaderWithin = size_t{64} << 10;  // programs may print before it

struct Label {
  const char* section;
  const char* label;
  const char* metric;
};

constexpr Label kLabels[] = {
#define LABEL(section, label, metric) {section, label, metric},
#include "warplens/counters/ncu/labels.def"
#undef LABEL
};

using Record = std::vector<std::string>;

/// The cells from `*at` to the end of the record, which quoted cells may put lines behind the first; moves `*at` there.
Record next_record(std::string_view text, size_t* at, char separator) {
  Record out(1);
  bool quoted = false;
  for (; *at < text.size(); ++*at) {
    const char c = text[*at];
    if (quoted && c == '"' && *at + 1 < text.size() && text[*at + 1] == '"') {
      out.back() += '"';
      ++*at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      out.emplace_back();
    } else if (c == '\n' && !quoted) {
      ++*at;
      break;
    } else if (c != '\r' || quoted) {
      out.back() += c;
    }
  }
  return out;
}

/// The source page: "Kernel Name" and the name on a line, then a table with a row an instruction.
bool is_source_page(const Record& record) {
  return record.size() <= 3 && record[0] == "Kernel Name" && record.size() > 1 && record[1] != "Metric Name";
}

bool is_header(const Record& record) {
  const auto has = [&](const char* name) { return std::ranges::find(record, name) != record.end(); };
  if (!has("Kernel Name") || is_source_page(record)) return false;
  return has("Metric Name") ||
         std::ranges::any_of(record, [](const std::string& cell) { return contains(cell, "__"); });
}

/// Digits with whatever stands between them, in any language.
bool is_number(std::string_view cell) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || std::string_view("+-., '").find(c) != std::string_view::npos ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return !cell.empty() && std::ranges::all_of(cell, fits);
}

struct HeaderPlace {
  size_t at = 0;         // where its line begins
  char separator = ',';  // spreadsheets save semicolons or tabs
  bool of_source_page = false;
};

std::optional<HeaderPlace> find_header(std::string_view text) {
  for (size_t at = 0; at < std::min(text.size(), kHeaderWithin);) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    for (const char separator : {',', ';', '\t'}) {
      if (!contains(line, "Kernel Name")) break;
      size_t behind = 0;
      const Record record = next_record(line, &behind, separator);
      if (is_header(record) || is_source_page(record)) return HeaderPlace{at, separator, is_source_page(record)};
    }
    at = end + 1;
  }
  return std::nullopt;
}

constexpr const char* kIdentity[] = {"ID",      "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time",
                                     "Context", "Stream",     "Block Size",   "Grid Size", "Device",      "CC"};

/// "(16, 16, 1)"; also "16, 16, 1" and "16 16 1".
std::array<uint32_t, 3> dimensions_of(std::string_view text) {
  std::array<uint32_t, 3> out{1, 1, 1};
  size_t k = 0;
  uint64_t number = 0;
  bool inside = false;
  for (size_t i = 0; i <= text.size() && k < 3; ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (c >= '0' && c <= '9') {
      number = std::min<uint64_t>(10 * number + static_cast<uint64_t>(c - '0'), INT32_MAX);
      inside = true;
    } else if (inside) {
      out[k++] = static_cast<uint32_t>(number);
      number = 0;
      inside = false;
    }
  }
  return out;
}

class TableReader {
 public:
  explicit TableReader(std::string_view text) : text_(text) {}

  Result<Counts> read() {
    const std::optional<HeaderPlace> header = find_header(text_);
    if (!header) return invalid_input("not a table of ncu: no line names the columns (Kernel Name, ...)");
    if (header->of_source_page)
      return invalid_input(
          "the source page of ncu, which has no launches. Give the report itself (its lines are read with --lines), or "
          "its raw page: ncu --import REPORT --page raw --csv");
    for (size_t at = header->at; at < text_.size();) {
      Record record = next_record(text_, &at, header->separator);
      if (is_header(record)) begin_table(std::move(record));
      else if (is_of_table(record)) records_.push_back(std::move(record));
    }
    finish_table();
    if (collector_.empty()) return invalid_input("a table of ncu without a launch");
    if (foreign_ > 0)
      collector_.notes().push_back(fmt::format("{} line{} of the table {} not understood", foreign_,
                                               foreign_ == 1 ? "" : "s", foreign_ == 1 ? "was" : "were"));
    if (unlabelled_ > 0)
      collector_.notes().push_back(
          fmt::format("{} values of the details page have labels without a known metric. Print the raw page (ncu "
                      "--page raw --csv) for all of them",
                      unlabelled_));
    if (details_)
      collector_.notes().emplace_back(
          "the details page rounds its values and leaves out most metrics: ncu --import FILE --page raw --csv has all");
    return collector_.take();
  }

 private:
  void begin_table(Record header) {
    finish_table();
    header_ = std::move(header);
    columns_.clear();
    for (size_t k = 0; k < header_.size(); ++k) columns_.emplace(header_[k], k);
    details_ |= columns_.contains("Metric Name");
  }

  /// Rows of the details page end behind the metric or the rule; whatever else is no row.
  bool is_of_table(const Record& record) {
    if (record.size() == 1 && (record[0].empty() || record[0].starts_with("=="))) return false;
    const auto value = columns_.find("Metric Value");
    const size_t least = value == columns_.end() ? header_.size() : value->second + 1;
    const bool fits = record.size() >= least && record.size() <= header_.size();
    foreign_ += !fits;
    return fits;
  }

  std::string_view cell(const Record& record, const char* column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() || found->second >= record.size() ? std::string_view()
                                                                     : std::string_view(record[found->second]);
  }

  void finish_table() {
    std::vector<std::string_view> numbers;
    for (const Record& record : records_) {
      for (size_t k = 0; k < record.size(); ++k) {
        const bool is_value = std::ranges::find(kIdentity, header_[k]) == std::end(kIdentity);
        if (is_value && is_number(record[k])) numbers.push_back(record[k]);
      }
    }
    style_ = style_of(numbers);
    columns_.contains("Metric Name") ? read_details() : read_raw();
    records_.clear();
  }

  CountedLaunch launch_of(const Record& record) const {
    return {.kernel = printable(cell(record, "Kernel Name")),
            .grid = dimensions_of(cell(record, "Grid Size")),
            .block = dimensions_of(cell(record, "Block Size"))};
  }

  void begin_launch(const Record& record) {
    const std::string_view compute = cell(record, "CC");
    const size_t point = std::min(compute.find('.'), compute.size());
    const int64_t major = parse_int(compute.substr(0, point)).value_or(0);
    const int64_t minor = parse_int(compute.substr(std::min(point + 1, compute.size()))).value_or(0);
    collector_.begin(launch_of(record),
                     fmt::format("{}/{}/{}", cell(record, "Host Name"), cell(record, "Device"), compute),
                     std::clamp<int64_t>(10 * major + minor, 0, 1000));
  }

  void read_raw() {
    if (records_.empty()) return;
    const bool has_units = cell(records_[0], "Kernel Name").empty();
    std::vector<Unit> units(header_.size());
    for (size_t k = 0; has_units && k < records_[0].size(); ++k) units[k] = unit_of(records_[0][k]);
    for (size_t row = has_units ? 1 : 0; row < records_.size(); ++row) {
      const Record& record = records_[row];
      begin_launch(record);
      for (size_t k = 0; k < record.size(); ++k) {
        if (std::ranges::find(kIdentity, header_[k]) != std::end(kIdentity)) continue;
        std::optional<double> value = number_of(record[k], style_);
        if (value) *value *= units[k].factor;
        else collector_.add_text(header_[k], record[k]);
        collector_.add(header_[k], value, units[k].base);
      }
    }
  }

  /// One launch's rows follow one another; a row has a metric or a rule.
  void read_details() {
    std::string last;
    for (const Record& record : records_) {
      const std::string launch =
          fmt::format("{}/{}/{}", cell(record, "Process ID"), cell(record, "ID"), cell(record, "Kernel Name"));
      if (launch != last) begin_launch(record);
      last = launch;
      if (const std::string_view metric = cell(record, "Metric Name"); !metric.empty()) add_detail(record, metric);
      else if (!cell(record, "Rule Name").empty()) add_rule(record);
    }
  }

  void add_detail(const Record& record, std::string_view label) {
    const std::string_view section = cell(record, "Section Name");
    std::string_view metric = contains(label, "__") ? label : std::string_view();
    for (const Label& known : kLabels) {
      if (metric.empty() && known.label == label && known.section == section) metric = known.metric;
    }
    const Unit unit = unit_of(cell(record, "Metric Unit"));
    std::optional<double> value = number_of(cell(record, "Metric Value"), style_);
    if (metric.empty()) {
      unlabelled_ += value.has_value();
      return;
    }
    if (value) *value *= unit.factor;
    collector_.add(metric, value, unit.base);
  }

  void add_rule(const Record& record) {
    const std::string_view kind = cell(record, "Rule Type");
    collector_.launch().rules.push_back(
        {.id = printable(cell(record, "Rule Name")),
         .kind = printable(kind),
         .text = printable(cell(record, "Rule Description")),
         .speedup_percent = number_of(cell(record, "Estimated Speedup"), style_).value_or(0)});
  }

  std::string_view text_;
  Record header_;
  std::map<std::string, size_t, std::less<>> columns_;
  std::vector<Record> records_;
  NumberStyle style_;
  Collector collector_;
  int64_t foreign_ = 0, unlabelled_ = 0;
  bool details_ = false;
};

}  // namespace

bool is_table(std::string_view head) {
  const std::string decoded = utf8_of_utf16(head);
  return find_header(decoded.empty() ? head : decoded).has_value();
}

Result<Counts> read_table(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // else it is part of the first column's name
  const std::string decoded = utf8_of_utf16(text);
  return TableReader(decoded.empty() ? text : decoded).read();
}

Result<Counts> read(std::string_view bytes) { return is_report(bytes) ? read_report(bytes) : read_table(bytes); }

}  // namespace warplens::counters::ncu
