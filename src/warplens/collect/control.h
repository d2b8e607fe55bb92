// Who asks a recorder from outside: `warplens snapshot` through a socket that is named by the process, and monitoring
// that reads metrics by HTTP on the loopback. The writer's thread looks for them at each of its turns; there is no
// other one.
#pragma once
#include <cstdint>
#include <string>

namespace warplens::collect {

/// The name of the socket of process `process`, behind a zero byte (Linux's abstract names, which need no file).
inline std::string control_name(int64_t process) {
  return std::string(1, '\0') + "warplens-record-" + std::to_string(process);
}

class Control {
 public:
  /// What is asked for, answered on the writer's thread.
  class Answers {
   public:
    virtual ~Answers() = default;
    virtual std::string snapshot() = 0;  // the file's name; empty where there is none
    virtual std::string metrics() = 0;   // OpenMetrics text
  };

  Control() = default;
  Control(const Control&) = delete;
  ~Control();

  /// Listens; port 0: no metrics. The text says what could not be had, and is empty when all is well.
  std::string open(uint16_t metrics_port);
  /// Answers whoever is waiting; returns at once when nobody is.
  void serve(Answers& answers);
  /// In a forked child: who asks means the parent.
  void leave();

 private:
  int asked_ = -1, metrics_ = -1;  // listening sockets
};

}  // namespace warplens::collect
