#include "warplens/isa/ptx/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/source_path.h"
#include "warplens/base/files.h"

namespace warplens::ptx {
namespace {

TEST(Table, EveryWordOfAFormIsASuffix) {
  for (const FormRow& form : forms()) {
    EXPECT_TRUE(unknown_words(form).empty())
        << text(form.opcode) << " " << form.modifiers << ": " << testing::PrintToString(unknown_words(form));
  }
}

TEST(Table, DocumentationIsTheTable) {
  const auto page = read_file(tests::source_path("docs/ptx.md"));
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, testing::HasSubstr(instruction_reference()))
      << "docs/ptx.md is not up to date: put the output of `warplens inspect --instructions` into it";
}

TEST(Table, PicksTheLongestNameAndTheForm) {
  EXPECT_EQ(decode("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes").opcode,
            Opcode::kCpAsyncBulkTensor);
  EXPECT_EQ(decode("cp.async.ca.shared.global").opcode, Opcode::kCpAsync);
  // Assemblers take `sync` anywhere, and CUB relies on it.
  EXPECT_EQ(decode("vote.ballot.sync.b32").opcode, Opcode::kVoteSync);
  EXPECT_GE(decode("vote.ballot.sync.b32").form, 0);
  EXPECT_EQ(decode("shfl.down.sync.b32").opcode, decode("shfl.sync.down.b32").opcode);
  EXPECT_EQ(decode("match.sync.any.b64").opcode, Opcode::kMatchAnySync);
  EXPECT_EQ(decode("redux.add.sync.s32").opcode, decode("redux.sync.add.s32").opcode);
  EXPECT_EQ(decode("add.rn.ftz.f32").category, Category::kFp32);
  EXPECT_EQ(decode("add.f16x2").category, Category::kFp16);
  EXPECT_EQ(decode("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").shape, (Shape{16, 8, 16}));
  EXPECT_EQ(decode("add.nonsense.f32").form, -1);
  EXPECT_EQ(decode("nonsense.f32").opcode, Opcode::kUnknown);
}

}  // namespace
}  // namespace warplens::ptx
