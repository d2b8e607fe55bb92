#include "warplens/page/block_json.h"

#include <bit>

#include "warplens/base/text.h"
#include "warplens/output/saving.h"

namespace warplens::page {

namespace {

/// Cells as [text that people see, value to sort by].
void write_cells(json::Writer& w, const std::vector<Cell>& row, const std::vector<TableColumn>& columns) {
  w.begin_array();
  for (size_t c = 0; c < row.size(); ++c) {
    w.begin_array().value(format_cell(row[c], columns[c].kind));
    write_cell(w, row[c]);
    w.end_array();
  }
  w.end_array();
}

void write_columns(json::Writer& w, const std::vector<TableColumn>& columns) {
  w.key("columns").begin_array();
  for (const TableColumn& column : columns) {
    w.begin_object().member("name", column.name).member("title", column.title);
    w.member("number", column.kind != Kind::kText).end_object();
  }
  w.end_array();
}

/// Between the marks of an axis, in words that are short: of bytes the least power of two, else the least of 1, 2, 5,
/// 10, 20, ... that is as large as `rough`.
int64_t round_step(int64_t rough, Kind kind) {
  if (kind == Kind::kBytes) return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(rough)));
  int64_t power = 1;
  while (power * 10 <= rough) power *= 10;
  for (const int64_t step : {power, 2 * power, 5 * power}) {
    if (step >= rough) return step;
  }
  return 10 * power;
}

/// What evidence is called and how it is shown, by its name: "copied_bytes" is "copied", in bytes.
std::pair<std::string, std::string> shown_evidence(const std::string& name, const Cell& cell) {
  constexpr std::pair<std::string_view, Kind> kUnits[] = {
      {"_ns", Kind::kTimeNs}, {"_bytes", Kind::kBytes}, {"_fraction", Kind::kShare}, {"_share", Kind::kShare}};
  std::string shown = name;
  Kind kind = Kind::kNumber;
  for (const auto& [ending, unit] : kUnits) {
    if (!name.ends_with(ending)) continue;
    shown.resize(name.size() - ending.size());
    kind = unit;
  }
  return {replace_all(shown, "_", " "), format_cell(cell, kind)};
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
    write_columns(w, block.table.columns);
    w.key("rows").begin_array();
    for (const auto& row : block.table.rows) write_cells(w, row, block.table.columns);
    w.end_array();
    w.list("links", block.links);
  }
  void operator()(const FindingsBlock& block) const {
    w.member("kind", "findings").member("note", block.note).member("side", block.side).key("findings").begin_array();
    for (size_t k = 0; k < block.findings.size(); ++k) {
      const Finding& f = block.findings[k];
      w.begin_object().member("id", f.id).member("level", level_name(f.level)).member("title", f.title);
      w.member("detail", f.detail).member("advice", f.advice);
      w.member("saving", f.saving_fraction ? saving_text(f) : std::string());
      w.key("evidence").begin_array();
      for (const auto& [name, cell] : f.evidence) {
        const auto [shown, text] = shown_evidence(name, cell);
        w.begin_array().value(shown).value(text).end_array();
      }
      w.end_array();
      w.list("where", f.where);
      std::vector<std::string> kernels;
      for (const CountedCause& cause : f.kernels) kernels.push_back(cause_text(cause));
      w.list("kernels", kernels);
      w.key("spot");
      k < block.spots.size() && block.spots[k] ? w.value(*block.spots[k]) : w.null();
      w.end_object();
    }
    w.end_array();
  }
  void operator()(const Lanes& lanes) const {
    w.member("kind", "lanes").member("window_ns", lanes.window_ns);
    w.list("texts", lanes.texts);
    w.list("classes", lanes.classes);
    w.key("lanes").begin_array();
    constexpr const char* kKinds[] = {"steps", "stream", "idle", "thread", "python"};
    for (const Lane& lane : lanes.lanes) {
      w.begin_object().member("kind", kKinds[static_cast<size_t>(lane.kind)]).member("group", lane.group);
      w.member("side", lane.side);
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
    w.list("names", flames.names);
    w.list("light", writers::flame_colours(false));
    w.list("dark", writers::flame_colours(true));
    w.key("legend").begin_array();
    for (const writers::FlameKind kind : flames.kinds) {
      const auto k = static_cast<size_t>(kind);
      w.begin_array().value(writers::kFlameKinds[k]).value(k * writers::kFlameShades).end_array();
    }
    w.end_array();
    packed.numbers(flames.parent);
    packed.numbers(flames.total_ns);
    packed.numbers(flames.colour);
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
    w.end_array().member("most", most).key("marks").begin_array();
    constexpr int64_t kMarks = 5;
    const int64_t step = round_step(most / kMarks + 1, series.kind);
    for (int64_t mark = 0; mark <= most; mark += step)
      w.begin_array().value(mark).value(format_cell(Cell(mark), series.kind)).end_array();
    w.end_array();
  }

  void operator()(const PictureBlock& block) const {
    w.member("kind", "picture").member("title", block.title).member("note", block.note);
    w.member("label", block.picture.label).member("place", block.place);
    w.key("drawings").begin_array();
    for (const svg::Picture* each : {&block.picture, &block.narrow})
      w.begin_object()
          .member("width", each->width)
          .member("height", each->height)
          .member("body", each->body)
          .end_object();
    w.end_array();
  }
  void operator()(const Code& code) const {
    w.member("kind", "code").member("title", code.title).member("note", code.note).member("heat", code.heat);
    w.key("panes").begin_array();
    for (const Code::Pane& pane : code.panes) {
      w.begin_object().member("name", pane.name).member("note", pane.note);
      write_columns(w, pane.columns);
      w.key("lines").begin_array();
      for (const Code::Line& line : pane.lines) {
        w.begin_array().value(line.label).value(line.text).value(line.place);
        if (!line.cells.empty()) write_cells(w, line.cells, pane.columns);
        w.end_array();
      }
      w.end_array().end_object();
    }
    w.end_array();
  }
  void operator()(const Heat& heat) const {
    w.member("kind", "heat").member("title", heat.title).member("note", heat.note);
    w.member("row_title", heat.row_title).member("column_title", heat.column_title);
    w.list("rows", heat.rows);
    w.list("columns", heat.columns);
    w.key("cells").begin_array();
    for (const auto& value : heat.values) {
      const Cell cell = value ? Cell(*value) : Cell();
      w.begin_array().value(format_cell(cell, heat.kind));
      write_cell(w, cell);
      w.end_array();
    }
    w.end_array();
  }
};

}  // namespace

void write_block(json::Writer& w, Packed& packed, const Block& block) {
  w.begin_object();
  std::visit(WriteBlock{w, packed}, block);
  w.end_object();
}

}  // namespace warplens::page
