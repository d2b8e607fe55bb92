#include "warplens/report/access_picture.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/output/svg.h"

namespace warplens::report {
namespace {

constexpr size_t kMostRows = 40;
constexpr uint64_t kSector = 32, kWords = 8;

/// The sectors that the lanes touch, in order of address; each with the lanes of its eight words (-1: nobody).
std::map<uint64_t, std::array<int, kWords>> sectors_of(const simt::AccessSample& s) {
  std::map<uint64_t, std::array<int, kWords>> out;
  for (const uint32_t lane : set_bits(s.lanes)) {
    const uint64_t at = s.addresses[static_cast<size_t>(lane)];
    for (uint64_t word = at / 4; word <= (at + s.size_bytes - 1) / 4; ++word) {
      const auto [row, added] = out.try_emplace(word / kWords);
      if (added) row->second.fill(-1);
      if (row->second[word % kWords] < 0) row->second[word % kWords] = lane;
    }
  }
  return out;
}

std::string cell(int lane) { return lane < 0 ? "  ." : fmt::format("{:3}", lane); }

/// Which request it is, and what it costs.
std::pair<std::string, std::string> title(const AccessExample& access) {
  const simt::AccessSample& s = access.sample;
  const bool shared = s.space == simt::AccessSample::Space::kShared;
  const size_t slash = access.file.find_last_of('/');
  return {fmt::format("{} at {}:{}, warp {} of block {},{},{}", access.text,
                      slash == std::string::npos ? access.file : access.file.substr(slash + 1), access.line, s.warp,
                      s.block[0], s.block[1], s.block[2]),
          fmt::format("{} of 32 lanes, {} bytes each; {} {} ({} needed)", std::popcount(s.lanes), s.size_bytes, s.cost,
                      shared ? (s.cost == 1 ? "pass" : "passes") : (s.cost == 1 ? "sector" : "sectors"), s.ideal)};
}

std::string rows_left(size_t rows) {
  return rows > kMostRows ? fmt::format("  ... {} more like these\n", rows - kMostRows) : "";
}

constexpr size_t kBanks = 32, kBankColumns = 7 + 3 * kBanks;  // "pass  1" and three characters a bank

std::string draw_shared(const simt::AccessSample& s, size_t width) {
  const auto passes = simt::shared_passes(s);
  const size_t at_once = width == 0 || width >= kBankColumns ? kBanks : kBanks / 2;
  std::string out;
  for (size_t first = 0; first < kBanks; first += at_once) {
    out += "  bank ";
    for (size_t bank = first; bank < first + at_once; ++bank) out += fmt::format("{:3}", bank);
    out += '\n';
    for (size_t k = 0; k < std::min(passes.size(), kMostRows); ++k) {
      out += fmt::format("pass{:3}", k + 1);
      for (size_t bank = first; bank < first + at_once; ++bank) out += cell(passes[k][bank]);
      out += '\n';
    }
  }
  return out + rows_left(passes.size());
}

std::string draw_global(const simt::AccessSample& s) {
  std::string out = "  sector (bytes from the first)";
  for (uint64_t word = 0; word < kWords; ++word) out += fmt::format("{:>4}", fmt::format("+{}", 4 * word));
  out += '\n';
  const auto sectors = sectors_of(s);
  size_t row = 0;
  for (const auto& [sector, words] : sectors) {
    if (++row > kMostRows) break;
    out += fmt::format("{:>30}", (sector - sectors.begin()->first) * kSector);
    for (const int lane : words) out += " " + cell(lane);
    out += '\n';
  }
  return out + rows_left(sectors.size());
}

/// Colours that follow each other around the circle, far enough apart to distinguish neighbours.
size_t hue(size_t index) { return index * 47 % 360; }
constexpr int kTop = 66, kNarrow = 500, kLabelEvery = 4;

/// Where squares are.
struct Grid {
  int column_width = 12, row_height = 12, left = 64;

  int x(size_t column) const { return left + static_cast<int>(column) * column_width; }
  int y(int row) const { return kTop + row * row_height; }
  std::string square(size_t column, int row, size_t index, const std::string& tip) const {
    return fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"hsl({},65%,55%)\"><title>{}</title></rect>\n",
        x(column), y(row), column_width - 1, row_height - 1, hue(index), tip);
  }
};

struct Drawing {
  std::string body;
  size_t columns = 0;
  std::string axis;
};

Drawing shared_drawing(const simt::AccessSample& s, const Grid& grid) {
  const auto passes = simt::shared_passes(s);
  const bool several = passes.size() > 1;
  Drawing out{"", kBanks, several ? "bank; right: the passes of the lane" : "bank"};
  std::map<std::pair<size_t, uint64_t>, size_t> pass_of_word;  // bank and word: lanes on one word share its pass
  for (size_t pass = 0; pass < passes.size(); ++pass) {
    for (size_t bank = 0; bank < 32; ++bank) {
      if (passes[pass][bank] < 0) continue;
      const auto lane = static_cast<size_t>(passes[pass][bank]);
      const uint64_t first = s.addresses[lane] / 4, word = first + (bank + 32 - first % 32) % 32;
      pass_of_word[{bank, word + (s.apart ? lane << 40 : 0)}] = pass;
    }
  }
  for (const uint32_t lane : set_bits(s.lanes)) {
    const uint64_t at = s.addresses[static_cast<size_t>(lane)];
    std::set<std::string> of_lane;
    for (uint64_t word = at / 4; word <= (at + s.size_bytes - 1) / 4; ++word) {
      const uint64_t key = word + (s.apart ? static_cast<uint64_t>(lane) << 40 : 0);
      const size_t pass = pass_of_word[{word % 32, key}];
      of_lane.insert(fmt::format("{}", pass + 1));
      out.body +=
          grid.square(word % 32, lane, pass, fmt::format("lane {}, bank {}, pass {}", lane, word % 32, pass + 1));
    }
    if (several)
      out.body +=
          svg::text(grid.x(kBanks) + 5, grid.y(lane) + 9,
                    join(std::vector<std::string>(of_lane.begin(), of_lane.end()), ","), "faint", "font-size=\"9\"");
  }
  return out;
}

Drawing global_drawing(const simt::AccessSample& s, const Grid& grid) {
  const auto sectors = sectors_of(s);
  Drawing out{"", sectors.size(), "sectors of 32 bytes, in order of address"};
  for (const uint32_t lane : set_bits(s.lanes)) {
    const uint64_t at = s.addresses[static_cast<size_t>(lane)];
    for (uint64_t sector = at / kSector; sector <= (at + s.size_bytes - 1) / kSector; ++sector) {
      const auto column = static_cast<size_t>(std::distance(sectors.begin(), sectors.find(sector)));
      out.body += grid.square(column, lane, column,
                              fmt::format("lane {}, byte {}", lane, at - sectors.begin()->first * kSector));
    }
  }
  return out;
}

}  // namespace

std::string draw_access(const AccessExample& access, size_t width) {
  const bool shared = access.sample.space == simt::AccessSample::Space::kShared;
  const auto [request, cost] = title(access);
  return request + ": " + cost + "\n" + (shared ? draw_shared(access.sample, width) : draw_global(access.sample));
}

std::vector<AccessExample> first_of_each_kind(const std::vector<AccessExample>& accesses) {
  std::vector<AccessExample> out;
  for (const AccessExample& access : accesses) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const AccessExample& a) {
      return a.sample.space == access.sample.space && a.sample.store == access.sample.store;
    });
    if (!known) out.push_back(access);
  }
  return out;
}

svg::Picture access_picture(const std::vector<AccessExample>& accesses, int least_width) {
  const Grid grid = least_width < kNarrow ? Grid{8, 12, 46} : Grid{};
  std::string body;
  std::vector<std::string> titles;
  int y = 0;
  size_t columns = 32;
  for (const AccessExample& access : accesses) {
    const bool shared = access.sample.space == simt::AccessSample::Space::kShared;
    const Drawing drawing = shared ? shared_drawing(access.sample, grid) : global_drawing(access.sample, grid);
    columns = std::max(columns, drawing.columns);
    const auto [request, cost] = title(access);
    titles.push_back(request + ": " + cost);
    body += fmt::format("<g transform=\"translate(0,{})\">\n", y);
    const double room = least_width - 8;
    constexpr double kBold = 0.93;
    body += svg::text(4, 18, svg::shortened(request, room * kBold), "ink", "font-weight=\"600\"");
    body += svg::text(4, 34, svg::shortened(cost, room), "ink");
    body += svg::text(grid.left, kTop - 16, drawing.axis, "faint", "font-size=\"10\"");
    for (size_t bank = 0; shared && bank < kBanks; bank += kLabelEvery)
      body += svg::text(grid.x(bank), kTop - 4, fmt::format("{}", bank), "faint", "font-size=\"10\"");
    for (int lane = 0; lane < 32; lane += kLabelEvery)
      body += svg::text(4, grid.y(lane) + 9, fmt::format("lane {}", lane), "faint", "font-size=\"10\"");
    body += fmt::format("<path class=\"grid\" d=\"M{0} {1}h{2}v{3}h-{2}z\"/>\n", grid.left - 1, kTop - 1,
                        static_cast<int>(drawing.columns) * grid.column_width + 1, 32 * grid.row_height + 1);
    body += drawing.body + "</g>\n";
    y += kTop + 33 * grid.row_height + 10;
  }
  const int width = std::max(least_width, grid.x(columns) + 20);
  return {static_cast<double>(width), static_cast<double>(std::max(y, 20)), join(titles, "; "), std::move(body)};
}

}  // namespace warplens::report
