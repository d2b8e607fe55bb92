#include "warplens/report/builders/kept_launch.h"

#include <gtest/gtest.h>

#include "warplens/report/builders/machine_report.h"

namespace warplens::report {
namespace {

KernelReport small_launch() {
  KernelReport r;
  r.kernel = "k";
  r.grid = {264, 1, 1};
  r.device = gpu::find_device("h200").value();
  r.from_machine_code = true;
  r.work.blocks = 264;
  r.work.needs.threads = 128;
  r.work.instructions = 1e6;
  r.work.distinct_of_warps = 0.25;
  LineCounts line;
  line.file = "folder/a.cu";
  line.line = 7;
  line.global_load.sectors = 1000;
  r.lines = {line};
  return r;
}

TEST(KeptLaunch, ComesBackWithItsCountsTimeAndFilesWithoutFolders) {
  KernelReport launch = small_launch();
  finish_report(&launch);
  const auto again = read_kept_launch(kept_launch(launch));
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->report.kernel, "k");
  EXPECT_EQ(again->report.grid, launch.grid);
  EXPECT_EQ(again->report.work.distinct_of_warps, 0.25);
  EXPECT_EQ(again->report.lines[0].global_load.sectors, 1000u);
  EXPECT_EQ(again->report.lines[0].file, "a.cu");
  EXPECT_EQ(again->report.time.ns, launch.time.ns);
  EXPECT_EQ(kept_launch(again->report), kept_launch(launch));
}

TEST(KeptLaunch, AMemberThatIsZeroComesBackAsZero) {
  KernelReport launch = small_launch();
  launch.work.distinct_of_warps = 0;  // whose default is another
  EXPECT_EQ(read_kept_launch(kept_launch(launch))->report.work.distinct_of_warps, 0);
}

TEST(KeptLaunch, SaysWhatIsWrongWithALine) {
  for (const auto& [line, part] : {std::pair{"[]", "no JSON object"},
                                   {R"({"device":"h200","works":{}})", "\"works\" is not a member"},
                                   {R"({"device":"h200","work":{"alus":1}})", "\"alus\" is not a member"},
                                   {R"({"device":"h200","lines":{}})", "\"lines\" has another type"},
                                   {R"({"device":"h200","grid":[1]})", "\"grid\" has another type"},
                                   {R"({"device":"h999"})", "h999"}}) {
    const auto read = read_kept_launch(line);
    ASSERT_FALSE(read.ok()) << line;
    EXPECT_NE(read.status().message().find(part), std::string::npos) << read.status().message();
  }
}

}  // namespace
}  // namespace warplens::report
