#include "warplens/collect/control.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>

#include "warplens/collect/process/clock.h"
#include "warplens/collect/process/own_descriptor.h"

namespace warplens::collect {
namespace {

constexpr uint64_t kPatienceNs = 1'000'000'000;  // with a client that connected and says nothing
constexpr size_t kMostClients = 32;              // that say nothing; then the first of them goes

int listening(int family, const sockaddr* address, socklen_t size) {
  const int fd = own_descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd < 0) return -1;
  const int on = 1;
  if (family == AF_INET) ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd, address, size) == 0 && ::listen(fd, 8) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

/// Only who could read the program's memory anyway may ask.
bool may_ask(int client) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(client, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && (who.uid == 0 || who.uid == ::geteuid());
}

/// What a client has said so far; nothing while it says nothing. It is never waited for.
std::optional<std::string> hear(int client) {
  char text[1024];
  const ssize_t bytes = ::recv(client, text, sizeof text, MSG_DONTWAIT);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  return bytes > 0 ? std::string(text, static_cast<size_t>(bytes)) : "";
}

void say(int client, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(client, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<size_t>(sent));
  }
}

}  // namespace

Control::~Control() { leave(); }

void Control::leave() {
  for (const Client& client : clients_) ::close(client.fd);
  clients_.clear();
  for (int* fd : {&asked_, &metrics_}) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
}

std::string Control::open(uint16_t metrics_port) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  const std::string name = control_name(::getpid());
  std::memcpy(local.sun_path, name.data(), std::min(name.size(), sizeof local.sun_path));
  asked_ = listening(AF_UNIX, reinterpret_cast<const sockaddr*>(&local),
                     static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size()));
  std::string problem;
  if (asked_ < 0)
    problem = std::string("`warplens snapshot` gets no answer, since the name of its socket is taken: ") +
              std::strerror(errno);
  if (metrics_port == 0) return problem;
  sockaddr_in loopback{};
  loopback.sin_family = AF_INET;
  loopback.sin_port = htons(metrics_port);
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  metrics_ = listening(AF_INET, reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback);
  if (metrics_ < 0)
    problem +=
        (problem.empty() ? "" : "; ") + ("metrics: port " + std::to_string(metrics_port)) + ": " + std::strerror(errno);
  return problem;
}

void Control::take_clients(int listens, bool wants_metrics) {
  for (int fd; listens >= 0 && (fd = ::accept4(listens, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    if (!wants_metrics && !may_ask(fd)) {
      ::close(fd);
      continue;
    }
    if (clients_.size() == kMostClients) {
      ::close(clients_.front().fd);
      clients_.erase(clients_.begin());
    }
    clients_.push_back({fd, wants_metrics, clock_ns(CLOCK_MONOTONIC)});
  }
}

void Control::serve(Answers& answers) {
  take_clients(asked_, false);
  take_clients(metrics_, true);
  std::erase_if(clients_, [&](const Client& client) {
    const std::optional<std::string> wish = hear(client.fd);
    if (wish) answer(client, *wish, answers);
    const bool goes = wish || clock_ns(CLOCK_MONOTONIC) - client.since_ns > kPatienceNs;
    if (goes) ::close(client.fd);
    return goes;
  });
}

void Control::answer(const Client& client, const std::string& wish, Answers& answers) {
  if (!client.wants_metrics) {
    if (wish.starts_with("snapshot")) say(client.fd, answers.snapshot() + "\n");
    return;
  }
  const bool reads = wish.starts_with("GET ");
  const std::string text = reads ? answers.metrics() : "";
  say(client.fd,
      std::string("HTTP/1.1 ") + (reads ? "200 OK" : "400 Bad Request") +
          "\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\nContent-Length: " +
          std::to_string(text.size()) + "\r\nConnection: close\r\n\r\n" + text);
}

}  // namespace warplens::collect
