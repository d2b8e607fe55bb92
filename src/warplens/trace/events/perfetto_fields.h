// Numbers of fields and values, from Perfetto's protos/perfetto/trace/perfetto_trace.proto.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::perfetto {

enum InTrace : uint32_t { kPacket = 1 };
enum InPacket : uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTraceStats = 35,
  kStateCleared = 41,
  kPacketsDropped = 42,
  kProcessDescriptorOfPacket = 43,
  kThreadDescriptorOfPacket = 44,
  kCompressedPackets = 50,
  kTimestampClock = 58,
  kDefaults = 59,
  kTrackDescriptor = 60
};
enum SequenceFlag : uint64_t { kCleared = 1, kNeedsState = 2 };
enum InTrack : uint32_t {
  kTrackUuid = 1,
  kTrackName = 2,
  kProcess = 3,
  kThread = 4,
  kParentUuid = 5,
  kCounter = 8,
  kStaticName = 10,
  kTrackDescription = 14
};
enum InProcess : uint32_t { kPid = 1, kProcessName = 6 };
enum InThread : uint32_t { kThreadPid = 1, kTid = 2, kThreadName = 5, kReferenceUs = 6 };
enum InCounter : uint32_t { kUnitMultiplier = 4, kIsIncremental = 5 };
enum InEvent : uint32_t {
  kDeltaUs = 1,
  kCategoryIids = 3,
  kAnnotation = 4,
  kType = 9,
  kNameIid = 10,
  kEventTrack = 11,
  kAbsoluteUs = 16,
  kCategories = 22,
  kEventName = 23,
  kCounterValue = 30,
  kFlowOld = 36,
  kFlowEndOld = 42,
  kDoubleCounterValue = 44,
  kFlow = 47,
  kFlowEnd = 48
};
enum EventType : uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCount = 4 };
enum InAnnotation : uint32_t {
  kAnnotationNameIid = 1,
  kBool = 2,
  kUnsigned = 3,
  kSigned = 4,
  kDouble = 5,
  kText = 6,
  kPointer = 7,
  kNested = 8,
  kJson = 9,
  kAnnotationName = 10,
  kEntries = 11,
  kItems = 12,
  kTextIid = 17
};
enum InNested : uint32_t {  // of old annotations
  kNestedType = 1,
  kNestedKeys = 2,
  kNestedValues = 3,
  kNestedItems = 4,
  kNestedInt = 5,
  kNestedDouble = 6,
  kNestedBool = 7,
  kNestedText = 8
};
enum InInterned : uint32_t { kCategoryNames = 1, kEventNames = 2, kAnnotationNames = 3, kAnnotationTexts = 29 };
enum InName : uint32_t { kIid = 1, kInternedName = 2 };
enum InDefaults : uint32_t { kEventDefaults = 11, kDefaultClock = 58 };
enum InSnapshot : uint32_t { kClock = 1 };
enum InClock : uint32_t { kClockId = 1, kClockTime = 2, kClockIncremental = 3, kClockMultiplier = 4 };
enum ClockIds : uint64_t { kRealtime = 1, kBoottime = 6, kFirstOfSequence = 64, kLastOfSequence = 127 };

/// The instant that carries a trace's other facts: an annotation a key, as JSON.
inline constexpr std::string_view kHeadCategory = "warplens.head";
/// Added to every time, so that none is negative: an annotation of that instant.
inline constexpr std::string_view kTimeOffset = "warplens.time_offset_ns";
/// The categories of flows: a JSON list, whose number from 1 is in the upper 16 bits of a flow's id.
inline constexpr std::string_view kFlowCategories = "warplens.flow_categories";
inline constexpr unsigned kFlowCategoryShift = 48;
/// An instant's phase in Chrome's format, if it was not an instant there: an annotation.
inline constexpr std::string_view kPhase = "warplens.phase";
inline constexpr std::string_view kEventId = "warplens.id";

}  // namespace warplens::perfetto
