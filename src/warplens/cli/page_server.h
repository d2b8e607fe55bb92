// A page served on the loopback interface to this machine's user alone.
#pragma once
#include <atomic>
#include <functional>
#include <string>

#include "warplens/base/status.h"

namespace warplens::cli {

/// One answer to a request.
struct Served {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
};

/// A request as it came, and the allowed answer.
struct Request {
  std::string method, path, host, origin;
};
/// The request's head, up to the empty line. Error: no HTTP/1.x request.
Result<Request> parse_request(const std::string& head);
/// "" if the request may be answered, else the reason. Refused are another host's name (a page elsewhere that points
/// its own name here), another origin, another method, or no token.
std::string refused(const Request& request, int port, const std::string& token);

class PageServer {
 public:
  /// Listens on 127.0.0.1 at a free port.
  static Result<PageServer> start();
  PageServer(PageServer&& other) noexcept;
  PageServer& operator=(PageServer&&) = delete;
  ~PageServer();

  std::string address() const;  // "http://127.0.0.1:40123/0123456789abcdef.../"
  /// Answers requests until `stop`; `answer` gets the path after the token: "", "version".
  Status run(const std::function<Served(const std::string& path)>& answer, const std::atomic<bool>& stop);

 private:
  PageServer(int socket, int port, std::string token) : socket_(socket), port_(port), token_(std::move(token)) {}
  void serve(int connection, const std::string& head,
             const std::function<Served(const std::string& path)>& answer) const;
  int socket_ = -1, port_ = 0;
  std::string token_;
};

}  // namespace warplens::cli
