#include "warplens/build/compile/includes.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "warplens/base/files.h"
#include "warplens/base/sha256.h"
#include "warplens/base/text.h"

namespace warplens::compile {
namespace {

class Scanner {
 public:
  explicit Scanner(const std::vector<std::string>& search) : search_(search) {}

  void scan(std::string_view source, const std::string& folder) {
    for (size_t at = source.find('#'); at != std::string_view::npos; at = source.find('#', at + 1)) {
      const size_t line_begin = source.rfind('\n', at) + 1;  // npos + 1 is 0
      if (!trim(source.substr(line_begin, at - line_begin)).empty()) continue;
      const std::string_view line = trim(source.substr(at + 1, source.find('\n', at) - at - 1));
      if (line.starts_with("define")) define(trim(line.substr(6)));
      if (line.starts_with("include")) follow(trim(line.substr(7)), folder);
    }
  }

  Includes result() { return {digest_.hex(), readable_, computed_}; }

 private:
  /// Keeps what a macro without arguments names. A later definition stands beside an earlier one: conditions are not
  /// read.
  void define(std::string_view text) {
    const size_t end = text.find_first_of(" \t");
    if (end == std::string_view::npos || text.substr(0, end).find('(') != std::string_view::npos) return;
    const std::string_view value = trim(text.substr(end));
    if (value.starts_with('"') || value.starts_with('<'))
      named_[std::string(text.substr(0, end))].insert(std::string(value));
  }

  /// What a macro names is not known before the compiler reads it, so results cannot be cached; but pipes are looked
  /// for behind names that macros hold and in the arguments of those that quote.
  void follow_macro(std::string_view operand, const std::string& folder) {
    computed_ = true;
    const size_t open = operand.find('('), close = operand.rfind(')');
    if (open != std::string_view::npos && close != std::string_view::npos && close > open) {
      follow(fmt::format("\"{}\"", trim(operand.substr(open + 1, close - open - 1))), folder);
      return;
    }
    const auto found = named_.find(std::string(operand));
    if (found == named_.end()) return;
    for (const std::string& name : found->second) follow(name, folder);
  }

  void follow(std::string_view operand, const std::string& folder) {
    const char close = operand.starts_with('"') ? '"' : operand.starts_with('<') ? '>' : '\0';
    const size_t end = close ? operand.find(close, 1) : std::string_view::npos;
    if (end == std::string_view::npos) return follow_macro(operand, folder);
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
    if (Status regular = check_regular(path); !regular.ok()) {
      readable_ = std::move(regular);
      return true;
    }
    const Result<std::string> text = read_file(path);
    if (!text.ok()) return false;
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
  std::map<std::string, std::set<std::string>> named_;  // macro -> the headers that it may name
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
