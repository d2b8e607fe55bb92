// Who asks a recorder from outside: `warplens snapshot` through a socket that is named by the process, and monitoring
// that reads metrics by HTTP on the loopback. The writer's thread looks for them at each of its turns; there is no
// other one.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/trace/stream/layout.h"

namespace warplens::collect {

/// The name of the socket of process `process`, behind a zero byte (Linux's abstract names, which need no file).
inline std::string control_name(int64_t process) {
  return std::string(1, '\0') + "warplens-record-" + std::to_string(process);
}

/// Whether a file that begins so is what a recorder writes.
inline bool is_recording(std::string_view head) {
  return head.starts_with(std::string_view(stream::kMagic, sizeof stream::kMagic));
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
  /// Connected, and has said nothing yet. The writer's thread has better things to do than to wait for it.
  struct Client {
    int fd;
    bool wants_metrics;
    uint64_t since_ns;
  };
  void take_clients(int listens, bool wants_metrics);
  void answer(const Client& client, const std::string& wish, Answers& answers);

  int asked_ = -1, metrics_ = -1;  // listening sockets
  std::vector<Client> clients_;
};

}  // namespace warplens::collect
