// Ctrl-C in verbs that cannot stop half way: it ends the program, and says how far it came.
#pragma once
#include <string_view>

namespace warplens::cli {

/// While it lives, an interrupt prints where the verb is and ends the program with exit code 130.
class TellOnInterrupt {
 public:
  explicit TellOnInterrupt(std::string_view verb);
  ~TellOnInterrupt();
  TellOnInterrupt(const TellOnInterrupt&) = delete;
  TellOnInterrupt& operator=(const TellOnInterrupt&) = delete;

  /// The current activity: "emulating softmax/naive".
  static void at(std::string_view text);

 private:
  void (*previous_)(int);
};

}  // namespace warplens::cli
