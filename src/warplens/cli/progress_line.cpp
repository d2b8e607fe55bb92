#include "warplens/cli/progress_line.h"

#include <unistd.h>

#include <algorithm>

#include "warplens/base/printable.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {

bool ProgressLine::is_terminal() { return ::isatty(2) != 0; }

void ProgressLine::restart() { begin_ = Clock::now(), last_ = {0, 0, 0}; }

void ProgressLine::launch(size_t number, size_t count, std::string kernel) {
  number_ = number + 1;
  count_ = count;
  kernel_ = std::move(kernel);
  restart();
}

double ProgressLine::share() const {
  return last_.blocks == 0 ? 0 : static_cast<double>(last_.blocks_done) / static_cast<double>(last_.blocks);
}

void ProgressLine::show(const simt::Progress& progress) {
  if (progress.blocks_done < last_.blocks_done / 2) restart();
  last_ = {std::max(progress.blocks_done, last_.blocks_done), progress.blocks, progress.warp_instructions};
  constexpr auto kBetween = std::chrono::milliseconds(100);
  const Clock::time_point now = Clock::now();
  if (!shown_on_terminal_ || (drawn_ && now - drawn_at_ < kBetween)) return;
  const double spent_ns = std::chrono::duration<double, std::nano>(now - begin_).count();
  std::string line = fmt::format("[{}/{}] {}  {} of blocks", number_, count_, kernel_, format_share(share()));
  if (last_.warp_instructions > 0)
    line += fmt::format(", {} warp instructions", format_count(static_cast<double>(last_.warp_instructions)));
  constexpr double kEnoughToTell = 0.02, kWorthTellingNs = 1e9;
  if (share() > kEnoughToTell && spent_ns > kWorthTellingNs)
    line += fmt::format(", about {} left", format_ns(spent_ns / share() * (1 - share())));
  const size_t width = terminal_width();
  const std::string shown = printable(line);
  fmt::print(stderr, "\r\x1b[K{}", width > 0 ? ellipsis(shown, width - 1) : shown);
  drawn_ = true;
  drawn_at_ = now;
}

void ProgressLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

std::string ProgressLine::how_far() const {
  if (number_ == 0) return "";
  return fmt::format("; {} of the blocks of launch {} of {}, '{}', had run", format_share(share()), number_, count_,
                     kernel_);
}

}  // namespace warplens::cli
