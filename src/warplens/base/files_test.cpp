#include "warplens/base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace warplens {
namespace {

class Files : public testing::Test {
 protected:
  Files() : folder_(std::filesystem::path(testing::TempDir()) / "warplens_files_test") {
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

TEST_F(Files, WritesAndReadsBack) {
  ASSERT_TRUE(write_file(path("a"), "text\n", false).ok());
  EXPECT_EQ(*read_file(path("a")), "text\n");
  const Result<MappedFile> mapped = MappedFile::open(path("a"));
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(mapped->bytes(), "text\n");
}

TEST_F(Files, OverwritesOnlyWhenAsked) {
  ASSERT_TRUE(write_file(path("a"), "old", false).ok());
  EXPECT_EQ(write_file(path("a"), "new", false).message(), path("a") + ": exists already; give -f to overwrite it");
  ASSERT_TRUE(write_file(path("a"), "new", true).ok());
  EXPECT_EQ(*read_file(path("a")), "new");
}

TEST_F(Files, TellsBeforehandWhatCannotBeWritten) {
  EXPECT_TRUE(check_writable(path("a"), false).ok());
  EXPECT_TRUE(check_writable("-", false).ok());
  EXPECT_TRUE(check_writable("/dev/null", false).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  ASSERT_TRUE(write_file(path("a"), "old", false).ok());
  EXPECT_FALSE(check_writable(path("a"), false).ok());
  EXPECT_TRUE(check_writable(path("a"), true).ok());
  EXPECT_EQ(*read_file(path("a")), "old");
  EXPECT_EQ(check_writable(path("none/a"), true).message(), write_file(path("none/a"), "", true).message());
}

TEST_F(Files, NeverReplacesADevice) {
  const std::string link = path("null");
  std::filesystem::create_symlink("/dev/null", link);
  ASSERT_TRUE(write_file(link, "text", true).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(Files, ReplacesALinkAndNotWhatItLeadsTo) {
  ASSERT_TRUE(write_file(path("victim"), "mine", false).ok());
  for (const char* target : {"victim", "absent"}) {
    std::filesystem::create_symlink(path(target), path("link"));
    ASSERT_TRUE(write_file(path("link"), "new", true).ok());
    EXPECT_FALSE(std::filesystem::is_symlink(path("link")));
    EXPECT_EQ(*read_file(path("victim")), "mine");
    EXPECT_FALSE(std::filesystem::exists(path("absent")));
    std::filesystem::remove(path("link"));
  }
}

TEST_F(Files, KeepsPermissionsAndLeavesNothingBehind) {
  ASSERT_TRUE(write_file(path("a"), "old", false).ok());
  ASSERT_EQ(::chmod(path("a").c_str(), 0600), 0);
  {
    Result<FileWriter> left = FileWriter::create(path("a"), true);
    ASSERT_TRUE(left.ok() && left->write("half").ok());
  }
  ASSERT_TRUE(write_file(path("a"), "new", true).ok());
  struct stat info{};
  ASSERT_EQ(::stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Files, ReadsNothingThatMayNeverEnd) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", path("zeros"));
  for (const char* name : {"pipe", "zeros"}) {
    EXPECT_FALSE(read_file(path(name)).ok());
    EXPECT_FALSE(MappedFile::open(path(name)).ok());
  }
}

TEST_F(Files, OnlyAFolderOfOnesOwnIsACache) {
  ::setenv("WARPLENS_CACHE", path("cache").c_str(), 1);
  EXPECT_TRUE(cache_folder("x/y").ok());
  struct stat info{};
  ASSERT_EQ(::stat(path("cache").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(::chmod(path("cache").c_str(), 0777), 0);
  EXPECT_FALSE(cache_folder("x/y").ok());
  ::unsetenv("WARPLENS_CACHE");
}

TEST_F(Files, SaysWhatIsWrong) {
  EXPECT_EQ(read_file(path("absent")).status().message(), path("absent") + ": cannot open: No such file or directory");
  EXPECT_EQ(write_file(folder_.string(), "text", true).message(), folder_.string() + ": is a directory");
}

}  // namespace
}  // namespace warplens
