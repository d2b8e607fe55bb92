// Our layouts of CUPTI's records against the toolkit's own headers, where they are installed.
#include "warplens/collect/cupti/abi.h"

#include <gtest/gtest.h>

#if __has_include(<cupti.h>)
#include <cupti.h>

namespace warplens::cupti {
namespace {

#define EXPECT_SAME_PLACE(ours, our_member, theirs, their_member) \
  EXPECT_EQ(offsetof(ours, our_member), offsetof(theirs, their_member)) << #ours "." #our_member

TEST(Abi, Kernels) {
  using Theirs = CUpti_ActivityKernel9;
  EXPECT_SAME_PLACE(KernelRecord, registers_per_thread, Theirs, registersPerThread);
  EXPECT_SAME_PLACE(KernelRecord, start, Theirs, start);
  EXPECT_SAME_PLACE(KernelRecord, end, Theirs, end);
  EXPECT_SAME_PLACE(KernelRecord, device, Theirs, deviceId);
  EXPECT_SAME_PLACE(KernelRecord, stream, Theirs, streamId);
  EXPECT_SAME_PLACE(KernelRecord, grid, Theirs, gridX);
  EXPECT_SAME_PLACE(KernelRecord, block, Theirs, blockX);
  EXPECT_SAME_PLACE(KernelRecord, static_shared, Theirs, staticSharedMemory);
  EXPECT_SAME_PLACE(KernelRecord, dynamic_shared, Theirs, dynamicSharedMemory);
  EXPECT_SAME_PLACE(KernelRecord, correlation, Theirs, correlationId);
  EXPECT_SAME_PLACE(KernelRecord, name, Theirs, name);
  EXPECT_SAME_PLACE(KernelRecord, queued, Theirs, queued);
  EXPECT_SAME_PLACE(KernelRecord, submitted, Theirs, submitted);
  EXPECT_SAME_PLACE(KernelRecord, shared_executed, Theirs, sharedMemoryExecuted);
  EXPECT_SAME_PLACE(KernelRecord, graph_node, Theirs, graphNodeId);
  EXPECT_SAME_PLACE(KernelRecord, graph, Theirs, graphId);
}

TEST(Abi, CopiesAndSets) {
  EXPECT_SAME_PLACE(CopyRecord, copy_kind, CUpti_ActivityMemcpy5, copyKind);
  EXPECT_SAME_PLACE(CopyRecord, bytes, CUpti_ActivityMemcpy5, bytes);
  EXPECT_SAME_PLACE(CopyRecord, start, CUpti_ActivityMemcpy5, start);
  EXPECT_SAME_PLACE(CopyRecord, stream, CUpti_ActivityMemcpy5, streamId);
  EXPECT_SAME_PLACE(CopyRecord, correlation, CUpti_ActivityMemcpy5, correlationId);
  EXPECT_SAME_PLACE(CopyRecord, graph_node, CUpti_ActivityMemcpy5, graphNodeId);
  EXPECT_SAME_PLACE(PeerCopyRecord, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
  EXPECT_SAME_PLACE(PeerCopyRecord, source_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
  EXPECT_SAME_PLACE(PeerCopyRecord, destination_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
  EXPECT_SAME_PLACE(PeerCopyRecord, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
  EXPECT_SAME_PLACE(PeerCopyRecord, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);
  EXPECT_SAME_PLACE(SetRecord, value, CUpti_ActivityMemset4, value);
  EXPECT_SAME_PLACE(SetRecord, bytes, CUpti_ActivityMemset4, bytes);
  EXPECT_SAME_PLACE(SetRecord, stream, CUpti_ActivityMemset4, streamId);
  EXPECT_SAME_PLACE(SetRecord, correlation, CUpti_ActivityMemset4, correlationId);
  EXPECT_SAME_PLACE(SetRecord, graph_node, CUpti_ActivityMemset4, graphNodeId);
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

TEST(Abi, CallsSynchronizationsAndMemory) {
  EXPECT_EQ(sizeof(CallRecord), sizeof(CUpti_ActivityAPI));
  EXPECT_SAME_PLACE(CallRecord, callback, CUpti_ActivityAPI, cbid);
  EXPECT_SAME_PLACE(CallRecord, start, CUpti_ActivityAPI, start);
  EXPECT_SAME_PLACE(CallRecord, thread, CUpti_ActivityAPI, threadId);
  EXPECT_SAME_PLACE(CallRecord, correlation, CUpti_ActivityAPI, correlationId);
  EXPECT_SAME_PLACE(SyncRecord, type, CUpti_ActivitySynchronization, type);
  EXPECT_SAME_PLACE(SyncRecord, start, CUpti_ActivitySynchronization, start);
  EXPECT_SAME_PLACE(SyncRecord, stream, CUpti_ActivitySynchronization, streamId);
  EXPECT_SAME_PLACE(SyncRecord, event, CUpti_ActivitySynchronization, cudaEventId);
  EXPECT_SAME_PLACE(MemoryRecord, operation, CUpti_ActivityMemory3, memoryOperationType);
  EXPECT_SAME_PLACE(MemoryRecord, memory, CUpti_ActivityMemory3, memoryKind);
  EXPECT_SAME_PLACE(MemoryRecord, address, CUpti_ActivityMemory3, address);
  EXPECT_SAME_PLACE(MemoryRecord, bytes, CUpti_ActivityMemory3, bytes);
  EXPECT_SAME_PLACE(MemoryRecord, timestamp, CUpti_ActivityMemory3, timestamp);
  EXPECT_SAME_PLACE(MemoryRecord, device, CUpti_ActivityMemory3, deviceId);
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
