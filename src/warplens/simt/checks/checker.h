// The checks of a launch, for both machines. A machine passes the accesses of its threads and their order. The checker
// reports those out of bounds, reads of unwritten bytes and races. Precision is the unit of comparison: threads (PTX)
// or warps (machine code).
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warplens/simt/checks/check_log.h"
#include "warplens/simt/checks/defects.h"
#include "warplens/simt/checks/order.h"
#include "warplens/simt/memory/fits.h"

namespace warplens::simt {

/// The checks' state for a block.
struct CheckedBlock {
  BlockNumbers numbers{};
  Dim3 index{};
  uint32_t threads = 0;
  const uint8_t* shared = nullptr;
  uint64_t shared_bytes = 0;
  std::vector<ShadowWord> words;  // of shared memory
  std::vector<uint8_t> written;   // by byte of shared memory
  std::array<Gathered, 16> barriers;
  std::array<uint32_t, 16> first_at{};  // the instruction of the first to arrive at each
  std::unordered_map<Address, SyncObject> objects;
};

/// Their state for a warp.
struct CheckedWarp : WarpOrder {
  CheckedBlock* block = nullptr;
  std::array<uint32_t, 16> at_barrier{};  // lanes that lived when the first came to a barrier
};

/// Where an access goes; `block` is null for device memory.
struct Location {
  CheckedBlock* block = nullptr;
  Address at = 0;
  const uint8_t* bytes() const { return block ? block->shared + at : reinterpret_cast<const uint8_t*>(at); }
};

/// An access by a lane, or by an asynchronous unit for it.
struct Touch {
  uint32_t row = 0;
  uint32_t lane = 0;
  uint32_t lanes = 0;  // that share it; 0: `lane` alone
  uint32_t alike = 0;  // lanes that read the same each for itself, `lane` the first of them; 0: no other does
  Location place;
  uint64_t size_bytes = 0;
  uint32_t alignment = 1;
  bool reads = false, writes = false;
  bool strong = false, wide = false, same_value = false;
  bool may_be_partly_written = false;  // a wide load also takes the padding between the members of a struct
  uint8_t unread = 0;                  // elements of `element_bytes` bytes that nothing will use
  uint8_t element_bytes = 1;
  Agent agent = Agent::kThread;
  uint32_t number = 0, clock = 0;   // of the agent, unless it is the thread
  bool asynchronous_proxy = false;  // reads past what ordinary stores wrote without fence.proxy.async
};

/// Those who meet at a barrier of a cluster or a grid.
struct Meeting {
  Gathered gathered, done;
  void complete() {
    done.join(gathered);
    gathered = {};
  }
};

class Checker {
 public:
  Checker(Precision precision, uint8_t checks, const Memory& memory, CheckLog log)
      : log(std::move(log)), order(precision), memory_(memory), checks_(checks) {}
  virtual ~Checker() = default;

  bool checks(uint8_t what) const { return (checks_ & what) != 0; }
  /// See CheckLog::report.
  size_t report(std::string_view id, const CheckedWarp& w, uint32_t row, uint32_t lane, std::string message,
                Address address = 0, uint64_t size_bytes = 0, const AccessRecord* other = nullptr) {
    return log.report(id, w.number, lane, row, std::move(message), address, static_cast<uint32_t>(size_bytes), other);
  }

  /// A kernel has got these bytes of device memory. Their last owner has freed them, which orders the two.
  void starts_anew(Address begin, uint64_t size_bytes);

  void arrive(CheckedWarp* w, uint32_t lanes, Gathered* at) const;
  void take(CheckedWarp* w, uint32_t lanes, const Gathered& from) const;
  void fence(CheckedWarp* w, uint32_t lanes, uint32_t level) const;

  CheckLog log;

 protected:
  /// `written`: its shared memory counts as written.
  void start(CheckedBlock* block, bool written) const;
  /// Whether the access may be made; one that may not is reported when memory is checked. `held`: whether an allocation
  /// holds it; `has`: how much shared memory there is, in words.
  template <typename Held, typename Has>
  bool in_bounds(const CheckedWarp& w, const Touch& t, const Held& held, const Has& has) {
    const auto size = static_cast<uint32_t>(t.size_bytes);
    const Location& place = t.place;
    if (place.at % t.alignment)
      return refuse(w, t, misaligned(t.writes, size, place.block != nullptr, place.at, t.alignment));
    if (!place.block) return held() || refuse(w, t, outside_memory(memory_, t.writes, size, place.at));
    return fits(place.at, size, place.block->shared_bytes) ||
           refuse(w, t, outside_shared(t.writes, size, describe(w, place), has()));
  }
  /// Checks earlier writes there (`written`: a byte a byte; nullptr: nobody knows) and marks it. False: it was
  /// reported.
  bool check_written(const CheckedWarp& w, const Touch& t, uint8_t* written);
  void check_race(const CheckedWarp& w, const Touch& t);
  void synchronise(CheckedWarp* w, const Touch& t, const Strong& access);
  /// The error of threads that come to a barrier for `expected` threads (0: all) that others have reached for `before`;
  /// empty: nothing. `anywhere`: a barrier of all may be at several places.
  std::string unlike_arrival(const CheckedWarp& w, uint32_t barrier, uint32_t row, uint32_t expected, uint32_t before,
                             bool anywhere) const;
  std::string describe(const CheckedWarp& w, const Location& place) const;
  /// Hears of each race that is kept.
  virtual void raced(size_t /*report*/, const CheckedWarp&, const Touch&, const AccessRecord& /*before*/,
                     bool /*wrote*/) {}

  Order order;
  Address shared_origin = 0;  // where offsets of shared memory count from

 private:
  bool refuse(const CheckedWarp& w, const Touch& t, Defect defect);
  bool ordered(const CheckedWarp& w, const Touch& t, const AccessRecord& before, bool fenced) const;
  void race_in_word(const CheckedWarp& w, const Touch& t, Address word, const AccessRecord& mine, ShadowWord* known);
  void report_race(const CheckedWarp& w, const Touch& t, const AccessRecord& before, bool wrote, bool fence_missing);

  const Memory& memory_;
  uint8_t checks_;
  std::unordered_map<Address, SyncObject> objects_;  // of device memory
};

/// malloc in a kernel; `checker` may be null. Errors: no memory left.
Result<Address> allocate_in_kernel(Memory* memory, Checker* checker, uint64_t size_bytes);

}  // namespace warplens::simt
