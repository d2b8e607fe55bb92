#include "warplens/trace/profile/verdict.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(Verdict, NamesTheWorstFirst) {
  Profile profile;
  EXPECT_EQ(integrity_verdict(profile), "whole: nothing is missing");
  profile.integrity.add("overlapping-kernels", Severity::kInfo, 3, "", "");
  EXPECT_EQ(integrity_verdict(profile), "whole; to know: overlapping kernels (3)");
  profile.integrity.add("kernels-without-launch", Severity::kWarning, 12, "", "");
  EXPECT_EQ(integrity_verdict(profile),
            "usable with care: kernels without launch (12); to know: overlapping kernels (3)");
  profile.integrity.add("truncated", Severity::kError, 1, "", "");
  EXPECT_EQ(integrity_verdict(profile),
            "damaged: truncated (1), kernels without launch (12); to know: overlapping kernels (3)");
}

TEST(Verdict, DetailsSayWhatToDo) {
  Profile profile;
  profile.integrity.add("overlapping-kernels", Severity::kInfo, 3, "a.json: 3 overlap", "nothing");
  profile.integrity.add("truncated", Severity::kError, 1, "a.json: ends at byte 7", "copy it again");
  EXPECT_EQ(integrity_details(profile), "error: a.json: ends at byte 7; copy it again\n");
  EXPECT_EQ(integrity_details(profile, Severity::kInfo),
            "info: a.json: 3 overlap; nothing\nerror: a.json: ends at byte 7; copy it again\n");
}

TEST(Verdict, WithholdsWhatDamageFalsifies) {
  Profile profile;
  EXPECT_FALSE(withheld(profile, Conclusion::kLaunchLatency));
  profile.integrity.add("clocks-apart", Severity::kInfo, 1, "kernels start up to 200 ns before their launches", "");
  EXPECT_FALSE(withheld(profile, Conclusion::kLaunchLatency));
  profile.integrity.add("clocks-apart", Severity::kWarning, 1, "", "");
  EXPECT_EQ(withheld(profile, Conclusion::kLaunchLatency), "kernels start up to 200 ns before their launches");
  EXPECT_FALSE(withheld(profile, Conclusion::kTotals));
}

TEST(Verdict, NoGateJudgesWhatLacksSomething) {
  Profile usable, killed, damaged;
  usable.integrity.add("tail-lost", Severity::kWarning, 1, "the last launches have no kernels", "");
  EXPECT_FALSE(withheld(usable, Conclusion::kGate));
  killed.integrity.add("recording-cut-off", Severity::kInfo, 1, "no end mark", "");
  EXPECT_EQ(withheld(killed, Conclusion::kGate), "no end mark");
  damaged.integrity.add("absurd-times", Severity::kError, 1, "a day apart", "");
  EXPECT_EQ(withheld(damaged, Conclusion::kGate), "a day apart");
}

}  // namespace
}  // namespace warplens
