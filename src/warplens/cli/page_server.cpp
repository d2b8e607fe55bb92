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

#include "warplens/base/random_name.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"

namespace warplens::cli {
namespace {

constexpr size_t kLargestHead = 16 << 10;
constexpr int kPatienceMs = 2000;  // with a browser that has connected and asks nothing

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Up to the empty line; what came within the time.
std::string read_head(int connection) {
  std::string head;
  char bytes[4096];
  const int64_t end_ns = monotonic_ns() + int64_t{kPatienceMs} * 1'000'000;
  while (head.find("\r\n\r\n") == std::string::npos && head.size() < kLargestHead) {
    const int64_t left_ms = (end_ns - monotonic_ns()) / 1'000'000;
    pollfd wait{connection, POLLIN, 0};
    if (left_ms <= 0 || poll(&wait, 1, static_cast<int>(left_ms)) <= 0) break;
    const ssize_t n = recv(connection, bytes, sizeof bytes, 0);
    if (n <= 0) break;
    head.append(bytes, static_cast<size_t>(n));
  }
  return head;
}

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd wait{connection, POLLOUT, 0};
    if (poll(&wait, 1, kPatienceMs) <= 0) return;
    const ssize_t n = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
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
    const std::string name = lower(std::string(line.substr(0, colon)));
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
    return io_error(fmt::format("nothing can listen on 127.0.0.1 here: {}", why));
  }
  return PageServer(socket, ntohs(address.sin_port), random_name() + random_name());
}

PageServer::PageServer(PageServer&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), port_(other.port_), token_(std::move(other.token_)) {}

PageServer::~PageServer() {
  if (socket_ >= 0) close(socket_);
}

std::string PageServer::address() const { return fmt::format("http://127.0.0.1:{}/{}/", port_, token_); }

void PageServer::serve(int connection, const std::function<Served(const std::string& path)>& answer) const {
  const Result<Request> request = parse_request(read_head(connection));
  if (!request.ok()) return;
  Served served;
  if (const std::string why = refused(*request, port_, token_); !why.empty())
    served = {403, "text/plain; charset=utf-8", "refused: " + why + "\n"};
  else served = answer(request->path.substr(token_.size() + 2));
  send_all(connection, head_of(served));
  send_all(connection, served.body);
}

Status PageServer::run(const std::function<Served(const std::string& path)>& answer, const std::atomic<bool>& stop) {
  constexpr int kLookMs = 200;  // for `stop`
  while (!stop) {
    pollfd wait{socket_, POLLIN, 0};
    if (poll(&wait, 1, kLookMs) <= 0) continue;
    const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    serve(connection, answer);
    shutdown(connection, SHUT_RDWR);
    close(connection);
  }
  return {};
}

}  // namespace warplens::cli
