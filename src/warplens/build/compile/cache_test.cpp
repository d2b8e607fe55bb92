#include "warplens/build/compile/cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/sha256.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/threads.h"

namespace warplens::compile {
namespace {

class Cache : public testing::Test {
 protected:
  void SetUp() override { ::setenv("WARPLENS_CACHE", folder_->path().c_str(), 1); }
  void TearDown() override { ::unsetenv("WARPLENS_CACHE"); }
  std::string file() const { return folder_->path() + "/compiled/" + key_.substr(0, 2) + "/" + key_.substr(2); }
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
  std::string key_ = sha256_hex("key");
  Pieces pieces_ = {{"ptx", "text\n"}, {"cubin", std::string("\0\x7f", 2)}, {"log", ""}};
};

TEST_F(Cache, KeepsBytes) {
  EXPECT_FALSE(load_cached(key_));
  ASSERT_TRUE(store_cached(key_, pieces_).ok());
  EXPECT_EQ(load_cached(key_), pieces_);
}

TEST_F(Cache, ChangedOrCutEntriesCountAsAbsent) {
  ASSERT_TRUE(store_cached(key_, pieces_).ok());
  const std::string good = *read_file(file());
  for (size_t cut = 0; cut < good.size(); ++cut) {
    ASSERT_TRUE(write_file(file(), good.substr(0, cut), true).ok());
    EXPECT_FALSE(load_cached(key_)) << cut;
  }
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    ASSERT_TRUE(write_file(file(), bad, true).ok());
    EXPECT_FALSE(load_cached(key_)) << at;
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Cache, WritersAtTheSameTime) {
  parallel_for(64, 8, [&](size_t) {
    EXPECT_TRUE(store_cached(key_, pieces_).ok());
    EXPECT_EQ(load_cached(key_), pieces_);
  });
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(file()).parent_path()))
    EXPECT_EQ(entry.path().string(), file());
}

}  // namespace
}  // namespace warplens::compile
