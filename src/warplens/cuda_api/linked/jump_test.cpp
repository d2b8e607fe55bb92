#include "warplens/cuda_api/linked/jump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <string>

namespace warplens::cuda_api {
namespace {

int other() { return 42; }

/// How /proc describes the mapping that begins at `address`.
std::string protection_at(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (std::stoull(line, nullptr, 16) == reinterpret_cast<uintptr_t>(address))
      return line.substr(line.find(' ') + 1, 4);
  }
  return "";
}

TEST(WriteJumps, LeadsACallElsewhereAndProtectsTheCodeAgain) {
  constexpr size_t kPage = 4096;
#if defined(__aarch64__)
  constexpr unsigned char kReturnsOne[] = {0x20, 0x00, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6};
#else
  constexpr unsigned char kReturnsOne[] = {0xb8, 1, 0, 0, 0, 0xc3};
#endif
  void* const page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  for (const size_t at : {0, 32}) std::memcpy(static_cast<char*>(page) + at, kReturnsOne, sizeof kReturnsOne);
  ASSERT_EQ(::mprotect(page, kPage, PROT_READ | PROT_EXEC), 0);
  const auto begin = reinterpret_cast<uintptr_t>(page);
  auto* const first = reinterpret_cast<int (*)()>(begin);
  auto* const second = reinterpret_cast<int (*)()>(begin + 32);
  EXPECT_EQ(first(), 1);
  const Status written =
      write_jumps({begin, begin + 64, PROT_READ | PROT_EXEC}, {{begin, reinterpret_cast<const void*>(&other)}});
  ASSERT_TRUE(written.ok()) << written.message();
  EXPECT_EQ(first(), 42);
  EXPECT_EQ(second(), 1);
  EXPECT_EQ(protection_at(page), "r-xp");
  ::munmap(page, kPage);
}

TEST(WriteJumps, SaysWhyCodeCannotBeChanged) {
  const Status written = write_jumps({0x1000, 0x1040, PROT_READ | PROT_EXEC}, {});
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.message(), testing::HasSubstr("does not let code be changed"));
}

}  // namespace
}  // namespace warplens::cuda_api
