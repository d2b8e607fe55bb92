// The recorder's stream, which a running program appends to its .wlens file. A file header, then
// blocks. Each block has a length, a checksum and a number, and is readable once it is written, even if
// the program dies afterwards. The last block of a finished file holds the numbers of blocks and
// records, so a reader can detect missing ones. A block's payload is records: a tag byte, then
// numbers as varints (LEB128; zigzag if they can be negative), texts as a length and bytes. Definition
// blocks number the texts and sites that event blocks refer to; they are never dropped. Times and
// correlation ids of events are differences to the event of the same family before it in the block. So
// each event block can be read, or dropped, alone. Times are nanoseconds since 1970 on the host's
// real-time clock.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::stream {

inline constexpr char kMagic[8] = {'W', 'L', 'E', 'N', 'R', '\r', '\n', '\x1a'};
inline constexpr uint32_t kMajor = 2;
inline constexpr uint32_t kByteOrder = 0x01020304;
inline constexpr uint32_t kBlockMagic = 0x4b4c4257;  // "WBLK"
inline constexpr uint32_t kMaxBlockBytes = 16u << 20;

struct FileHeader {
  char magic[8];
  uint32_t major;
  uint32_t byte_order;
};
static_assert(sizeof(FileHeader) == 16);

/// The payload of kTotals, the last of a file: blocks before it, records of event blocks in them, as varints.
enum class BlockKind : uint32_t { kDefinitions = 1, kEvents = 2, kTotals = 3 };

struct BlockHeader {
  uint32_t magic;
  BlockKind kind;
  uint32_t payload_bytes;
  uint32_t sequence;  // from 0 in each file
  uint32_t records;   // in the payload
  uint32_t reserved;
  uint64_t checksum;  // of the payload
};
static_assert(sizeof(BlockHeader) == 32);

// Samples of host threads are marks. Their name is a stack, their domain this prefix and the thread's state.
inline constexpr std::string_view kSampleDomain = "host sample: ";
// The arguments of an operator, as a JSON object: a mark of this domain within it.
inline constexpr std::string_view kArgumentsDomain = "arguments";
// While the program's own profiler records: a range that begins and ends on any thread.
inline constexpr std::string_view kGuestRange = "warplens: the program's own profiler records";
inline constexpr std::string_view kSamplePeriod = "host_sample_period_ns";  // metadata

// Numbers are varints in the order given; "d" are zigzag differences, "z" zigzag values.
enum class Tag : uint8_t {
  // Definitions
  kText = 1,        // id, text
  kKernelSite = 2,  // id, name, device, context, stream, grid x y z, block x y z, registers, shared bytes
  kCallSite = 3,    // id, name, is driver, thread
  kCopySite = 4,    // id, copy kind, source memory, destination memory, device, context, stream
  kSetSite = 5,     // id, memory, device, context, stream
  kSyncSite = 6,    // id, type, device + 1 (0: not known), context, stream
  kDevice =
      7,  // ordinal, name, memory bytes, SMs, compute major, minor, threads/SM, registers/SM, shared bytes/SM, warp
  kThreadName = 8,  // thread, name
  kMetadata = 9,    // key, value (JSON)
  kGraphNode = 10,  // node, node that it was cloned from (0: none), name of the operator it was captured in
  // Events on a device or of the API, whose times and correlations are stored as differences
  kKernel = 16,       // site, start d, duration, correlation d
  kGraphKernel = 17,  // as kKernel, graph, node
  kCall = 18,         // site, start d, duration, correlation d
  kCopy = 19,         // site, start d, duration, correlation d, bytes
  kGraphCopy = 20,    // as kCopy, graph, node
  kSet = 21,          // site, start d, duration, correlation d, bytes
  kGraphSet = 22,     // as kSet, graph, node
  kSync = 23,         // site, start d, duration, correlation d, event + 1 (0: none)
  kAllocation = 24,   // thread, time d, address, bytes z, device + 1
  // Events of host threads
  kThread = 32,      // thread: those that follow are of this one
  kPush = 33,        // time d, name, domain
  kOperator = 34,    // time d, name, shapes, sequence + 1
  kPop = 35,         // time d
  kMark = 36,        // time d, name, domain
  kRangeStart = 37,  // time d, id, name, domain
  kRangeEnd = 38,    // time d, id
  // About the recording
  kClock = 48,  // real-time clock, monotonic raw clock, both in ns
  kLost = 49,   // kind (Lost), number since the last such record
  kEnd = 50,    // the recorder ended in order
  kPause = 51,  // time d, 1 when recording stops, 0 when it continues (schedules)
};

enum class Lost : uint8_t { kActivities, kHostEvents, kTexts, kDisk, kRing, kUnknownRecords, kCount };

}  // namespace warplens::stream
