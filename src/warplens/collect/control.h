// Answers requests from outside: `warplens snapshot` through a socket named after the process, and monitoring that
// reads metrics over HTTP on the loopback. The writer's thread checks for them at each of its turns; there is no other
// thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/trace/stream/layout.h"

namespace warplens::collect {

/// The name of the socket of process `process`, after a zero byte (Linux's abstract names, which need no file).
inline std::string control_name(int64_t process) {
  return std::string(1, '\0') + "warplens-record-" + std::to_string(process);
}

/// True if a recorder writes files that begin like this.
inline bool is_recording(std::string_view head) {
  return head.starts_with(std::string_view(stream::kMagic, sizeof stream::kMagic));
}

class Control {
 public:
  /// Requests, answered on the writer's thread.
  class Answers {
   public:
    virtual ~Answers() = default;
    virtual std::string snapshot() = 0;  // the file's name; empty if there is none
    virtual std::string metrics() = 0;   // OpenMetrics text
  };

  Control() = default;
  Control(const Control&) = delete;
  ~Control();

  /// Listens; port 0: no metrics. The text names the parts that failed, and is empty on success.
  std::string open(uint16_t metrics_port);
  /// Answers all waiting requests; returns at once if there are none.
  void serve(Answers& answers);
  /// In a forked child, which must not answer requests to the parent.
  void leave();

 private:
  /// Connected, with no request yet. The writer's thread does not wait for it.
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
