// warplens open: the page of `report` in this machine's browser, or a trace in the Perfetto UI.
#include <spawn.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/process.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/make_page.h"
#include "warplens/cli/page_server.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"
#include "warplens/writers/chrome/chrome.h"

extern char** environ;

namespace warplens::cli {
namespace {

std::atomic<bool> stopped = false;

void on_signal(int) { stopped = true; }

/// Sizes and times of the files, which change as a recording grows.
std::string state_of(const std::vector<std::string>& paths) {
  std::string out;
  std::error_code error;
  const auto add = [&](const std::filesystem::path& path) {
    out += fmt::format("{}:{};", std::filesystem::file_size(path, error),
                       std::filesystem::last_write_time(path, error).time_since_epoch().count());
  };
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path, error)) {
      add(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) add(entry.path());
  }
  return out;
}

Result<std::string> written(const Invocation& invocation, int version) {
  WL_ASSIGN(page::Page page, make_page(invocation));
  page.version = version;
  std::string html;
  WL_TRY(page::write_page(page, [&](std::string_view bytes) {
    html += bytes;
    return Status();
  }));
  return html;
}

/// The page, made again once the files have changed.
class Follower {
 public:
  Follower(const Invocation& invocation, std::string html, std::string state)
      : invocation_(invocation), html_(std::move(html)), state_(std::move(state)) {}

  Served answer(const std::string& path) {
    if (path.empty()) return {200, "text/html; charset=utf-8", html_};
    if (path != "version") return {404, "text/plain; charset=utf-8", "there is nothing here\n"};
    look();
    return {200, "text/plain; charset=utf-8", fmt::format("{}\n{}", version_, problem_)};
  }

 private:
  void look() {
    std::string state = state_of(invocation_.operands);
    if (state == state_) return;
    Result<std::string> html = written(invocation_, version_ + 1);
    state_ = std::move(state);
    problem_.clear();
    if (!html.ok()) {  // as it is being written; the page that stands is of what was read before
      problem_ = html.status().message();
      tell("warplens open: {}; the page shows the previous data\n", problem_);
      return;
    }
    html_ = std::move(*html);
    ++version_;
  }

  const Invocation& invocation_;
  std::string html_, state_;
  std::string problem_;  // why the page does not show the files as they are now
  int version_ = 0;
};

/// A file that leads a browser to the address. Arguments of programs are seen by every user of the machine; the file
/// is in a folder of this user alone.
Result<std::string> written_way(const std::string& folder, const std::string& address) {
  std::string path = folder + "/warplens.html";
  WL_TRY(write_file(path,
                    fmt::format("<!doctype html><meta charset=utf-8><title>warplens</title><meta http-equiv=refresh "
                                "content=\"0;url={0}\"><a href=\"{0}\">{0}</a>\n",
                                address),
                    false));
  return path;
}

/// Where there is a screen and a program that opens pages. folder: of this user alone.
void open_browser(const Invocation& invocation, const std::string& folder, const std::string& address) {
  if (invocation.has("--no-browser")) return;
  const bool screen = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  std::string program = find_program("xdg-open");
  if (!screen || program.empty()) {
    tell("no browser is opened: {}. Open the address yourself\n",
         screen ? "xdg-open is not installed" : "there is no screen here");
    return;
  }
  Result<std::string> way = written_way(folder, address);
  if (!way.ok()) return tell("no browser is opened: {}. Open the address yourself\n", way.status().message());
  char* const arguments[] = {program.data(), way->data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
    tell("{} cannot be started. Open the address yourself\n", program);
}

/// A page that hands the trace to the Perfetto UI as its documentation describes: a window of it, then a message.
Served perfetto_answer(const std::string& path, const std::string& trace) {
  if (path == "trace") return {200, "application/json", trace};
  if (path.empty()) return {200, "text/html; charset=utf-8", page::perfetto_page()};
  return {404, "text/plain; charset=utf-8", "there is nothing here\n"};
}

Result<std::string> chrome_json(const Invocation& invocation) {
  WL_ASSIGN(const Profile profile, read_cut(invocation, invocation.operands));
  std::string out;
  WL_TRY(writers::chrome_trace(profile, [&](std::string_view bytes) {
    out += bytes;
    return Status();
  }));
  return out;
}

Status serve(const Invocation& invocation, const std::function<Served(const std::string&)>& answer) {
  WL_ASSIGN(PageServer server, PageServer::start());
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  warplens::show(stdout, server.address() + "\n");
  std::fflush(stdout);
  tell("the address works only on this machine; Ctrl-C ends the server\n");
  open_browser(invocation, folder.path(), server.address());
  return server.run(answer, stopped);
}

Result<int> run_open(const Invocation& invocation) {
  if (invocation.has("--perfetto")) {
    if (invocation.operands.empty()) return usage_error("give a trace");
    WL_ASSIGN(const std::string trace, chrome_json(invocation));
    tell(
        "the page of this address loads ui.perfetto.dev in your browser and gives it the trace; nothing is uploaded\n");
    WL_TRY(serve(invocation, [&](const std::string& path) { return perfetto_answer(path, trace); }));
    return kExitOk;
  }
  std::string state = state_of(invocation.operands);
  WL_ASSIGN(std::string html, written(invocation, 0));
  Follower follower(invocation, std::move(html), std::move(state));
  WL_TRY(serve(invocation, [&](const std::string& path) { return follower.answer(path); }));
  return kExitOk;
}

}  // namespace

extern const Verb kOpen;
const Verb kOpen = {
    "open",
    "show the page of `report` in the browser, and follow a recording",
    "FILE...",
    "Serves the page on 127.0.0.1 at a free port until Ctrl-C, under a secret address. The page follows changes of "
    "the files. With --perfetto, the address gives the trace to the Perfetto UI in your browser.",
    page_flags({{"--perfetto", "", "give the trace to ui.perfetto.dev, which the browser loads"},
                {"--no-browser", "", "only print the address"}}),
    {{"warplens open trace.json.gz", "the page of a trace"},
     {"warplens open recording.wlens", "a recording, while it grows"},
     {"warplens open trace.json.gz --perfetto", "the trace in the Perfetto UI"}},
    run_open,
    page_uses("--no-browser", "--perfetto"),
    Prints::kNothing,
    {},
    false,
    "--perfetto --no-browser --baseline --step --from --to --rank"};

}  // namespace warplens::cli
