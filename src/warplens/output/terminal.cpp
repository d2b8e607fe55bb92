#include "warplens/output/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "warplens/base/printable.h"
#include "warplens/base/text.h"
#include "warplens/output/messages.h"

namespace warplens {
namespace {

bool color_on = false, whole = false, keeps_messages = false;
std::string kept;  // of keep_messages()

bool auto_color() {
  const auto set = [](const char* name) {
    const char* v = std::getenv(name);
    return v != nullptr && *v != 0;
  };
  if (set("NO_COLOR")) return false;
  if (set("FORCE_COLOR")) return true;
  const char* term = std::getenv("TERM");
  return ::isatty(1) != 0 && (term == nullptr || std::string_view(term) != "dumb");
}

const char* code_of(Style style) {
  switch (style) {
    case Style::kPlain: return "0";
    case Style::kBold: return "1";
    case Style::kDim: return "2";
    case Style::kRed: return "31";
    case Style::kGreen: return "32";
    case Style::kYellow: return "33";
    case Style::kBlue: return "34";
    case Style::kMagenta: return "35";
    case Style::kCyan: return "36";
    case Style::kBrightRed: return "91";
    case Style::kBrightGreen: return "92";
    case Style::kBrightYellow: return "93";
    case Style::kBrightBlue: return "94";
    case Style::kBrightMagenta: return "95";
    case Style::kBrightCyan: return "96";
  }
  return "0";
}

}  // namespace

void show_whole_names() { whole = true; }
bool whole_names() { return whole; }

size_t terminal_width() {
  if (whole) return 0;
  if (const char* columns = std::getenv("COLUMNS")) {
    if (const auto n = parse_int(columns); n && *n > 0) return static_cast<size_t>(*n);
  }
  winsize size{};
  if (::isatty(1) && ::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 0;
}

void set_color(std::string_view mode) { color_on = mode == "always" || (mode != "never" && auto_color()); }

bool colored() { return color_on; }

std::string styled(std::string_view text, Style style) {
  if (!color_on || style == Style::kPlain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(style), text);
}

void keep_messages() { keeps_messages = true; }

const std::string& kept_messages() { return kept; }

void show(std::FILE* stream, std::string_view text) {
  const std::string shown = printable_lines(text);
  if (keeps_messages && stream == stderr) kept += shown;
  std::fwrite(shown.data(), 1, shown.size(), stream);
}

std::string bar(double share, size_t width) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width) * 8));
  std::string out;
  for (size_t i = 0; i < eighths / 8; ++i) out += "█";
  out += kEighths[eighths % 8];
  const size_t used = eighths / 8 + (eighths % 8 != 0);
  return out + std::string(width - used, ' ');
}

std::string strip(const std::vector<double>& shares) {
  static constexpr const char* kHeights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string out;
  for (const double share : shares) {
    const auto height = static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 8));
    out += kHeights[share > 0 && height == 0 ? 1 : height];
  }
  return out;
}

}  // namespace warplens
