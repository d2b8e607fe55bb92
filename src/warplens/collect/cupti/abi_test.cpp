// Our layouts of CUPTI's records against the toolkit's own headers, where they are installed.
#include "warplens/collect/cupti/abi.h"

#include <gtest/gtest.h>

#include <utility>

#if __has_include(<cupti.h>)
#include <cupti.h>

namespace warplens::cupti {
namespace {

#define EXPECT_SAME_PLACE(ours, our_member, theirs, their_member) \
  EXPECT_EQ(offsetof(ours, our_member), offsetof(theirs, their_member)) << #ours "." #our_member

TEST(Abi, Records) {
#define RECORD(ours, theirs, members) \
  {                                   \
    using Ours = ours;                \
    using Theirs = theirs;            \
    members                           \
  }
#define MEMBER(type, ours, theirs)                                    \
  EXPECT_EQ(offsetof(Ours, ours), offsetof(Theirs, theirs)) << #ours; \
  EXPECT_EQ(sizeof(Ours::ours), sizeof(std::declval<Theirs>().theirs)) << #ours;
#define THREE(type, ours, theirs) EXPECT_EQ(offsetof(Ours, ours), offsetof(Theirs, theirs)) << #ours;
#define REST(type, ours)
#include "warplens/collect/cupti/records.def"
#undef RECORD
#undef MEMBER
#undef THREE
#undef REST
  EXPECT_EQ(sizeof(CallRecord), sizeof(CUpti_ActivityAPI));
}

TEST(Abi, CallbacksOfCalls) {
  EXPECT_SAME_PLACE(ApiCallback, site, CUpti_CallbackData, callbackSite);
  EXPECT_SAME_PLACE(ApiCallback, parameters, CUpti_CallbackData, functionParams);
  EXPECT_SAME_PLACE(ApiCallback, result, CUpti_CallbackData, functionReturnValue);
  EXPECT_SAME_PLACE(ApiCallback, symbol, CUpti_CallbackData, symbolName);
  EXPECT_SAME_PLACE(ApiCallback, context, CUpti_CallbackData, context);
  EXPECT_SAME_PLACE(ApiCallback, scratch, CUpti_CallbackData, correlationData);
  EXPECT_SAME_PLACE(ApiCallback, correlation, CUpti_CallbackData, correlationId);
}

TEST(Abi, Numbers) {
  EXPECT_EQ(kMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
  EXPECT_EQ(kMemset, CUPTI_ACTIVITY_KIND_MEMSET);
  EXPECT_EQ(kConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  EXPECT_EQ(kRuntime, CUPTI_ACTIVITY_KIND_RUNTIME);
  EXPECT_EQ(kDriver, CUPTI_ACTIVITY_KIND_DRIVER);
  EXPECT_EQ(kMemcpyPeer, CUPTI_ACTIVITY_KIND_MEMCPY2);
  EXPECT_EQ(kSynchronization, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  EXPECT_EQ(kMemory2, CUPTI_ACTIVITY_KIND_MEMORY2);
  EXPECT_EQ(kErrorInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(kErrorMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace warplens::cupti

#else
TEST(Abi, NeedsCuptiHeaders) { GTEST_SKIP() << "cupti.h is not installed here"; }
#endif
