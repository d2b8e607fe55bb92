#include "warplens/output/source_excerpt.h"

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/output/terminal.h"

namespace warplens {
namespace {

constexpr size_t kWidestLine = 100;
constexpr uintmax_t kLargestFile = 16 << 20;

struct Shown {
  std::mutex mutex;
  bool all = true;
  std::vector<std::filesystem::path> places;  // files and folders, canonical
  std::string kept_back;                      // the first file elsewhere whose lines were asked for
};

Shown& shown_sources() {
  static Shown shown;
  return shown;
}

bool lies_in_the_open(const std::filesystem::path& place, const std::filesystem::path& file) {
  if (file == place) return true;
  const std::filesystem::path below = file.lexically_relative(place);
  return !below.empty() && std::ranges::none_of(below, [](const auto& part) { return part.string().starts_with('.'); });
}

bool may_show(const std::string& file) {
  Shown& shown = shown_sources();
  const std::lock_guard lock(shown.mutex);
  if (shown.all) return true;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::canonical(file, error);
  if (error) return false;
  const bool is_shown =
      std::ranges::any_of(shown.places, [&](const auto& place) { return lies_in_the_open(place, whole); });
  if (!is_shown && shown.kept_back.empty()) {
    const std::string from_here = std::filesystem::proximate(whole, error).string();
    shown.kept_back = from_here.size() <= whole.string().size() ? from_here : whole.string();
  }
  return is_shown;
}

Result<std::string> read_source(const std::string& file) {
  if (!may_show(file)) return not_found(file);
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) || std::filesystem::file_size(file, error) > kLargestFile)
    return not_found(file);
  return read_file(file);
}

std::string shown(std::string_view line) {
  const std::string text = replace_all(repair_utf8(line), "\t", "  ");
  return display_width(text) > kWidestLine ? ellipsis(text, kWidestLine) : text;
}

}  // namespace

void show_sources_only_in(const std::vector<std::string>& places) {
  {
    const std::lock_guard lock(shown_sources().mutex);
    shown_sources().all = false;
  }
  for (const std::string& place : places) show_sources_in(place);
}

void show_sources_in(const std::string& place) {
  Shown& shown = shown_sources();
  const std::lock_guard lock(shown.mutex);
  if (shown.all) return;
  std::error_code error;
  std::filesystem::path whole = std::filesystem::canonical(place.empty() ? "." : place, error);
  if (!error) shown.places.push_back(std::move(whole));
}

std::string source_not_shown() {
  const std::lock_guard lock(shown_sources().mutex);
  return shown_sources().kept_back;
}

std::vector<std::string> source_lines(const std::string& file) {
  const Result<std::string> text = read_source(file);
  if (!text.ok()) return {};
  std::vector<std::string> out;
  for (const std::string_view line : split(*text, '\n')) out.push_back(repair_utf8(line));
  if (!out.empty() && out.back().empty()) out.pop_back();  // behind the last end of a line
  return out;
}

std::optional<std::string> source_line(const std::string& file, uint32_t line) {
  if (line == 0) return std::nullopt;
  const Result<std::string> text = read_source(file);
  if (!text.ok()) return std::nullopt;
  const auto lines = split(*text, '\n');
  if (line > lines.size()) return std::nullopt;
  return repair_utf8(trim(lines[line - 1]));
}

std::string source_excerpt(const std::string& file, uint32_t line, std::string_view indent) {
  if (line == 0) return "";
  const Result<std::string> text = read_source(file);
  if (!text.ok()) return "";
  const auto lines = split(*text, '\n');
  if (line > lines.size()) return "";
  std::string out;
  for (size_t number = std::max<size_t>(line, 2) - 1; number <= std::min<size_t>(line + 1, lines.size()); ++number) {
    const std::string row = fmt::format("{} {:>4} | {}", number == line ? '>' : ' ', number, shown(lines[number - 1]));
    out += fmt::format("{}{}\n", indent, number == line ? row : styled(row, Style::kDim));
  }
  return out;
}

}  // namespace warplens
