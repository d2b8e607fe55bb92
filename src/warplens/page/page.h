// One self-contained HTML page: sections of blocks, with the same words and numbers as the terminal.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "warplens/base/byte_sink.h"
#include "warplens/output/finding.h"
#include "warplens/output/svg.h"
#include "warplens/output/table.h"
#include "warplens/page/flames.h"
#include "warplens/page/lanes.h"

namespace warplens::page {

/// Short facts, a name and a text each: "device", "NVIDIA H200, 132 SMs".
struct Facts {
  std::vector<std::pair<std::string, std::string>> rows;
};

/// A bar chart with a row a name. `share` is the length of the bar, 0..1; `text` is beside it.
struct Bars {
  struct Row {
    std::string name, text;
    double share = 0;
  };
  std::string title;
  std::vector<Row> rows;
};

struct TableBlock {
  std::string title, note;
  Table table;
  /// For each row, the section, "#code-2", or the place, "saxpy.cu:12", that a click on it opens. May be empty.
  std::vector<std::string> links = {};
};

struct FindingsBlock {
  std::string note;  // the length of a step, or why nothing was found
  std::vector<Finding> findings;
  std::string side = {};  // of two profiles beside each other: "base" or "new"
  /// For each finding, the start of its longest event in the timeline (ns, as in Lanes), or none if it is unknown.
  /// Empty: there is no timeline.
  std::vector<std::optional<int64_t>> spots = {};
};

/// A quantity over time, drawn as steps. Values hold until the next time.
struct Series {
  std::string title;
  Kind kind = Kind::kNumber;  // how values are shown
  struct Line {
    std::string name;
    std::vector<std::pair<int64_t, int64_t>> points;  // time_ns since the start of the page's window, value
  };
  std::vector<Line> lines;
};

/// The width in pixels that a picture may have on a telephone.
inline constexpr int kNarrowWidth = 336;

/// The picture that a file of it shows, too.
struct PictureBlock {
  std::string title, note;
  svg::Picture picture, narrow;  // `narrow`: the same, drawn for kNarrowWidth
  std::string place = {};        // that it is of: "saxpy.cu:12"
};

/// Code side by side, as source, PTX and machine code: lines of one place are marked together.
struct Code {
  struct Line {
    std::string label;  // "12", or an address
    std::string text;
    std::string place;        // "saxpy.cu:12"; empty: of no place
    std::vector<Cell> cells;  // of the pane's columns; empty: nothing was counted
  };
  struct Pane {
    std::string name, note;
    std::vector<TableColumn> columns;
    std::vector<Line> lines;
  };
  std::string title, note;
  std::string heat;  // name of the column that is drawn as bars first
  std::vector<Pane> panes;
};

/// A number for each row and column, as shades, with the number beside it.
struct Heat {
  std::string title, note, row_title, column_title;
  Kind kind = Kind::kNumber;
  std::vector<std::string> rows, columns;
  std::vector<std::optional<int64_t>> values;  // row by row; none: not known
};

using Block = std::variant<Facts, Bars, TableBlock, FindingsBlock, Lanes, Flames, Series, PictureBlock, Code, Heat>;

struct Section {
  std::string id;     // of the address: "timeline"
  std::string title;  // of the tab
  std::vector<Block> blocks;
  size_t part = 0;  // 1 + row of Page::parts that it is of; 0: of the whole
};

struct Page {
  std::string title;      // names the files
  std::string integrity;  // the verdict on the data, at the top
  std::vector<Section> sections;
  std::vector<std::string> parts = {};  // launches of which one is shown at a time
  std::string part_title = {};          // "Launch"
  bool whole = true;                    // false: the data lack something, or a run ended early; the verdict stands out
  /// For a page that `open` serves, which asks its server only for newer versions; none: a file.
  std::optional<int> version;
};

/// The page of `open --perfetto`: it asks its server for "trace" and hands that to the Perfetto UI.
std::string perfetto_page();

/// Writes the page as HTML: script and style are inside, it fetches nothing, and a content security policy forbids it.
Status write_page(const Page& page, const ByteSink& to);

}  // namespace warplens::page
