#include "warplens/cli/page_pictures.h"

#include <algorithm>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/cli/browser/browser.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

constexpr int kWidth = 1280, kHeight = 1100;         // of the window, which the timeline and code fill a part of
constexpr double kShortest = 200, kTallest = 16384;  // of a picture

/// Opens a section, and says how tall the page is then. It is asked for after two frames, when canvases are drawn.
std::string height_of(const std::string& section) {
  return fmt::format(
      "new Promise(done => {{ location.hash = '{}'; requestAnimationFrame(() => requestAnimationFrame(() => "
      "setTimeout(() => done(Math.ceil(document.getElementById('{}').getBoundingClientRect().bottom + scrollY)), 0))); "
      "}})",
      section, section);
}

}  // namespace

Status write_pictures(const page::Page& page, const std::string& folder, bool dark, bool overwrite) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return io_error(fmt::format("{}: {}", folder, error.message()));
  const auto path_of = [&](const page::Section& section) { return fmt::format("{}/{}.png", folder, section.id); };
  for (const page::Section& section : page.sections) WL_TRY(check_writable(path_of(section), overwrite));
  WL_ASSIGN(const TemporaryFolder work, TemporaryFolder::make());
  WL_ASSIGN(FileWriter file, FileWriter::create(work.path() + "/page.html", false));
  WL_TRY(page::write_page(page, [&](std::string_view bytes) { return file.write(bytes); }));
  WL_TRY(file.commit());
  WL_ASSIGN(Browser browser, Browser::start(work.path(), dark));
  WL_TRY(browser.open(fmt::format("file://{}/page.html", work.path()), kWidth, kHeight));
  for (const page::Section& section : page.sections) {
    WL_ASSIGN(const double height, browser.number(height_of(section.id)));
    if (height > kTallest)
      tell("warplens: {}: the picture ends after {} of {} pixels\n", path_of(section), kTallest, height);
    WL_ASSIGN(const std::string png, browser.picture(kWidth, std::clamp(height, kShortest, kTallest)));
    WL_TRY(write_file(path_of(section), png, overwrite));
  }
  return {};
}

}  // namespace warplens::cli
