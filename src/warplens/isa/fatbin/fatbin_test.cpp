#include "warplens/isa/fatbin/fatbin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/isa/cubin/cubin.h"
#include "warplens/isa/fatbin/choose.h"

namespace warplens::fatbin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// scale.cu by `nvcc -fatbin -compress-mode=NAME` for sm_80, sm_90a, sm_90 and compute_90.
std::string data(const std::string& name) {
  auto bytes = read_file(tests::source_path("tests/data/fatbin/") + name + ".fatbin");
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return bytes.ok() ? std::move(*bytes) : "";
}

std::vector<std::string> targets(const std::vector<Image>& images) {
  std::vector<std::string> out;
  for (const Image& image : images) out.push_back(image.target());
  return out;
}

class Packed : public testing::TestWithParam<std::string> {};

TEST_P(Packed, HoldsWhatTheUnpackedOneHolds) {
  const std::string packed = data(GetParam()), plain = data("none");
  const auto images = read_fatbin(packed);
  ASSERT_TRUE(images.ok()) << images.status().message();
  EXPECT_THAT(targets(*images), ElementsAre("sm_80", "sm_90a", "sm_90", "compute_90"));
  const auto expected = read_fatbin(plain);
  ASSERT_TRUE(expected.ok());
  ASSERT_EQ(images->size(), expected->size());
  for (size_t i = 0; i < images->size(); ++i) {
    const auto got = unpack((*images)[i]), want = unpack((*expected)[i]);
    ASSERT_TRUE(got.ok()) << got.status().message();
    ASSERT_TRUE(want.ok());
    EXPECT_EQ(*got, *want) << (*images)[i].target();
  }
}

INSTANTIATE_TEST_SUITE_P(Fatbin, Packed, testing::Values("size", "speed", "none"));

TEST(Fatbin, ImagesAreCubinsAndPtx) {
  const std::string bytes = data("size");
  const auto images = read_fatbin(bytes);
  ASSERT_TRUE(images.ok());
  const auto cubin = unpack((*images)[2]);
  ASSERT_TRUE(cubin.ok());
  const auto read = cubin::read_cubin(*cubin);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->architecture, 90);
  EXPECT_NE(read->function("_Z5scaleIfEvPT_S0_i"), nullptr);
  const auto ptx = unpack((*images)[3]);
  ASSERT_TRUE(ptx.ok());
  EXPECT_THAT(*ptx, HasSubstr(".target sm_90"));
  EXPECT_EQ(ptx->back(), '\n');
}

TEST(Fatbin, ContainersMayFollowEachOther) {
  std::string bytes = data("size");
  bytes.resize((bytes.size() + 7) / 8 * 8 + 16);  // zeros between them, and behind the last
  const auto images = read_fatbin(bytes + bytes);
  ASSERT_TRUE(images.ok()) << images.status().message();
  EXPECT_EQ(images->size(), 8);
}

std::string file(const std::string& name) {
  auto bytes = read_file(tests::source_path("tests/data/fatbin/") + name);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return bytes.ok() ? std::move(*bytes) : "";
}

TEST(Fatbin, ObjectFilesOfAStaticLibrary) {  // scale.cu by `nvcc -arch=sm_90 -lib`
  const std::string bytes = file("scale.a");
  EXPECT_TRUE(may_carry(bytes));
  const auto images = images_of_file(bytes);
  ASSERT_TRUE(images.ok()) << images.status().message();
  EXPECT_THAT(targets(*images), ElementsAre("sm_90", "compute_90"));
  for (const size_t size : {size_t{20}, size_t{70}, bytes.size() / 2}) {
    const auto cut = images_of_file(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_THAT(cut.status().message(), HasSubstr("reaches past the end"));
  }
}

TEST(Fatbin,
     CodeForLinkTimeOptimisation) {  // scale.cu by `nvcc -rdc=true -gencode arch=compute_90,code=lto_90 -fatbin`
  const std::string bytes = file("lto.fatbin");
  const auto images = images_of_file(bytes);
  ASSERT_TRUE(images.ok()) << images.status().message();
  EXPECT_THAT(targets(*images), ElementsAre("lto_90"));
  EXPECT_EQ((*images)[0].kind, Kind::kLto);
  EXPECT_EQ(choose(*images, 90), nullptr);  // only a link makes code of it
  EXPECT_EQ(compute_capability(*images, ""), 90);
  EXPECT_EQ(compute_capability(*images, "sm_80"), 80);
}

TEST(Fatbin, NoneInAHostProgramWithoutDeviceCode) {
  const auto self = read_file("/proc/self/exe");
  ASSERT_TRUE(self.ok());
  const auto images = images_of_file(*self);
  ASSERT_TRUE(images.ok()) << images.status().message();
  EXPECT_TRUE(images->empty());
}

TEST(Fatbin, DamageIsToldWithItsPlace) {
  std::string bytes = data("size");
  const auto cut = read_fatbin(std::string_view(bytes).substr(0, 2000));
  ASSERT_FALSE(cut.ok());
  EXPECT_THAT(cut.status().message(), HasSubstr("the container at byte 0 claims 4616 bytes"));
  const auto text = read_fatbin("no fat binary");
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.status().message(), HasSubstr("no container begins at byte 0"));
  bytes[16 + 56] ^= 1;  // the first image's unpacked size
  const auto images = read_fatbin(bytes);
  ASSERT_TRUE(images.ok());
  const auto wrong = unpack((*images)[0]);
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.status().message(), HasSubstr("the zstd image for sm_80 cannot be unpacked"));
}

/// Each image may claim little; a thousand of them do not take a thousand times that.
TEST(Fatbin, ImagesDoNotClaimMoreTogetherThanTheirFileMay) {
  const std::string bytes = data("size");
  const auto images = read_fatbin(bytes);
  ASSERT_TRUE(images.ok());
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    std::string one = bytes;
    const uint64_t claimed = 32 << 20;
    std::memcpy(one.data() + 16 + 56, &claimed, sizeof claimed);
    many += one;
    many.resize((many.size() + 7) / 8 * 8, '\0');
  }
  ASSERT_EQ((*images)[0].packing, Packing::kZstd);
  const auto refused = read_fatbin(many);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().message(), HasSubstr("more than 200 times as large when unpacked"));
  std::string one = bytes;
  one[16 + 56 + 7] = '\x7f';  // 2^62 bytes and more
  EXPECT_FALSE(read_fatbin(one).ok());
}

TEST(Fatbin, AnyChangedByteIsReadOrRefused) {
  for (const char* name : {"size", "speed"}) {
    const std::string bytes = data(name);
    for (size_t at = 0; at < bytes.size(); at += 1 + at / 200) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
      const auto images = read_fatbin(changed);
      if (!images.ok()) continue;
      for (const Image& image : *images) {
        if (image.unpacked_bytes < 1 << 20) (void)unpack(image).ok();
      }
    }
  }
}

}  // namespace
}  // namespace warplens::fatbin
