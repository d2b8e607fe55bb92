// Lines that a person types: with editing and a history on a terminal, plain otherwise.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace warplens::cli {

class LineReader {
 public:
  /// `history_path`: the file that keeps lines between sessions, readable by its owner alone; empty: no file.
  explicit LineReader(std::string history_path);

  bool is_terminal() const { return terminal_; }
  /// One line without its end; no value at the end of the input. Ctrl-C gives an empty line and sets interrupted().
  std::optional<std::string> read(const std::string& prompt);
  bool interrupted() const { return interrupted_; }
  /// Keeps an entry, lines joined by spaces, unless it is the last one again.
  void remember(const std::string& entry);

 private:
  std::optional<std::string> read_plain();
  std::optional<std::string> edit(const std::string& prompt);

  std::string path_;
  bool terminal_ = false, interrupted_ = false;
  std::vector<std::string> history_;
};

}  // namespace warplens::cli
