#include "warplens/build/compile/includes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "warplens/base/files.h"
#include "warplens/base/open_input.h"
#include "warplens/base/sha256.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/host_code.h"

namespace warplens::compile {
namespace {

/// Lines that end in a backslash go on in the next one; tabs of all kinds are spaces.
std::string spliced(std::string_view source) {
  std::string text = replace_all(replace_all(std::string(source), "\\\r\n", ""), "\\\n", "");
  std::ranges::replace_if(text, [](char c) { return c == '\v' || c == '\f'; }, ' ');
  return text;
}

class Scanner {
 public:
  explicit Scanner(const std::vector<std::string>& search) : search_(search) {}

  void scan(std::string_view written, const std::string& folder) {
    const std::string source = spliced(written), clean = blank_literals(source);
    for (size_t at = 0; at < clean.size();) {
      const size_t end = std::min(clean.find('\n', at), clean.size());
      const std::string_view line = trim(std::string_view(clean).substr(at, end - at));
      const size_t sign = line.starts_with('#')    ? 1
                          : line.starts_with("%:") ? 2
                                                   : 0;  // the second is another way to write #
      if (sign != 0) directive(trim(line.substr(sign)), clean, source, end, folder);
      at = end + 1;
    }
  }

  Includes result() { return {digest_.hex(), readable_, computed_}; }

 private:
  /// `line` is of `clean`, which has the places of `source` without its comments and literals.
  void directive(std::string_view line, std::string_view clean, std::string_view source, size_t end,
                 const std::string& folder) {
    const auto operand = [&](std::string_view part) {
      const std::string_view rest = trim(part);
      if (rest.empty()) {  // it may stand behind a comment of several lines
        computed_ = true;
        return;
      }
      const auto at = static_cast<size_t>(rest.data() - clean.data());
      follow(source.substr(at, end - at), folder);
    };
    for (const std::string_view name : {"include", "import", "embed"}) {
      if (line.starts_with(name)) operand(line.substr(name.size()));
    }
    for (const std::string_view asks : {"__has_include", "__has_embed"}) {
      for (size_t at = line.find(asks); at != std::string_view::npos; at = line.find(asks, at + 1)) {
        const std::string_view rest = trim(line.substr(at + asks.size()));
        if (rest.starts_with('(')) operand(rest.substr(1));
        if (rest.starts_with("_next")) computed_ = true;
      }
    }
    computed_ |= line.empty();  // the rest may stand behind a comment of several lines
  }

  void follow(std::string_view operand, const std::string& folder) {
    const char close = operand.starts_with('"') ? '"' : operand.starts_with('<') ? '>' : '\0';
    const size_t end = close ? operand.find(close, 1) : std::string_view::npos;
    if (end == std::string_view::npos) {
      computed_ = true;  // what a macro names is not known before the compiler reads it
      return;
    }
    const std::string name(operand.substr(1, end - 1));
    if (name.starts_with('/')) return visit(name);
    if (close == '"' && visit_if_there(folder + "/" + name)) return;
    for (const std::string& place : search_) {
      if (visit_if_there(place + "/" + name)) return;
    }
    digest_.add_field("not found: " + name);
  }

  bool visit_if_there(const std::string& path) {
    if (seen_.contains(path)) return true;
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return false;  // compilers pass it by
    const Result<int> opened = open_input(path);
    if (opened.ok()) {
      ::close(*opened);
    } else if (const ErrorCode why = opened.status().code(); why == ErrorCode::kNotFound || why == ErrorCode::kIo) {
      return false;  // compilers cannot open it either
    }
    const Result<std::string> text = read_file(path);
    if (!text.ok()) {
      readable_ = text.status();
      return true;
    }
    seen_.insert(path);
    digest_.add_field(path).add_field(*text);
    const size_t slash = path.rfind('/');
    scan(*text, path.substr(0, slash));
    return true;
  }

  void visit(const std::string& path) {
    if (!visit_if_there(path)) digest_.add_field("not found: " + path);
  }

  const std::vector<std::string>& search_;
  std::set<std::string> seen_;
  Sha256 digest_;
  Status readable_;
  bool computed_ = false;
};

}  // namespace

Includes scan_includes(std::string_view source, const std::string& folder, const std::vector<std::string>& search) {
  Scanner scanner(search);
  scanner.scan(source, folder);
  return scanner.result();
}

std::vector<std::string> search_folders(const std::vector<std::string>& options) {
  std::vector<std::string> folders;
  for (size_t i = 0; i < options.size(); ++i) {
    for (const char* flag : {"--include-path", "-isystem", "-I"}) {
      if (!options[i].starts_with(flag)) continue;
      std::string_view rest = std::string_view(options[i]).substr(std::string_view(flag).size());
      if (rest.starts_with('=')) rest.remove_prefix(1);
      if (!rest.empty()) folders.emplace_back(rest);
      else if (i + 1 < options.size()) folders.push_back(options[i + 1]);
      break;
    }
  }
  return folders;
}

}  // namespace warplens::compile
