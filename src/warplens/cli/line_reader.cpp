#include "warplens/cli/line_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "warplens/base/files.h"
#include "warplens/base/text.h"

namespace warplens::cli {
namespace {

constexpr size_t kKeptEntries = 1000;

/// A terminal that gives keys one by one, while this lives.
class RawTerminal {
 public:
  RawTerminal() {
    if (::tcgetattr(0, &before_) != 0) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL | IXON);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    ok_ = ::tcsetattr(0, TCSADRAIN, &raw) == 0;
  }
  ~RawTerminal() {
    if (ok_) ::tcsetattr(0, TCSADRAIN, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  bool ok() const { return ok_; }

 private:
  termios before_{};
  bool ok_ = false;
};

enum Key { kEndOfInput = -1, kUp = 1000, kDown, kLeft, kRight, kHome, kLast, kDelete, kOther };

int byte() {
  unsigned char c = 0;
  return ::read(0, &c, 1) == 1 ? int{c} : int{kEndOfInput};
}

/// What an escape sequence means, its first byte already read.
int sequence() {
  if (const int kind = byte(); kind != '[' && kind != 'O') return kind == kEndOfInput ? kEndOfInput : kOther;
  const int c = byte();
  switch (c) {
    case 'A': return kUp;
    case 'B': return kDown;
    case 'C': return kRight;
    case 'D': return kLeft;
    case 'H': return kHome;
    case 'F': return kLast;
    default: break;
  }
  int last = c;
  while (last >= '0' && last <= ';') last = byte();
  return c == '3' && last == '~' ? kDelete : c == '1' && last == '~' ? kHome : c == '4' && last == '~' ? kLast : kOther;
}

bool is_inside(const std::string& text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

/// A line being typed, and the place in it.
struct Line {
  std::string text;
  size_t at = 0;

  void left() {
    if (at > 0) --at;
    while (at > 0 && is_inside(text, at)) --at;
  }
  void right() {
    if (at < text.size()) ++at;
    while (is_inside(text, at)) ++at;
  }
  void erase_here() {
    const size_t begin = at;
    right();
    text.erase(begin, at - begin);
    at = begin;
  }
  void erase_before() {
    if (at == 0) return;
    left();
    erase_here();
  }
  void erase_word() {
    const size_t end = at;
    while (at > 0 && text[at - 1] == ' ') --at;
    while (at > 0 && text[at - 1] != ' ') --at;
    text.erase(at, end - at);
  }
  void put(std::string with) {
    text = std::move(with);
    at = text.size();
  }
};

void draw(const std::string& prompt, const Line& line) {
  const size_t behind = display_width(std::string_view(line.text).substr(line.at));
  std::cout << '\r' << prompt << line.text << "\x1b[K";
  if (behind > 0) std::cout << "\x1b[" << behind << 'D';
  std::cout << std::flush;
}

/// Whether the key belongs to editing; printable bytes are inserted.
void apply(int key, Line& line) {
  switch (key) {
    case kLeft:
    case 'B' - '@': line.left(); break;
    case kRight:
    case 'F' - '@': line.right(); break;
    case kHome:
    case 'A' - '@': line.at = 0; break;
    case kLast:
    case 'E' - '@': line.at = line.text.size(); break;
    case kDelete: line.erase_here(); break;
    case 127:
    case 'H' - '@': line.erase_before(); break;
    case 'K' - '@': line.text.resize(line.at); break;
    case 'U' - '@': line.text.erase(0, line.at), line.at = 0; break;
    case 'W' - '@': line.erase_word(); break;
    default:
      if (key >= ' ' && key < 256) line.text.insert(line.at++, 1, static_cast<char>(key));
  }
}

}  // namespace

LineReader::LineReader(std::string history_path) : path_(std::move(history_path)), terminal_(::isatty(0) == 1) {
  if (path_.empty() || !terminal_) return;
  const Result<std::string> kept = read_file(path_);
  if (!kept.ok()) return;
  for (const std::string_view entry : split(*kept, '\n')) {
    if (!entry.empty()) history_.emplace_back(entry);
  }
}

std::optional<std::string> LineReader::read(const std::string& prompt) {
  interrupted_ = false;
  return terminal_ ? edit(prompt) : read_plain();
}

std::optional<std::string> LineReader::read_plain() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

std::optional<std::string> LineReader::edit(const std::string& prompt) {
  const RawTerminal raw;
  if (!raw.ok()) return read_plain();
  Line line;
  size_t entry = history_.size();
  const auto show_entry = [&](size_t which) {
    entry = which;
    line.put(entry < history_.size() ? history_[entry] : "");
  };
  for (draw(prompt, line);; draw(prompt, line)) {
    const int first = byte(), key = first == '\x1b' ? sequence() : first;
    if (key == kEndOfInput || (key == 'D' - '@' && line.text.empty())) {
      std::cout << '\n';
      return std::nullopt;
    }
    if (key == 'C' - '@') {
      interrupted_ = true;
      std::cout << "^C\n";
      return std::string();
    }
    if (key == '\r' || key == '\n') {
      std::cout << '\n' << std::flush;
      return line.text;
    }
    if (key == 'D' - '@') line.erase_here();
    else if (key == kUp && entry > 0) show_entry(entry - 1);
    else if (key == kDown && entry < history_.size()) show_entry(entry + 1);
    else apply(key, line);
  }
}

void LineReader::remember(const std::string& entry) {
  const std::string one = replace_all(std::string(trim(entry)), "\n", " ");
  if (!terminal_ || one.empty() || (!history_.empty() && history_.back() == one)) return;
  history_.push_back(one);
  if (path_.empty()) return;
  if (history_.size() > kKeptEntries) history_.erase(history_.begin());
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;  // a history that cannot be kept is no error of a query
  ::fchmod(fd, 0600);
  const std::string text = one + '\n';
  static_cast<void>(::write(fd, text.data(), text.size()));
  ::close(fd);
}

}  // namespace warplens::cli
