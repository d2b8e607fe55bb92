#include "warplens/cli/page_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "warplens/base/letter_case.h"
#include "warplens/base/random_name.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"

namespace warplens::cli {
namespace {

constexpr size_t kLargestHead = 16 << 10;
constexpr int kPatienceMs = 2000;     // with a browser that has connected and asks nothing
constexpr size_t kMostCallers = 128;  // the one that waits longest makes room

/// A browser that has connected, and what it has asked until now.
struct Caller {
  int connection;
  int64_t until_ns;
  std::string head = {};
};

/// Reads what is there; true when nothing more is waited for: the head is whole or too long, or the caller has ended.
bool has_asked(Caller& caller) {
  char bytes[4096];
  const ssize_t n = recv(caller.connection, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n > 0) caller.head.append(bytes, static_cast<size_t>(n));
  return n <= 0 || caller.head.find("\r\n\r\n") != std::string::npos || caller.head.size() >= kLargestHead;
}

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd wait{connection, POLLOUT, 0};
    if (poll(&wait, 1, kPatienceMs) <= 0) return;
    const ssize_t n = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

std::string head_of(const Served& served) {
  const char* reason = served.status == 200 ? "OK" : served.status == 403 ? "Forbidden" : "Not Found";
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
      served.status, reason, served.type, served.body.size());
}

}  // namespace

Result<Request> parse_request(const std::string& head) {
  const std::vector<std::string_view> lines = split(head, '\n');
  const std::vector<std::string_view> first = split(trim(lines[0]), ' ');
  if (first.size() != 3 || !first[2].starts_with("HTTP/1.")) return invalid_input("no HTTP request");
  Request out{std::string(first[0]), std::string(first[1]), "", ""};
  for (const std::string_view line : lines) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string name = lower(line.substr(0, colon));
    const std::string value(trim(line.substr(colon + 1)));
    if (name == "host") out.host = value;
    if (name == "origin") out.origin = value;
  }
  return out;
}

std::string refused(const Request& request, int port, const std::string& token) {
  const std::string here = fmt::format("127.0.0.1:{}", port);
  if (request.host != here) return "another host's name";
  if (!request.origin.empty() && request.origin != "http://" + here) return "another origin";
  if (request.method != "GET") return "only GET is answered";
  if (!request.path.starts_with("/" + token + "/")) return "no token";
  return "";
}

Result<PageServer> PageServer::start() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return io_error(fmt::format("no socket: {}", std::strerror(errno)));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  constexpr int kWaiting = 16;
  if (bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(socket, kWaiting) != 0 ||
      getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const std::string why = std::strerror(errno);
    close(socket);
    return io_error(fmt::format("cannot listen on 127.0.0.1: {}", why));
  }
  return PageServer(socket, ntohs(address.sin_port), random_name() + random_name());
}

PageServer::PageServer(PageServer&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), port_(other.port_), token_(std::move(other.token_)) {}

PageServer::~PageServer() {
  if (socket_ >= 0) close(socket_);
}

std::string PageServer::address() const { return fmt::format("http://127.0.0.1:{}/{}/", port_, token_); }

void PageServer::serve(int connection, const std::string& head,
                       const std::function<Served(const std::string& path)>& answer) const {
  const Result<Request> request = parse_request(head);
  if (!request.ok()) return;
  Served served;
  if (const std::string why = refused(*request, port_, token_); !why.empty())
    served = {403, "text/plain; charset=utf-8", "refused: " + why + "\n"};
  else served = answer(request->path.substr(token_.size() + 2));
  send_all(connection, head_of(served));
  send_all(connection, served.body);
}

/// Many may be connected: one that asks slowly or nothing does not delay the others.
Status PageServer::run(const std::function<Served(const std::string& path)>& answer, const std::atomic<bool>& stop) {
  constexpr int kLookMs = 200;  // for `stop`
  std::vector<Caller> callers;
  const auto end = [&](size_t at) {
    shutdown(callers[at].connection, SHUT_RDWR);
    close(callers[at].connection);
    callers.erase(callers.begin() + static_cast<std::ptrdiff_t>(at));
  };
  while (!stop) {
    std::vector<pollfd> waits = {{socket_, POLLIN, 0}};
    for (const Caller& caller : callers) waits.push_back({caller.connection, POLLIN, 0});
    if (poll(waits.data(), waits.size(), kLookMs) < 0) continue;
    for (size_t at = callers.size(); at-- > 0;) {
      const bool asked = waits[at + 1].revents != 0 && has_asked(callers[at]);
      if (asked) serve(callers[at].connection, callers[at].head, answer);
      if (asked || monotonic_ns() > callers[at].until_ns) end(at);
    }
    if (waits[0].revents == 0) continue;
    const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    if (callers.size() == kMostCallers) end(0);
    callers.push_back({connection, monotonic_ns() + int64_t{kPatienceMs} * 1'000'000});
  }
  while (!callers.empty()) end(callers.size() - 1);
  return {};
}

}  // namespace warplens::cli
