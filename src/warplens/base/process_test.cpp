#include "warplens/base/process.h"

#include <gtest/gtest.h>

#include <csignal>

namespace warplens {
namespace {

TEST(Process, CollectsBothStreamsAndTheCode) {
  const Result<ProcessOutput> done = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(done.ok()) << done.status().message();
  EXPECT_EQ(done->exit_code, 3);
  EXPECT_EQ(done->output, "out\nerr\n");
}

TEST(Process, SignalsAreCodes) {
  const Result<ProcessOutput> done = run_process({"sh", "-c", "kill -9 $$"});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->exit_code, 128 + 9);
}

TEST(Process, AreEndedWhenTheirTimeIsUp) {
  const Result<ProcessOutput> done = run_process({"sh", "-c", "echo begun; while :; do :; done"}, 1);
  ASSERT_TRUE(done.ok());
  EXPECT_TRUE(done->out_of_time);
  EXPECT_EQ(done->output, "begun\n");
  EXPECT_FALSE(run_process({"sh", "-c", "exit 3"}, 1)->out_of_time);
}

TEST(Process, CopiesGiveTextAndChangeNothingHere) {
  int changed = 0;
  const std::string long_text(1 << 20, 'x');
  const Result<ProcessOutput> done = run_copy([&] { return ++changed, long_text; });
  ASSERT_TRUE(done.ok()) << done.status().message();
  EXPECT_EQ(done->exit_code, 0);
  EXPECT_EQ(done->output, long_text);
  EXPECT_EQ(changed, 0);
}

TEST(Process, CrashesAndEndlessWorkOfACopyAreSeen) {
  const Result<ProcessOutput> crashed = run_copy([]() -> std::string {
    ::raise(SIGSEGV);
    return "never";
  });
  ASSERT_TRUE(crashed.ok());
  EXPECT_EQ(crashed->exit_code, 128 + SIGSEGV);
  EXPECT_EQ(crashed->output, "");
  const auto endless = [] {
    for (volatile int i = 0;;) i = i + 1;
    return std::string();
  };
  EXPECT_TRUE(run_copy(endless, 1)->out_of_time);
}

TEST(Process, MissingProgramIsAnError) {
  const Result<ProcessOutput> done = run_process({"no-such-program-here"});
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.status().message(), "no-such-program-here: cannot run: No such file or directory");
}

TEST(Process, FindsPrograms) {
  EXPECT_NE(find_program("sh"), "");
  EXPECT_EQ(find_program("no-such-program-here"), "");
}

}  // namespace
}  // namespace warplens
