#include "warplens/build/compile/cache.h"

#include <unistd.h>

#include "warplens/base/files.h"
#include "warplens/base/sha256.h"
#include "warplens/base/text.h"

namespace warplens::compile {
namespace {

constexpr std::string_view kMagic = "warplens compiled 1\n";
constexpr size_t kHashDigits = 64;

Result<std::string> entry_path(const std::string& key) {
  WL_ASSIGN(const std::string folder, cache_folder("compiled/" + key.substr(0, 2)));
  return folder + "/" + key.substr(2);
}

}  // namespace

/// "name length\n" and the bytes, piece after piece.
std::string serialize(const Pieces& pieces) {
  std::string text;
  for (const auto& [name, bytes] : pieces) text += fmt::format("{} {}\n", name, bytes.size()) + bytes;
  return text;
}

std::optional<Pieces> deserialize(std::string_view text) {
  Pieces pieces;
  while (!text.empty()) {
    const size_t line = text.find('\n'), space = text.find(' ');
    if (line == std::string_view::npos || space > line) return std::nullopt;
    const std::optional<int64_t> size = parse_int(text.substr(space + 1, line - space - 1));
    if (!size || *size < 0 || static_cast<size_t>(*size) > text.size() - line - 1) return std::nullopt;
    pieces[std::string(text.substr(0, space))] = text.substr(line + 1, static_cast<size_t>(*size));
    text.remove_prefix(line + 1 + static_cast<size_t>(*size));
  }
  return pieces;
}

std::optional<Pieces> load_cached(const std::string& key) {
  const Result<std::string> path = entry_path(key);
  if (!path.ok() || !is_own(*path)) return std::nullopt;
  const Result<std::string> file = read_file(*path);
  if (!file.ok()) return std::nullopt;
  const std::string_view text = *file;
  const size_t body = kMagic.size() + kHashDigits;
  if (text.size() >= body && text.starts_with(kMagic) &&
      sha256_hex(text.substr(body)) == text.substr(kMagic.size(), kHashDigits)) {
    if (std::optional<Pieces> pieces = deserialize(text.substr(body))) return pieces;
  }
  ::unlink(path->c_str());
  return std::nullopt;
}

Status store_cached(const std::string& key, const Pieces& pieces) {
  WL_ASSIGN(const std::string path, entry_path(key));
  const std::string body = serialize(pieces);
  return write_file(path, std::string(kMagic) + sha256_hex(body) + body, true);
}

}  // namespace warplens::compile
