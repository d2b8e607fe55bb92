#include "warplens/report/program_log.h"

#include <gtest/gtest.h>

#include "warplens/base/files.h"
#include "warplens/base/temporary_folder.h"

namespace warplens::report {
namespace {

KernelReport made() {
  KernelReport out;
  out.kernel = "k";
  out.device = *gpu::find_device("a100");
  out.metrics = {{"smsp__inst_executed.sum", 128, Fidelity::kExact}};
  LineCounts line;
  line.file = "k.cu";
  line.line = 7;
  line.global_load.sectors = 32;
  out.lines = {line};
  out.time.ns = 1500;
  out.time.resources = {{"DRAM", 1200}};
  Finding finding;
  finding.id = "small-grid";
  finding.saving_ns = 40;
  finding.evidence = {{"blocks", int64_t{3}}, {"share", 0.5}, {"which", std::string("all")}};
  out.findings = {finding};
  return out;
}

/// A log of two launches that are alike, one that is not, a race and a note.
std::string written(bool ended) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  const std::string path = folder->path() + "/log";
  Result<ProgramLogWriter> opened = ProgramLogWriter::create(path);
  ProgramLogWriter log = std::move(*opened);
  simt::LaunchShape shape;
  shape.grid = {3, 2, 1};
  KernelReport other = made();
  other.time.ns = 9;
  log.launch("_Z1k", shape, made());
  log.launch("_Z1k", shape, made());
  log.launch("_Z1k", shape, other);
  simt::Report race;
  race.id = "race";
  race.place.line = 12;
  race.other = simt::Place{};
  race.other->file = "other.cu";
  log.defect(race);
  log.checked({"_Z1k", false, ""});
  log.checked({"_Z1k", true, "trap"});
  log.refused({"_Z1k", "too many threads", false});
  log.error_read();
  log.refused({"_Z1m", "too much shared memory", false});
  log.library_call("gemm f32 4x4x4");
  log.note("a note");
  if (ended) log.end();
  return *read_file(path);
}

TEST(ProgramLog, GivesBackWhatWasWritten) {
  const auto log = read_program_log(written(true));
  ASSERT_TRUE(log.ok());
  EXPECT_TRUE(log->ended);
  ASSERT_EQ(log->launches.size(), 3u);
  ASSERT_EQ(log->reports.size(), 2u);
  EXPECT_EQ(log->launches[1].report, log->launches[0].report);
  EXPECT_EQ(log->launches[0].shape.grid, (simt::Dim3{3, 2, 1}));
  const KernelReport &got = log->reports[0], want = made();
  EXPECT_EQ(got.device, want.device);
  EXPECT_EQ(got.metrics[0].value, 128);
  EXPECT_EQ(got.lines[0].global_load.sectors, 32u);
  EXPECT_EQ(got.time.resources[0].name, "DRAM");
  EXPECT_EQ(got.findings[0].evidence, want.findings[0].evidence);
  EXPECT_EQ(log->reports[1].time.ns, 9);
  ASSERT_EQ(log->defects.size(), 1u);
  EXPECT_EQ(log->defects[0].other->file, "other.cu");
  EXPECT_EQ(log->notes, std::vector<std::string>{"a note"});
  ASSERT_EQ(log->checked.size(), 2u);
  EXPECT_FALSE(log->checked[0].by_thread);
  EXPECT_EQ(log->checked[1].stopped, "trap");
  ASSERT_EQ(log->refused.size(), 2u);
  EXPECT_TRUE(log->refused[0].read) << "the program asked for the error afterwards";
  EXPECT_FALSE(log->refused[1].read);
  EXPECT_EQ(log->refused[1].why, "too much shared memory");
}

TEST(ProgramLog, KeepsWhatWasWrittenBeforeTheProgramDied) {
  const std::string all = written(false);
  for (size_t size = 0; size < all.size(); ++size) {
    const auto log = read_program_log(std::string_view(all).substr(0, size));
    EXPECT_LE(log.ok() ? log->launches.size() : 0, 3u);
  }
  EXPECT_FALSE(read_program_log(all)->ended);
}

TEST(ProgramLog, DamageIsAnErrorOrGoesUnseenButDoesNoHarm) {
  const std::string all = written(true);
  for (size_t at = 0; at < all.size(); ++at) {
    std::string damaged = all;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    (void)read_program_log(damaged);
  }
}

}  // namespace
}  // namespace warplens::report
