#include "warplens/base/regular_opens.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>

#include "warplens/base/files.h"
#include "warplens/base/process.h"
#include "warplens/base/temporary_folder.h"

namespace warplens {
namespace {

int error_of_opening(const std::string& path, int folder = AT_FDCWD) {
  const int fd = ::openat(folder, path.c_str(), O_RDONLY | O_NONBLOCK);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

class RegularOpens : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(at("file"), "text", true).ok());
    ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
    ASSERT_EQ(::symlink(at("pipe").c_str(), at("link").c_str()), 0);
    int refused = 0;
    with_regular_opens([&] { refused = error_of_opening("/dev/zero"); });
    if (refused == 0) GTEST_SKIP() << "this kernel has no filters that ask";
  }
  std::string at(const std::string& name) { return folder_->path() + "/" + name; }
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(RegularOpens, PipesAndDevicesAreRefused) {
  std::map<std::string, int> errors;
  with_regular_opens([&] {
    for (const char* name : {"file", "pipe", "link", "absent", "."}) errors[name] = error_of_opening(at(name));
    for (const char* name : {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/full"})
      errors[name] = error_of_opening(name);
    const int folder = ::open(folder_->path().c_str(), O_RDONLY | O_DIRECTORY);
    errors["pipe below a folder"] = error_of_opening("pipe", folder);
    errors["file below a folder"] = error_of_opening("file", folder);
    ::close(folder);
  });
  EXPECT_EQ(errors, (std::map<std::string, int>{{"file", 0},
                                                {"pipe", EACCES},
                                                {"link", EACCES},
                                                {"absent", ENOENT},
                                                {".", 0},
                                                {"/dev/null", 0},
                                                {"/dev/zero", EACCES},
                                                {"/dev/urandom", EACCES},
                                                {"/dev/full", EACCES},
                                                {"pipe below a folder", EACCES},
                                                {"file below a folder", 0}}));
}

TEST_F(RegularOpens, ProcessesThatItStartsToo) {
  Result<ProcessOutput> done = ProcessOutput{};
  with_regular_opens(
      [&] { done = run_process({"sh", "-c", "cat " + at("file") + " /dev/zero " + at("link") + "; echo end"}); });
  ASSERT_TRUE(done.ok());
  EXPECT_TRUE(done->output.starts_with("text")) << done->output;
  EXPECT_NE(done->output.find("ermission denied"), std::string::npos);
  EXPECT_TRUE(done->output.ends_with("end\n"));
}

TEST_F(RegularOpens, WhatAThreadOpensWhileItEndsIsAnsweredToo) {
  for (int round = 0; round < 20; ++round) {
    with_regular_opens([] {  // the C library gives much memory back at the end, and asks a file whether it may
      struct AtTheEnd {
        ~AtTheEnd() { EXPECT_EQ(error_of_opening("/dev/zero"), EACCES); }
      };
      static thread_local std::unique_ptr<AtTheEnd> last;
      last = std::make_unique<AtTheEnd>();
    });
  }
}

TEST_F(RegularOpens, OthersAreAsBefore) {
  with_regular_opens([] {});
  EXPECT_EQ(error_of_opening("/dev/zero"), 0);
  EXPECT_EQ(error_of_opening(at("pipe")), 0);
}

}  // namespace
}  // namespace warplens
