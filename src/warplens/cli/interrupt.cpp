#include "warplens/cli/interrupt.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string>

#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

// A handler may not format: the line is ready before, in one of two buffers, so that it is never seen half written.
struct Line {
  std::array<char, 512> text;
  size_t size;
};
std::array<Line, 2> lines;
std::atomic<int> shown = 0;
std::string begin_of_line;

void end_program(int) {
  const Line& line = lines[static_cast<size_t>(shown.load())];
  const ssize_t ignored = ::write(2, line.text.data(), line.size);
  static_cast<void>(ignored);
  ::_exit(kExitInterrupted);
}

}  // namespace

TellOnInterrupt::TellOnInterrupt(std::string_view verb) {
  begin_of_line = "\nwarplens " + std::string(verb) + ": interrupted while ";
  at("starting");
  previous_ = std::signal(SIGINT, end_program);
}

TellOnInterrupt::~TellOnInterrupt() { std::signal(SIGINT, previous_); }

void TellOnInterrupt::at(std::string_view text) {
  const int next = 1 - shown.load();
  Line& line = lines[static_cast<size_t>(next)];
  const std::string whole = begin_of_line + std::string(text) + "\n";
  line.size = std::min(whole.size(), line.text.size());
  std::memcpy(line.text.data(), whole.data(), line.size);
  shown.store(next);
}

}  // namespace warplens::cli
