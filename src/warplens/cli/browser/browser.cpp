#include "warplens/cli/browser/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "warplens/base/base64.h"
#include "warplens/base/process.h"
#include "warplens/base/text.h"

extern char** environ;

namespace warplens::cli {
namespace {

constexpr int kPatienceMs = 120'000;  // with an answer

Result<std::string> find_browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}) {
    if (const std::string path = find_program(name); !path.empty()) return path;
  }
  return not_found("--png needs Chromium or Chrome, and neither is in PATH: install one (apt install chromium)");
}

/// Two ends of a channel, above those that the browser takes its commands from. A socket, so that writing to a browser
/// that has ended is an error and no signal.
Result<std::array<int, 2>> make_channel() {
  constexpr int kAbove = 10;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return io_error(fmt::format("no channel to a browser: {}", std::strerror(errno)));
  std::array<int, 2> out{};
  for (size_t k = 0; k < out.size(); ++k) {
    out[k] = fcntl(ends[k], F_DUPFD_CLOEXEC, kAbove);
    close(ends[k]);
  }
  return out;
}

int spawn(const std::vector<std::string>& command, int commands, int answers, pid_t* process) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (const int output : {1, 2}) posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, commands, 3);  // where --remote-debugging-pipe looks
  posix_spawn_file_actions_adddup2(&actions, answers, 4);
  const int error = posix_spawn(process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::string text_of(const json::Value& value, std::initializer_list<const char*> path) {
  const json::Value* at = &value;
  for (const char* name : path) {
    if (at = at->find(name); at == nullptr) return "";
  }
  return at->string() != nullptr ? *at->string() : "";
}

std::string object_of(std::string_view name, std::string_view text) {
  json::Writer w;
  return w.begin_object().member(name, text).end_object().take();
}

}  // namespace

Result<Browser> Browser::start(const std::string& folder, bool dark) {
  WL_ASSIGN(const std::string program, find_browser());
  std::vector<std::string> command = {program,
                                      "--headless=new",
                                      "--disable-gpu",
                                      "--hide-scrollbars",
                                      "--no-first-run",
                                      "--remote-debugging-pipe",
                                      "--user-data-dir=" + folder + "/browser"};
  if (geteuid() == 0) command.emplace_back("--no-sandbox");  // Chromium starts as root in no other way
  if (dark) command.emplace_back("--force-dark-mode");
  WL_ASSIGN(const auto commands, make_channel());
  WL_ASSIGN(const auto answers, make_channel());
  pid_t process = 0;
  const int error = spawn(command, commands[0], answers[1], &process);
  close(commands[0]);
  close(answers[1]);
  if (error != 0) {
    close(commands[1]);
    close(answers[0]);
    return io_error(fmt::format("{}: cannot run: {}", program, std::strerror(error)));
  }
  return Browser(process, commands[1], answers[0]);
}

Browser::Browser(Browser&& other) noexcept
    : process_(std::exchange(other.process_, 0)),
      to_(other.to_),
      from_(other.from_),
      asked_(other.asked_),
      session_(std::move(other.session_)),
      read_(std::move(other.read_)) {}

Browser::~Browser() {
  if (process_ == 0) return;
  close(to_);  // it ends when nobody can command it
  close(from_);
  kill(process_, SIGTERM);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

Result<std::string> Browser::next_message() {
  for (;;) {
    if (const size_t end = read_.find('\0'); end != std::string::npos) {
      std::string message = read_.substr(0, end);
      read_.erase(0, end + 1);
      return message;
    }
    pollfd wait{from_, POLLIN, 0};
    const int ready = poll(&wait, 1, kPatienceMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return io_error(fmt::format("the browser did not answer within {} s", kPatienceMs / 1000));
    char bytes[1 << 16];
    const ssize_t n = read(from_, bytes, sizeof bytes);
    if (n <= 0) return io_error("the browser ended unexpectedly: it may lack memory or libraries");
    read_.append(bytes, static_cast<size_t>(n));
  }
}

Result<json::Value> Browser::ask(std::string_view method, const std::string& parameters) {
  json::Writer w;
  w.begin_object().member("id", ++asked_).member("method", method).key("params").raw(parameters);
  if (!session_.empty()) w.member("sessionId", session_);
  const std::string command = w.end_object().take() + '\0';
  for (size_t sent = 0; sent < command.size();) {
    const ssize_t n = send(to_, command.data() + sent, command.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR)
      return io_error(fmt::format("the browser takes no commands: {}", std::strerror(errno)));
    if (n > 0) sent += static_cast<size_t>(n);
  }
  for (;;) {  // events come between answers
    WL_ASSIGN(const std::string text, next_message());
    WL_ASSIGN(json::Value message, json::parse(text));
    const json::Value* id = message.find("id");
    if (id == nullptr || id->integer().value_or(0) != asked_) continue;
    if (message.find("error") != nullptr)
      return invalid_input(fmt::format("the browser refuses {}: {}", method, text_of(message, {"error", "message"})));
    return message;
  }
}

Status Browser::open(const std::string& address, int width, int height) {
  WL_ASSIGN(const json::Value target, ask("Target.createTarget", object_of("url", "about:blank")));
  json::Writer attach;
  attach.begin_object()
      .member("targetId", text_of(target, {"result", "targetId"}))
      .member("flatten", true)
      .end_object();
  WL_ASSIGN(const json::Value attached, ask("Target.attachToTarget", attach.take()));
  session_ = text_of(attached, {"result", "sessionId"});
  json::Writer size;
  size.begin_object().member("width", width).member("height", height).member("deviceScaleFactor", 1);
  WL_TRY(ask("Emulation.setDeviceMetricsOverride", size.member("mobile", false).end_object().take()).status());
  WL_TRY(ask("Page.navigate", object_of("url", address)).status());
  constexpr int kLookMs = 50;
  for (int waited = 0; waited < kPatienceMs; waited += kLookMs) {
    const Result<double> ready = number("document.documentElement.dataset.ready === 'yes' ? 1 : 0");
    if (ready.ok() && *ready > 0) return {};
    // Between two pages there is no script to ask.
    if (!ready.ok() && ready.status().code() != ErrorCode::kInvalidInput) return ready.status();
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
  }
  return io_error("the browser opened the page, but it was never ready");
}

Result<double> Browser::number(const std::string& expression) {
  json::Writer w;
  w.begin_object().member("expression", expression).member("awaitPromise", true).member("returnByValue", true);
  WL_ASSIGN(const json::Value answer, ask("Runtime.evaluate", w.end_object().take()));
  const json::Value* at = &answer;
  for (const char* name : {"result", "result", "value"}) {
    if (at = at->find(name); at == nullptr) return invalid_input("the page's script answered no number: " + expression);
  }
  return at->number().value_or(0);
}

Result<std::string> Browser::picture(double width, double height) {
  json::Writer w;
  w.begin_object().member("format", "png").member("captureBeyondViewport", true).key("clip").begin_object();
  w.member("x", 0).member("y", 0).member("width", width).member("height", height).member("scale", 1).end_object();
  WL_ASSIGN(const json::Value answer, ask("Page.captureScreenshot", w.end_object().take()));
  return bytes_of_base64(text_of(answer, {"result", "data"}));
}

}  // namespace warplens::cli
