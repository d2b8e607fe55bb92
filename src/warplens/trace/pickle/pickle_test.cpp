#include "warplens/trace/pickle/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::pickle {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

std::string error_of(const std::string& bytes) {
  const auto document = read(bytes);
  return document.ok() ? "" : document.status().message();
}

// pickle.dumps({'a': [1, -2, 2.5, None, True], 'b': ('x', b'y'), 'c': 2**70}, protocol=4)
const std::string kPlain =
    "\x80\x04\x95=\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01"
    "a\x94]\x94(K\x01J\xfe\xff\xff\xffG@\x04\x00\x00\x00\x00\x00\x00N\x88"
    "e\x8c\x01"
    "b\x94\x8c\x01x\x94"
    "C\x01y\x94\x86\x94\x8c\x01"
    "c\x94\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00@u."s;

TEST(Pickle, ReadsPlainData) {
  const auto document = read(kPlain);
  ASSERT_TRUE(document.ok()) << document.status().message();
  const Document& d = document.value();
  const auto list = d.list(d.root(), "a");
  ASSERT_EQ(list.size(), 5U);
  EXPECT_EQ(list[0].whole, 1);
  EXPECT_EQ(list[1].whole, -2);
  EXPECT_EQ(list[2].real, 2.5);
  EXPECT_EQ(list[3].kind, Kind::kNone);
  EXPECT_EQ(list[4].kind, Kind::kFlag);
  EXPECT_EQ(d.text(d.list(d.root(), "b")[1]), "y");
  EXPECT_EQ(d.find(d.root(), "c").real, 0x1p70);
  EXPECT_EQ(d.find(d.root(), "d").kind, Kind::kNone);
}

TEST(Pickle, RunsNothing) {
  // os.system('id') by protocols 0, 2 and 4; an object; state; persistent and extension ids.
  EXPECT_THAT(error_of("cos\nsystem\n(S'id'\ntR."), HasSubstr("the name os.system"));
  EXPECT_THAT(error_of("\x80\x02"s + "cos\nsystem\nX\x02\x00\x00\x00id\x85R."s), HasSubstr("refused: at byte 2"));
  EXPECT_THAT(error_of("\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02id\x85R."s), HasSubstr("posix.system"));
  EXPECT_THAT(error_of("(i__main__\nX\n."), HasSubstr("INST"));
  EXPECT_THAT(error_of("\x80\x02}}\x81."s), HasSubstr("NEWOBJ"));
  EXPECT_THAT(error_of("\x80\x02}}b."s), HasSubstr("BUILD"));
  EXPECT_THAT(error_of("Pid\n."), HasSubstr("PERSID"));
  EXPECT_THAT(error_of("\x80\x02\x82\x01."s), HasSubstr("EXT"));
  EXPECT_THAT(error_of("cbuiltins\neval\n."), HasSubstr("builtins.eval"));
  EXPECT_THAT(error_of("ccollections\nOrderedDict\n."), HasSubstr("without a value"));
}

TEST(Pickle, KnowsNamesOfContainers) {
  const auto document = read(
      "\x80\x02"
      "ccollections\nOrderedDict\n)R(X\x01\x00\x00\x00kK\x07u."s);
  ASSERT_TRUE(document.ok()) << document.status().message();
  EXPECT_EQ(document->whole(document->root(), "k"), 7);
  const auto list = read(
      "\x80\x02"
      "ctorch.jit._pickle\nbuild_intlist\n](K\x01K\x02"
      "e\x85R."s);
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->list(list->root()).size(), 2U);
}

TEST(Pickle, SharesWhatIsSharedAndBearsLoops) {
  // x = []; x.append(x): a list within itself.
  const auto loop = read(
      "\x80\x02]q\x00h\x00"
      "a."s);
  ASSERT_TRUE(loop.ok()) << loop.status().message();
  EXPECT_EQ(loop->list(loop->root())[0], loop->root());
  // Doubled 60 times over, it would have 2^60 values if it were copied.
  std::string bomb = "\x80\x02]q\x00"s;
  for (int i = 0; i < 60; ++i)
    bomb +=
        "]q\x01(h\x00h\x00"
        "eq\x00"s;
  EXPECT_EQ(error_of(bomb + "."), "");
}

TEST(Pickle, SaysWhereItBreaks) {
  for (size_t size = 0; size < kPlain.size(); ++size) EXPECT_NE(error_of(kPlain.substr(0, size)), "") << size;
  EXPECT_THAT(error_of(kPlain.substr(0, 30)), HasSubstr("cut off"));
  EXPECT_THAT(error_of("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f."s), HasSubstr("cut off"));
  EXPECT_THAT(error_of("\x80\x09."s), HasSubstr("protocol 9"));
  EXPECT_THAT(error_of("\xff"), HasSubstr("0xff is not an instruction"));
  EXPECT_THAT(error_of("h\x05."), HasSubstr("never stored"));
  EXPECT_THAT(error_of("e."), HasSubstr("mark"));
  EXPECT_THAT(error_of(""), HasSubstr("cut off"));
}

TEST(Pickle, FlippedBytesNeverCrash) {
  for (size_t at = 0; at < kPlain.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string flipped = kPlain;
      flipped[at] = static_cast<char>(value);
      const auto document = read(flipped);
      if (document.ok()) document->find(document->root(), "a");
    }
  }
}

}  // namespace
}  // namespace warplens::pickle
