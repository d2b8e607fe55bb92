// warplens report: one self-contained page of what a file holds.
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/cli/make_page.h"
#include "warplens/cli/page_pictures.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

Result<int> run_report(const Invocation& invocation) {
  WL_ASSIGN(const page::Page page, make_page(invocation));
  const auto write_to = [&](FileWriter& file) -> Status {
    WL_TRY(page::write_page(page, [&](std::string_view bytes) { return file.write(bytes); }));
    return file.commit();
  };
  if (!invocation.has("--png") || invocation.has("--output")) {
    WL_ASSIGN(FileWriter file, invocation.output_file());
    WL_TRY(write_to(file));
  }
  if (invocation.has("--png"))
    WL_TRY(write_pictures(page, invocation.text("--png"), invocation.text("--theme") == "dark",
                          invocation.has("--force")));
  return kExitOk;
}

}  // namespace

extern const Verb kReport;
const Verb kReport = {
    "report",
    "write one page for a browser: timeline, findings, kernels, comparisons",
    "FILE...",
    "The page opens anywhere and loads nothing from a network. Its text and numbers equal those of the other "
    "verbs.\nFILE is a profile, a PyTorch memory snapshot, or benchmark results. It can be a launch file or "
    "SUITE/STEP, which run on the CPU, or counters of `warplens counters --keep` or Nsight Compute. Several profiles "
    "of one job, one per rank, share one timeline. Two profiles of one rank, or two results, are compared: give the "
    "base first. With --page, `warplens kernel` and `warplens counters` write this page for the run.",
    page_flags({{"--png", "FOLDER", "write a picture of each section, with Chromium"},
                {"--theme", "THEME", "theme of the pictures", "light", {"light", "dark"}}}),
    {{"warplens report trace.json.gz -o report.html", "a page of the whole trace"},
     {"warplens report trace.json.gz --step 12 -o step12.html", "one step"},
     {"warplens report before.json.gz after.json.gz -o change.html", "the changes"},
     {"warplens report launch.json -o kernel.html", "a kernel: roofline, counters, code side by side"}},
    run_report,
    page_uses("--png --theme"),
    Prints::kFile,
    {},
    false,
    "--baseline --png --step --from --to --rank"};

}  // namespace warplens::cli
