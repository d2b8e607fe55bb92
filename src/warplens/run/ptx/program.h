// A kernel decoded for running: a flat array of fixed-size operations in basic blocks, with resolved register slots.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/isa/ptx/module.h"
#include "warplens/simt/asynchronous/mbarrier.h"
#include "warplens/simt/atomics/operation.h"
#include "warplens/simt/atomics/reduce.h"
#include "warplens/simt/counts.h"
#include "warplens/simt/lanes/values.h"
#include "warplens/simt/matrix/fragments.h"

namespace warplens::simt {
enum class Agent : uint8_t;  // see checks/clock.h
}

namespace warplens::simt::ptx_machine {

struct Warp;
struct Op;

/// Runs one operation for the lanes in Warp::mask.
using Handler = void (*)(Warp& warp, const Op& op);

inline constexpr uint32_t kNoSlot = 0xffffffff, kNoRow = 0xffffffff, kNoBlock = 0xffffffff;

/// How setp joins its comparison with a predicate.
enum class PredicateLogic : uint8_t { kNone, kAnd, kOr, kXor };
/// The bytes that a lane of cp.async copies: all; as many as its operand says, then zeroes; none if a predicate
/// holds.
enum class CopiedBytes : uint8_t { kAll, kCounted, kUnlessIgnored };
/// The rounding of a conversion; `whole`: to a whole number.
struct ConvertedTypes {
  ptx::Type to, from;
  bool whole;
};
enum class ByteOp : uint8_t;
enum class TensorField : uint8_t;
enum class TensorShape : uint8_t;
enum class TensorKind : uint8_t;
enum class TensorUnpack : uint8_t;

/// Registers are in a frame as structure of arrays. There are 32 lanes of 4 bytes (types up to 32 bits; the bits above
/// a narrower type are undefined) or of 8 bytes (64 bits). A b128 has two such arrays (low halves, then high), a
/// predicate one 32-bit mask. A slot is a byte offset in the frame. Constants are registers that nothing writes.
struct alignas(64) Op {
  Handler run = nullptr;
  Handler body = nullptr;  // the function that `run` calls if it only wraps: guards, checks
  uint32_t d = kNoSlot, a = kNoSlot, b = kNoSlot, c = kNoSlot;  // slots; d is written
  /// One of these, as the handler defines; a decoder sets the name that its handler reads.
  union {
    uint32_t e = kNoSlot;   // one more slot, read or written
    uint32_t elements;      // first of a list in Program::slots: of vectors, of further operands
    uint32_t applied_late;  // atomics: 1 when the cluster's blocks have it applied in their order
  };
  uint32_t guard = kNoSlot;  // predicate slot
  int64_t value = 0;         // address offset, immediate
  uint32_t row = kNoRow;     // of the counts
  union {
    uint32_t range = 0;     // of Program::accesses and Warp::ranges
    uint32_t text;          // of Program::texts
    uint32_t list;          // first of a list in Program::slots
    uint32_t predicate;     // slot
    uint32_t scale_places;  // bytes and lanes that hold the scales of A and B: see decode/matrix.cpp
    ptx::SpecialRegister special;
    ptx::Mod comparison;
    ConvertedTypes types;
  };
  union {
    uint16_t flags = 0;  // bits, by handler
    uint16_t matrix;     // of Program::matrices and matrix_places
    ptx::Type type;
    TensorUnpack unpack;
  };
  uint8_t guard_flip = 0;  // 1: runs where the guard is false
  uint8_t size = 0;        // bytes of a memory element
  uint8_t vector = 1;      // elements a lane
  union {
    uint8_t mode = 0;   // bits or a number, by handler
    uint8_t rounding;   // rounding_mode of the instruction
    uint8_t component;  // x, y, z of a special register
    uint8_t scope;      // of a fence: 0 block, 1 cluster, 2 gpu or wider
    bool high;          // the upper half of a product
    bool joins_and;     // with a predicate: and, else or
    bool by_parity;     // mbarrier waits: for a parity, else for a state
    bool copies;        // a mov of registers
    PredicateLogic logic;
    ByteOp byte_op;
    CopiedBytes copied;
    AtomicOp atomic;
    MbarrierOp mbarrier;
    Agent agent;
    TensorField field;
    TensorShape tensor_shape;
    TensorKind tensor_kind;
  };
};
static_assert(sizeof(Op) == 64);

/// Register slots that one operation takes beyond those in Op: {d0, d1, ...} of vectors.
struct SlotList {
  uint32_t first = 0, count = 0;  // in Program::slots
};

/// How a basic block ends.
enum class End : uint8_t {
  kNext,     // falls through to `next`
  kBranch,   // lanes whose guard holds go to `target`, the others to `next`
  kIndexed,  // brx.idx: Program::targets[target + index]
  kReturn,
  kExit,
  kCall,  // `target` is a Program::calls entry; continues at `next`
  kSync,  // the block's last operation (`sync`) may have to wait; continues at `next`
};

struct Block {
  uint32_t first = 0, count = 0;  // ops
  End end = End::kNext;
  bool spin = false;  // in a loop that may wait for other threads
  uint8_t guard_flip = 0;
  uint8_t sync = 0;           // SyncKind of End::kSync
  bool same_members = false;  // of SyncKind::kLanes: the member mask is a constant
  uint32_t target = kNoBlock, next = kNoBlock;
  uint32_t guard = kNoSlot;
  uint32_t order = 0;          // splits with the smallest one of a function run first
  uint32_t end_op = kNoBlock;  // the op of the terminator (row, slots), when it has one
  uint32_t function = 0;       // Program::functions
  uint32_t rows = 0;           // PTX instructions
};

/// The wait of a block that ends in kSync.
enum class SyncKind : uint8_t {
  kLanes,      // all living lanes of a member mask (slot c of the op)
  kBarrier,    // bar.sync, bar.red, barrier: slot a is the barrier, b the thread count (kNoSlot: all)
  kArrive,     // bar.arrive: as kBarrier, without waiting
  kCluster,    // barrier.cluster.wait
  kWarpgroup,  // wgmma.fence, wgmma.wait_group: the other warps of the warpgroup, as the hardware makes them wait
  kYield,      // nothing: lets others run (nanosleep)
};

/// A memory access, for checks and observers; by Op::range.
struct AccessInfo {
  enum class Kind : uint8_t { kLoad, kStore, kAtomic } kind = Kind::kLoad;
  ptx::Space space = ptx::Space::kGeneric;
  uint8_t address_bits = 64;
  bool strong = false;  // atomic, volatile, relaxed, acquire, release: never races with another strong one
  bool acquires = false, releases = false;
  uint8_t scope = 0;        // 0 cta, 1 cluster, 2 gpu or wider
  uint32_t size_bytes = 0;  // a lane
  uint8_t unread = 0;       // elements of a loaded vector whose register nothing reads
};

/// Where the elements of a matrix instruction's registers are in dense matrices: see dense_places. wmma.load and .store
/// keep their fragment's rows and columns in `a`: see fragment_places.
struct MatrixPlaces {
  std::vector<uint16_t> a, b, c;
};

struct Call {
  uint32_t function = kNoBlock;  // Program::functions; kNoBlock for an indirect call
  uint32_t address = kNoSlot;    // indirect: slot of the function's address
  struct Argument {
    uint32_t from = 0, to = 0, bytes = 0;  // local memory: offset in the caller's frame, in the callee's
  };
  std::vector<Argument> arguments, results;
};

struct FunctionCode {
  uint32_t ptx = 0;           // ptx::Module::functions
  uint32_t entry = kNoBlock;  // block
  uint32_t frame_bytes = 0;
  uint32_t local_bytes = 0;             // .local and .param variables, a thread
  uint32_t first_row = 0;               // of its first instruction in the counts
  std::vector<uint32_t> cleared;        // slots that may be read before they are written...
  std::vector<uint32_t> cleared_bytes;  // ... and their sizes: zeroed when the function is entered
  struct Constant {
    uint32_t slot = 0, bytes = 0;  // 4 or 8 a lane
    uint64_t value = 0;
  };
  std::vector<Constant> constants;
  std::vector<Op> prologue;  // the same result in all warps of a launch: run once a frame, for all lanes
  std::vector<uint32_t> parameter_offsets, result_offsets;  // in its local memory
};

/// A kernel and every function that it may call.
struct Program {
  std::string name;
  const ptx::Module* module = nullptr;
  std::vector<Op> ops;
  std::vector<Block> blocks;
  std::vector<FunctionCode> functions;  // [0] is the kernel
  std::vector<uint32_t> slots;          // SlotList entries
  std::vector<uint32_t> targets;        // of kIndexed: blocks
  std::vector<Call> calls;
  std::vector<std::string> texts;           // messages of operations that cannot be run
  std::vector<InstructionPlace> places;     // row -> instruction
  std::vector<uint8_t> guarded_rows;        // 1: the row's operation has a guard
  std::vector<uint32_t> row_block;          // row -> block that it is in (kNoBlock: unreachable)
  uint32_t range_slots = 0;                 // entries in Warp::ranges
  std::vector<MatrixInfo> matrices;         // by Op::flags of matrix instructions
  std::vector<MatrixPlaces> matrix_places;  // parallel to it; filled for mma and wmma
  std::vector<AccessInfo> accesses;         // by Op::range of memory operations
  uint64_t shared_bytes = 0;                // static
  bool reads_reserved_shared = false;       // asks where the system's part of shared memory is, and so uses it
  std::string open_shared;                  // the extern array whose bytes a launch gives; "" without one
  bool order_dependent = false;             // blocks' effect on global memory depends on their order
  bool logs_reductions = false;             // has float reductions on global memory
  bool prints = false;                      // calls vprintf
  std::vector<uint32_t> shared_offsets;     // parallel to Module::variables, for .shared ones
  uint8_t checks = 0;                       // Check bits decoded for
  bool observed = false, deterministic = true;
  int architecture = 0;
};

}  // namespace warplens::simt::ptx_machine
