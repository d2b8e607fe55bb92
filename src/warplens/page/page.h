// One self-contained HTML page: sections of blocks, whose words and numbers are those of the terminal.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "warplens/base/byte_sink.h"
#include "warplens/output/finding.h"
#include "warplens/output/table.h"
#include "warplens/page/flames.h"
#include "warplens/page/lanes.h"

namespace warplens::page {

/// Short facts, a name and a text each: "device", "NVIDIA H200, 132 SMs".
struct Facts {
  std::vector<std::pair<std::string, std::string>> rows;
};

/// A bar chart with a row a name. `share` is the length of the bar, 0..1; `text` stands beside it.
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
};

struct FindingsBlock {
  std::string note;  // the length of a step, or why nothing was found
  std::vector<Finding> findings;
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

using Block = std::variant<Facts, Bars, TableBlock, FindingsBlock, Lanes, Flames, Series>;

struct Section {
  std::string id;     // of the address: "timeline"
  std::string title;  // of the tab
  std::vector<Block> blocks;
};

struct Page {
  std::string title;      // names the files
  std::string integrity;  // the verdict on the data, which stands above everything
  std::vector<Section> sections;
};

/// Writes the page as HTML: script and style inside, nothing is fetched, and a content security policy forbids more.
Status write_page(const Page& page, const ByteSink& to);

}  // namespace warplens::page
