// Checks of a launch: bounds, initialisation, races, synchronisation. Decoding puts run_checked before every memory
// operation when one is asked for; nothing here runs otherwise.
#pragma once
#include <array>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "warplens/emulator/checks/clock.h"
#include "warplens/emulator/warp.h"

namespace warplens::emulator {

/// What the checks keep of a warp.
struct WarpChecks {
  uint32_t number = 0;                    // in the grid
  uint32_t clock = 1;
  Clock known;
  std::array<std::array<uint32_t, kLanes>, kLanes> lanes{};  // [i][j]: the clock at which i and j last met
  Clock released, released_widely;        // what was known at the last fence, of any scope and of gpu scope
  bool has_released = false, has_released_widely = false;
  Clock pending;                          // seen through strong loads, known after the next fence
  uint32_t open_group = 1;                // of cp.async
  std::vector<uint32_t> waited{0};        // by group: the clock at which it was waited for; 0: not yet
};

/// What the checks keep of a block.
struct CtaChecks {
  std::vector<ShadowWord> words;          // of shared memory
  std::vector<uint8_t> written;           // by byte of shared memory
  std::array<Clock, 16> barriers;         // gathered from those who have arrived
};

class Checker {
 public:
  explicit Checker(Grid& grid) : grid_(grid) {}

  void start_block(Cta& cta);
  /// Lanes of `mask` whose access may go on; reports what is wrong with the others, and races and unwritten bytes.
  uint32_t access(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask);
  /// A write by the machine (bulk copies, matrix stores): the bytes count as written, and no race is looked for.
  void note_write(Warp& w, const uint8_t* bytes, uint64_t size_bytes);
  void mbarrier_arrive(Warp& w, const void* mbarrier);
  void mbarrier_pass(Warp& w, const void* mbarrier, uint32_t lanes);

  void fence(Warp& w, bool wide);
  void arrive(Warp& w, uint32_t barrier);
  void pass(Warp& w, uint32_t barrier, uint32_t lanes);
  void meet(Warp& w, uint32_t lanes);                     // bar.warp.sync
  void cluster_arrive(Warp& w);
  void cluster_pass(Warp& w, uint32_t lanes);
  void commit_group(Warp& w);
  void wait_groups(Warp& w, uint32_t pending);            // all but so many of the closed groups
  void async_copy(Warp& w, const Op& op, const uint32_t* to);  // the shared side of cp.async

  void report(std::string_view id, Warp& w, const Op& op, uint32_t lane, std::string message, Address address,
              uint32_t size_bytes, const AccessRecord* other = nullptr);

  std::vector<Report> reports;
  uint64_t dropped = 0;

 private:
  enum class Place : uint8_t { kGlobal, kShared };
  bool in_bounds(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at, Place place);
  void check_written(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at, Place place);
  void check_race(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at, Place place,
                  const Address* all, uint32_t done);
  void race_in_word(Warp& w, const Op& op, AccessRecord mine, bool writes, bool same_value, ShadowWord& word,
                    Address at, uint32_t size);
  bool ordered(const Warp& w, uint32_t lane, const AccessRecord& before) const;
  bool silent(Warp& w, const Op& op, uint32_t lane, Address at, Place place) const;
  void synchronise(Warp& w, const AccessInfo& info, Address at);
  void publish(Warp& w, Clock& into) const;
  void learn(Warp& w, const Clock& clock, bool wide);
  ShadowWord& word_at(Warp& w, Address at, Place place);
  uint8_t* written_at(Warp& w, Address at, Place place);

  Grid& grid_;
  std::map<std::tuple<std::string_view, uint32_t, uint32_t, uint64_t>, size_t>
      seen_;  // id, row, other row, block when it matters
  std::unordered_map<Address, std::unique_ptr<std::array<ShadowWord, 1024>>> pages_;  // of global memory, 4 KB each
  std::map<std::pair<Address, uint64_t>, Clock> objects_;  // strong accesses: (address, block + 1 for cta scope)
  std::map<uint64_t, Clock> clusters_;
  std::map<const void*, Clock> mbarriers_;
};

/// Shows an access to the observer and the checks, when there are any; gives the lanes that may go on.
uint32_t examine(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask);

/// Checker::note_write.
void note_bytes(Warp& w, const uint8_t* bytes, uint64_t size_bytes);
/// Arrival at an mbarrier publishes what the warp did; with `copies`, its cp.async too. Passing it makes that known.
void mbarrier_arrive(Warp& w, const void* mbarrier, bool copies);
void mbarrier_pass(Warp& w, const void* mbarrier, uint32_t lanes);

/// Runs Op::body for the lanes whose access is sound.
void run_checked(Warp& w, const Op& op);
/// membar, fence: mode 1 for gpu scope and wider.
void run_fence(Warp& w, const Op& op);
/// cp.async.commit_group, cp.async.wait_group (value = groups that may be pending; -1: wait_all).
void run_commit_group(Warp& w, const Op& op);
void run_wait_group(Warp& w, const Op& op);

/// bar.sync reached by some lanes of a warp while others are elsewhere.
void check_convergence(Warp& w, const Op& op);
/// A *.sync instruction run for `lanes` that names `members`: lanes not named, or named and gone elsewhere.
void check_members(Warp& w, const Op& op, uint32_t lanes, uint32_t members, uint32_t missing);

}  // namespace warplens::emulator
