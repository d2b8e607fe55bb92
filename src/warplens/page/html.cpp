// A page as HTML. What it shows is data: JSON, and packed columns beside it; the script makes elements of both.
#include <fmt/format.h>

#include "warplens/base/sha256.h"
#include "warplens/page/assets.h"
#include "warplens/page/base64.h"
#include "warplens/page/page.h"
#include "warplens/writers/gzip.h"

namespace warplens::page {
namespace {

/// Whole numbers as LEB128, one behind the other; the script reads them in the order in which they were written.
class Packed {
 public:
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void signed_number(int64_t value) {  // small ones of either sign are short
    number(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  template <typename Column>
  void numbers(const Column& column) {
    for (const auto value : column) number(static_cast<uint64_t>(value));
  }
  /// Each as the difference to the one before.
  void rising(const std::vector<int64_t>& column) {
    int64_t before = 0;
    for (const int64_t value : column) signed_number(value - before), before = value;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

void write_texts(json::Writer& w, std::string_view key, const std::vector<std::string>& texts) {
  w.key(key).begin_array();
  for (const std::string& text : texts) w.value(text);
  w.end_array();
}

/// Cells as [text that people see, value to sort by].
void write_table(json::Writer& w, const Table& table) {
  w.key("columns").begin_array();
  for (const TableColumn& column : table.columns)
    w.begin_object().member("title", column.title).member("number", column.kind != Kind::kText).end_object();
  w.end_array().key("rows").begin_array();
  for (const auto& row : table.rows) {
    w.begin_array();
    for (size_t c = 0; c < row.size(); ++c) {
      w.begin_array().value(format_cell(row[c], table.columns[c].kind));
      write_cell(w, row[c]);
      w.end_array();
    }
    w.end_array();
  }
  w.end_array();
}

struct WriteBlock {
  json::Writer& w;
  Packed& packed;

  void operator()(const Facts& facts) const {
    w.member("kind", "facts").key("rows").begin_array();
    for (const auto& [name, text] : facts.rows) w.begin_array().value(name).value(text).end_array();
    w.end_array();
  }
  void operator()(const Bars& bars) const {
    w.member("kind", "bars").member("title", bars.title).key("rows").begin_array();
    for (const Bars::Row& row : bars.rows)
      w.begin_object().member("name", row.name).member("text", row.text).member("share", row.share).end_object();
    w.end_array();
  }
  void operator()(const TableBlock& block) const {
    w.member("kind", "table").member("title", block.title).member("note", block.note);
    write_table(w, block.table);
  }
  void operator()(const FindingsBlock& block) const {
    w.member("kind", "findings").member("note", block.note).key("findings").begin_array();
    for (const Finding& f : block.findings) {
      w.begin_object().member("id", f.id).member("level", level_name(f.level)).member("title", f.title);
      w.member("detail", f.detail).member("advice", f.advice);
      w.member("saving", f.saving_ns
                             ? fmt::format("saves about {} ({})", format_cell(Cell(*f.saving_ns), Kind::kTimeNs),
                                           format_cell(Cell(*f.saving_fraction), Kind::kShare))
                             : std::string());
      write_texts(w, "where", f.where);
      w.end_object();
    }
    w.end_array();
  }
  void operator()(const Lanes& lanes) const {
    w.member("kind", "lanes").member("window_ns", lanes.window_ns);
    write_texts(w, "texts", lanes.texts);
    write_texts(w, "classes", lanes.classes);
    w.key("lanes").begin_array();
    constexpr const char* kKinds[] = {"steps", "stream", "idle", "thread", "python"};
    for (const Lane& lane : lanes.lanes) {
      w.begin_object().member("kind", kKinds[static_cast<size_t>(lane.kind)]).member("group", lane.group);
      w.member("name", lane.name).member("count", lane.start_ns.size());
      w.member("launches", !lane.launch_lane.empty()).end_object();
      packed.rising(lane.start_ns);
      packed.numbers(lane.duration_ns);
      packed.numbers(lane.name_of);
      packed.numbers(lane.class_of);
      packed.numbers(lane.detail_of);
      packed.numbers(lane.launch_lane);
      packed.numbers(lane.launch_before);
    }
    w.end_array();
  }
  void operator()(const Flames& flames) const {
    w.member("kind", "flames").member("title", flames.title);
    write_texts(w, "names", flames.names);
    packed.numbers(flames.parent);
    packed.numbers(flames.total_ns);
  }
  void operator()(const Series& series) const {
    w.member("kind", "series").member("title", series.title).key("lines").begin_array();
    int64_t most = 0;
    for (const Series::Line& line : series.lines) {
      w.begin_object().member("name", line.name).member("count", line.points.size()).end_object();
      int64_t time = 0, value = 0;
      for (const auto& [at, amount] : line.points) {
        packed.signed_number(at - time), packed.signed_number(amount - value);
        time = at, value = amount, most = std::max(most, amount);
      }
    }
    // Marks of the axis in words, so that the script need not know units.
    w.end_array().key("marks").begin_array();
    for (int quarter = 0; quarter <= 4; ++quarter) {
      const int64_t mark = most / 4 * quarter;
      w.begin_array().value(mark).value(format_cell(Cell(mark), series.kind)).end_array();
    }
    w.end_array();
  }
};

std::string page_json(const Page& page, Packed& packed) {
  json::Writer w;
  w.begin_object().member("title", page.title).member("integrity", page.integrity).key("sections").begin_array();
  for (const Section& section : page.sections) {
    w.begin_object().member("id", section.id).member("title", section.title).key("blocks").begin_array();
    for (const Block& block : section.blocks) {
      w.begin_object();
      std::visit(WriteBlock{w, packed}, block);
      w.end_object();
    }
    w.end_array().end_object();
  }
  return w.end_array().end_object().take();
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else out += c;
  }
  return out;
}

Result<std::string> compressed(std::string_view bytes) {
  std::string out;
  WL_ASSIGN(writers::GzipWriter gzip, writers::GzipWriter::start([&](std::string_view piece) {
              out += piece;
              return Status();
            }));
  WL_TRY(gzip.write(bytes));
  WL_TRY(gzip.finish());
  return base64(out);
}

/// Only this style and this script run; nothing is loaded, sent or framed.
std::string policy() {
  const auto source = [](std::string_view text) { return fmt::format("'sha256-{}'", base64_of_hex(sha256_hex(text))); };
  return fmt::format("default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
                     source(kScript), source(kStyle));
}

}  // namespace

Status write_page(const Page& page, const ByteSink& to) {
  Packed packed;
  const std::string json = page_json(page, packed);
  WL_ASSIGN(const std::string data, compressed(json));
  WL_ASSIGN(const std::string columns, compressed(packed.bytes()));
  WL_TRY(
      to(fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n<title>{} - warplens</title>\n<style>",
                     policy(), escaped(page.title))));
  WL_TRY(to(kStyle));
  WL_TRY(
      to("</style>\n</head>\n<body>\n<noscript>This page needs JavaScript. It loads nothing from a network."
         "</noscript>\n<script type=\"text/plain\" id=\"data\">"));
  WL_TRY(to(data));
  WL_TRY(to("</script>\n<script type=\"text/plain\" id=\"columns\">"));
  WL_TRY(to(columns));
  WL_TRY(to("</script>\n<script>"));
  WL_TRY(to(kScript));
  return to("</script>\n</body>\n</html>\n");
}

}  // namespace warplens::page
