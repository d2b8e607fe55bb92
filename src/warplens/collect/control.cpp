#include "warplens/collect/control.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "warplens/collect/own_descriptor.h"

namespace warplens::collect {
namespace {

constexpr int kPatienceMs = 50;  // with a client that connected and says nothing

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

std::string hear(int client) {
  pollfd waits{client, POLLIN, 0};
  if (::poll(&waits, 1, kPatienceMs) <= 0) return "";
  char text[1024];
  const ssize_t bytes = ::recv(client, text, sizeof text, 0);
  return bytes > 0 ? std::string(text, static_cast<size_t>(bytes)) : "";
}

void say(int client, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(client, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<size_t>(sent));
  }
}

}  // namespace

Control::~Control() { leave(); }

void Control::leave() {
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
  if (metrics_port == 0) return "";
  sockaddr_in loopback{};
  loopback.sin_family = AF_INET;
  loopback.sin_port = htons(metrics_port);
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  metrics_ = listening(AF_INET, reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback);
  if (metrics_ >= 0) return "";
  return "metrics: port " + std::to_string(metrics_port) + ": " + std::strerror(errno);
}

void Control::serve(Answers& answers) {
  const auto next = [](int listens) { return listens < 0 ? -1 : ::accept4(listens, nullptr, nullptr, SOCK_CLOEXEC); };
  for (int client; (client = next(asked_)) >= 0; ::close(client)) {
    if (!may_ask(client) || !hear(client).starts_with("snapshot")) continue;
    say(client, answers.snapshot() + "\n");
  }
  for (int client; (client = next(metrics_)) >= 0; ::close(client)) {
    const bool reads = hear(client).starts_with("GET ");
    const std::string text = reads ? answers.metrics() : "";
    say(client, std::string("HTTP/1.1 ") + (reads ? "200 OK" : "400 Bad Request") +
                    "\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\nContent-Length: " +
                    std::to_string(text.size()) + "\r\nConnection: close\r\n\r\n" + text);
  }
}

}  // namespace warplens::collect
