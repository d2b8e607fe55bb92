#include "warplens/simt/memory/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "warplens/base/text.h"

namespace warplens::simt {
namespace {

constexpr uint64_t kAlignment = 512, kRedZone = 512;
constexpr uint64_t kArenaBytes = uint64_t{144} << 30;  // what the largest GPUs have; a process has room for 900 such
constexpr uint64_t kLeastArenaBytes = uint64_t{16} << 20;  // where a limit on addresses (ulimit -v) leaves no more
constexpr Address kArenaHint = 0x200000000000;             // below where Linux maps libraries, above any heap
constexpr size_t kQuarantine = 16;   // freed ranges of a size that are not given out again, so that a use shows
constexpr size_t kFreedKept = 4096;  // freed ranges remembered for messages
constexpr uint64_t kGivenBackBytes = uint64_t{1} << 20;  // freed ranges from here on do not keep their pages
constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kLargeBytes = uint64_t{1} << 20, kLargeAlignment = uint64_t{2} << 20;

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }
/// Where an allocation may begin. A GPU maps what is large by itself, 2 MiB at a time.
uint64_t alignment_of(uint64_t size_bytes) { return size_bytes >= kLargeBytes ? kLargeAlignment : kAlignment; }
/// What an allocation takes of the arena, with the red zone behind it.
uint64_t span_of(uint64_t size_bytes) {
  return round_up(std::max<uint64_t>(size_bytes, 1) + kRedZone, alignment_of(size_bytes));
}

/// The whole pages of a range that is large enough to be given back to the system when it is freed; else none, at its
/// end.
Range pages_of(Address begin, uint64_t size_bytes) {
  if (size_bytes < kGivenBackBytes) return {begin + size_bytes, begin + size_bytes};
  return {round_up(begin, kPageBytes), (begin + size_bytes) / kPageBytes * kPageBytes};
}

void clear(Address begin, Address end) { std::memset(reinterpret_cast<void*>(begin), 0, end - begin); }

void give_back(Range pages) {
  if (pages.end > pages.begin) madvise(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, MADV_DONTNEED);
}

}  // namespace

Memory::Memory() {
  for (uint64_t bytes = kArenaBytes; bytes >= kLeastArenaBytes; bytes /= 2) {
    void* at = mmap(reinterpret_cast<void*>(kArenaHint), bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) continue;
    (void)madvise(at, bytes, MADV_HUGEPAGE);  // a fault for 2 MiB costs little more than one for 4 KiB
    arena_ = reinterpret_cast<Address>(at);
    arena_end_ = arena_ + bytes;
    next_ = round_up(arena_, kAlignment) + kRedZone;
    return;
  }
}

Memory::~Memory() {
  if (arena_) munmap(reinterpret_cast<void*>(arena_), arena_end_ - arena_);
}

Result<Address> Memory::allocate(uint64_t size_bytes, std::string name) {
  const std::lock_guard lock(mutex_);
  return allocate_locked(size_bytes, std::move(name));
}

Result<Address> Memory::allocate_in_kernel(uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  WL_ASSIGN(const Address begin, allocate_locked(size_bytes, "device malloc"));
  live_[begin].by_kernel = true;
  return begin;
}

Result<Address> Memory::allocate_locked(uint64_t size_bytes, std::string name) {
  const uint64_t span = span_of(size_bytes);
  Address begin = 0;
  if (auto& again = reusable_[span]; again.size() > kQuarantine) {
    begin = again.front();
    again.pop_front();
    freed_.erase(begin);
    const Range pages = pages_of(begin, size_bytes);  // which are zero since they were given back
    clear(begin, pages.begin);
    clear(pages.end, begin + size_bytes);
  } else if (const Address at = round_up(next_, alignment_of(size_bytes));
             span >= size_bytes && at < arena_end_ && span <= arena_end_ - at) {
    if (at > next_) joined_[next_] = at - next_;
    begin = at;
    next_ = at + span;
  } else if (begin = span < size_bytes ? 0 : take_joined(span); begin == 0) {
    return io_error(fmt::format("cannot allocate {} bytes of device memory: {} are left; is there a limit (ulimit -v)?",
                                size_bytes, arena_end_ - next_));
  }
  live_[begin] = {begin, begin + size_bytes, next_id_++, std::move(name)};
  ++version_;
  return begin;
}

/// Zeros out of freed ranges that lie beside each other, when the arena has no more; 0: there is no such.
Address Memory::take_joined(uint64_t span) {
  const uint64_t alignment = span % kLargeAlignment == 0 ? kLargeAlignment : kAlignment;
  std::map<Address, uint64_t> free = std::move(joined_);
  joined_.clear();
  for (const auto& [bytes, ranges] : reusable_)
    for (const Address begin : ranges) free[begin] = bytes;
  reusable_.clear();
  for (const auto& [begin, bytes] : free) {
    const auto before = joined_.empty() ? joined_.end() : std::prev(joined_.end());
    if (before != joined_.end() && before->first + before->second == begin) before->second += bytes;
    else joined_[begin] = bytes;
  }
  const auto fits = std::ranges::find_if(joined_, [&](const auto& range) {
    const uint64_t left_out = round_up(range.first, alignment) - range.first;
    return range.second >= left_out && range.second - left_out >= span;
  });
  if (fits == joined_.end()) return 0;
  const auto [whole, bytes] = *fits;
  const Address begin = round_up(whole, alignment);
  joined_.erase(fits);
  if (begin > whole) joined_[whole] = begin - whole;
  if (whole + bytes > begin + span) joined_[begin + span] = whole + bytes - begin - span;
  freed_.erase(freed_.lower_bound(begin), freed_.lower_bound(begin + span));
  const Range pages = pages_of(begin, span);
  clear(begin, pages.begin);
  give_back(pages);
  clear(pages.end, begin + span);
  return begin;
}

Status Memory::free(Address address) {
  const std::lock_guard lock(mutex_);
  return free_locked(address);
}

Status Memory::free_in_kernel(Address address) {
  const std::lock_guard lock(mutex_);
  if (const auto found = live_.find(address); found != live_.end() && !found->second.by_kernel)
    return invalid_input(
        fmt::format("free of {:#x}, the start of '{}': a kernel can free only memory from malloc in a kernel", address,
                    found->second.name.empty() ? "host memory" : found->second.name));
  if (freed_.contains(address)) return invalid_input(fmt::format("free of {:#x}, which was freed before", address));
  return free_locked(address);
}

Status Memory::free_locked(Address address) {
  const auto found = live_.find(address);
  if (found == live_.end())
    return invalid_input(fmt::format("free of {:#x}, which is not the start of a live allocation", address));
  Allocation freed = found->second;
  live_.erase(found);
  shadows_.erase(address);
  ++version_;
  if (freed.begin >= arena_ && freed.begin < arena_end_) {
    const uint64_t size_bytes = freed.end - freed.begin;
    reusable_[span_of(size_bytes)].push_back(freed.begin);
    give_back(pages_of(freed.begin, size_bytes));
  }
  freed.freed = true;
  if (freed_.size() >= kFreedKept) freed_.erase(freed_.begin());
  freed_[freed.begin] = std::move(freed);
  return {};
}

void Memory::adopt(void* begin, uint64_t size_bytes, std::string name, bool writable) {
  const std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<Address>(begin);
  live_[address] = {address, address + size_bytes, next_id_++, std::move(name), false, writable};
  freed_.erase(address);
  ++version_;
}

void Memory::release(void* begin) {
  const std::lock_guard lock(mutex_);
  live_.erase(reinterpret_cast<Address>(begin));
  ++version_;
}

void Memory::mark_uninitialised(Address address) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end()) return;
  found->second.initialised = false;
  shadows_[address].assign(found->second.end - found->second.begin, 0);
}

uint8_t* Memory::shadow(Address address) const {
  const std::lock_guard lock(mutex_);
  auto after = shadows_.upper_bound(address);
  if (after == shadows_.begin()) return nullptr;
  const auto& [begin, bytes] = *std::prev(after);
  return address < begin + bytes.size() ? const_cast<uint8_t*>(bytes.data()) + (address - begin) : nullptr;
}

bool Memory::range(Address address, Range& out) const {
  const std::lock_guard lock(mutex_);
  const auto after = live_.upper_bound(address);
  if (after != live_.begin()) {
    const Allocation& candidate = std::prev(after)->second;
    if (address < candidate.end) return out = {candidate.begin, candidate.end, candidate.writable}, true;
  }
  return everything_ && address < kSharedWindow && map_range(address, out);
}

/// Mappings next to each other with the same rights count as one.
bool Memory::map_range(Address address, Range& out) const {
  std::ifstream maps("/proc/self/maps");
  Range joined;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    char rights[5] = "";
    if (std::sscanf(line.c_str(), "%llx-%llx %4s", &begin, &end, rights) != 3) continue;
    const bool readable = rights[0] == 'r', writable = rights[1] == 'w';
    if (readable && joined.end == begin && writable == joined.writable) {
      joined.end = end;
      continue;
    }
    if (address >= joined.begin && address < joined.end) break;
    joined = readable ? Range{begin, end, writable} : Range{};
  }
  if (address < joined.begin || address >= joined.end) return false;
  out = joined;
  return true;
}

std::optional<Allocation> Memory::nearest(Address address) const {
  const std::lock_guard lock(mutex_);
  const Allocation* best = nullptr;
  uint64_t best_distance = ~uint64_t{0};
  const auto consider = [&](const std::map<Address, Allocation>& ranges) {
    auto at = ranges.upper_bound(address);
    if (at != ranges.begin()) --at;
    for (int i = 0; i < 2 && at != ranges.end(); ++i, ++at) {
      const Allocation& a = at->second;
      const uint64_t distance = address < a.begin ? a.begin - address : address >= a.end ? address - a.end + 1 : 0;
      if (distance < best_distance) {
        best = &a;
        best_distance = distance;
      }
    }
  };
  consider(freed_);
  consider(live_);
  return best ? std::optional(*best) : std::nullopt;
}

bool Memory::in_padding(Address address, uint64_t size_bytes) const {
  const std::lock_guard lock(mutex_);
  const auto after = live_.upper_bound(address);
  if (after == live_.begin() || address < arena_ || address >= arena_end_) return false;
  const Allocation& before = std::prev(after)->second;
  const Address page_end = round_up(before.end, kLargeAlignment);  // what a GPU has mapped for it
  const uint64_t end = std::min(before.begin + span_of(before.end - before.begin), page_end);
  return address < end && size_bytes <= end - address;
}

std::vector<Allocation> Memory::live() const {
  const std::lock_guard lock(mutex_);
  std::vector<Allocation> all;
  for (const auto& [begin, allocation] : live_) all.push_back(allocation);
  return all;
}

}  // namespace warplens::simt
