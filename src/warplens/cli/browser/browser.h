// A Chromium without a window, driven by its own protocol over two channels.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>

#include "warplens/base/json.h"
#include "warplens/base/status.h"

namespace warplens::cli {

class Browser {
 public:
  /// `folder` is for its files, and is the caller's to remove. Errors: there is none; it does not start.
  static Result<Browser> start(const std::string& folder, bool dark);
  Browser(Browser&& other) noexcept;
  Browser& operator=(Browser&&) = delete;
  ~Browser();

  /// Opens a page in a view of this size, in CSS pixels, and waits until its script says that it is ready.
  Status open(const std::string& address, int width, int height);
  /// The number that an expression of the page's script comes to, or a promise of one.
  Result<double> number(const std::string& expression);
  /// PNG bytes of the page from its top, taller than the view where `height` is.
  Result<std::string> picture(double width, double height);

 private:
  Browser(pid_t process, int to, int from) : process_(process), to_(to), from_(from) {}
  /// A command's answer. `parameters` is a JSON object. Errors: the browser's own; it has ended; it does not answer.
  Result<json::Value> ask(std::string_view method, const std::string& parameters);
  Result<std::string> next_message();

  pid_t process_;
  int to_, from_;
  int asked_ = 0;
  std::string session_;  // of the one page; empty: commands are for the browser
  std::string read_;     // what has come of the next message
};

}  // namespace warplens::cli
