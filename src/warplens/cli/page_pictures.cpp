#include "warplens/cli/page_pictures.h"

#include <unistd.h>

#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/process.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"

namespace warplens::cli {
namespace {

constexpr int kCpuSeconds = 120;

Result<std::string> browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}) {
    if (const std::string path = find_program(name); !path.empty()) return path;
  }
  return not_found("--png needs Chromium or Chrome, and neither is in PATH: install one (apt install chromium)");
}

Status draw(const std::string& program, const std::string& folder, const std::string& section, bool dark) {
  std::vector<std::string> command = {program,
                                      "--headless=new",
                                      "--disable-gpu",
                                      "--hide-scrollbars",
                                      "--no-first-run",
                                      "--user-data-dir=" + folder + "/browser",
                                      "--window-size=1280,1400",
                                      "--virtual-time-budget=10000",
                                      fmt::format("--screenshot={}/{}.png", folder, section)};
  if (geteuid() == 0) command.emplace_back("--no-sandbox");  // Chromium starts as root in no other way
  if (dark) command.emplace_back("--force-dark-mode");
  command.push_back(fmt::format("file://{}/page.html#{}", folder, section));
  WL_ASSIGN(const ProcessOutput out, run_process(command, kCpuSeconds));
  std::error_code error;
  if (!std::filesystem::exists(fmt::format("{}/{}.png", folder, section), error))
    return io_error(fmt::format(
        "{} drew no picture of {}: {}", program, section,
        out.output.empty() ? fmt::format("it ended with {}", out.exit_code) : std::string(trim(out.output))));
  return {};
}

}  // namespace

Status write_pictures(const page::Page& page, const std::string& folder, bool dark, bool overwrite) {
  WL_ASSIGN(const std::string program, browser());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return io_error(fmt::format("{}: {}", folder, error.message()));
  for (const page::Section& section : page.sections)
    WL_TRY(check_writable(fmt::format("{}/{}.png", folder, section.id), overwrite));
  WL_ASSIGN(const TemporaryFolder work, TemporaryFolder::make());
  WL_ASSIGN(FileWriter file, FileWriter::create(work.path() + "/page.html", false));
  WL_TRY(page::write_page(page, [&](std::string_view bytes) { return file.write(bytes); }));
  WL_TRY(file.commit());
  for (const page::Section& section : page.sections) {
    WL_TRY(draw(program, work.path(), section.id, dark));
    WL_ASSIGN(const std::string png, read_file(fmt::format("{}/{}.png", work.path(), section.id)));
    WL_TRY(write_file(fmt::format("{}/{}.png", folder, section.id), png, overwrite));
  }
  return {};
}

}  // namespace warplens::cli
