#include "warplens/launch/read_input.h"

#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/trace/readers/input/input.h"

namespace warplens::launch {
namespace {

constexpr size_t kStartBytes = 1 << 16;
constexpr size_t kMostBytes = size_t{1} << 30;  // a small compressed file can stand for any size

}  // namespace

Result<std::string> read_input(const std::string& path) {
  if (std::error_code ignored; path != "-" && std::filesystem::is_directory(path, ignored))
    return invalid_input(path + ": is a directory; give a file in it");
  WL_ASSIGN(Input input, Input::open(path));
  std::string text;
  for (char buffer[1 << 16];;) {
    const size_t n = input.read(buffer, sizeof buffer);
    text.append(buffer, n);
    if (text.size() > kMostBytes)
      return invalid_input(
          path + ": is larger than 1 GiB when unpacked; give a kernel's source, PTX, a cubin or a launch file");
    if (n < sizeof buffer) break;
  }
  WL_TRY(input.damage().in(path));
  return text;
}

std::string read_start(const std::string& path) {
  if (std::error_code ignored; path == "-" || std::filesystem::is_directory(path, ignored)) return "";
  Result<Input> input = Input::open(path);
  if (!input.ok()) return "";
  std::string text(kStartBytes, '\0');
  text.resize(input->read(text.data(), text.size()));
  return text;
}

bool is_launch_file(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace warplens::launch
