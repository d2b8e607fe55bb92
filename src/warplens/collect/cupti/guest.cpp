#include "warplens/collect/cupti/guest.h"

#include <algorithm>
#include <cstring>

#include "warplens/collect/cupti/imports.h"
#include "warplens/collect/process/clock.h"

namespace warplens::cupti {
namespace {

Guest* guest = nullptr;  // the one of this process; functions that stand for CUPTI's have no other way to it

extern "C" {
Result guest_subscribe(void** subscriber, Callback callback, void* user) {
  return guest->subscribe(subscriber, callback, user);
}
Result guest_unsubscribe(void* subscriber) { return guest->unsubscribe(subscriber); }
Result guest_enable_callback(uint32_t on, void* subscriber, uint32_t domain, uint32_t id) {
  return guest->enable_callback(on, subscriber, domain, id);
}
Result guest_enable_domain(uint32_t on, void* subscriber, uint32_t domain) {
  return guest->enable_domain(on, subscriber, domain);
}
Result guest_register_buffers(RequestBuffer request, CompleteBuffer complete) {
  return guest->register_buffers(request, complete);
}
Result guest_register_clock(uint64_t (*clock)()) { return guest->register_clock(clock); }
Result guest_enable_kind(uint32_t kind) { return guest->enable_kind(kind, true); }
Result guest_disable_kind(uint32_t kind) { return guest->enable_kind(kind, false); }
Result guest_flush(uint32_t flag) { return guest->flush(flag); }
Result guest_leave() { return guest->leave(); }
}

template <typename Function>
void* address(Function function) {
  return reinterpret_cast<void*>(function);
}

const std::array<Import, 10>& imports() {
  static const std::array<Import, 10> list = {
      {{"cuptiSubscribe", address(guest_subscribe)},
       {"cuptiUnsubscribe", address(guest_unsubscribe)},
       {"cuptiEnableCallback", address(guest_enable_callback)},
       {"cuptiEnableDomain", address(guest_enable_domain)},
       {"cuptiActivityRegisterCallbacks", address(guest_register_buffers)},
       {"cuptiActivityRegisterTimestampCallback", address(guest_register_clock)},
       {"cuptiActivityEnable", address(guest_enable_kind)},
       {"cuptiActivityDisable", address(guest_disable_kind)},
       {"cuptiActivityFlushAll", address(guest_flush)},
       {"cuptiFinalize", address(guest_leave)}}};
  return list;
}

/// Where a kind of record keeps times, in bytes; 0: none there.
struct Times {
  uint32_t kind;
  size_t at[3];
};
constexpr uint32_t kOverhead = 17;
constexpr Times kTimes[] = {
    {kKernel, {offsetof(KernelRecord, start), offsetof(KernelRecord, end), offsetof(KernelRecord, completed)}},
    {kConcurrentKernel,
     {offsetof(KernelRecord, start), offsetof(KernelRecord, end), offsetof(KernelRecord, completed)}},
    {kMemcpy, {offsetof(CopyRecord, start), offsetof(CopyRecord, end), 0}},
    {kMemcpyPeer, {offsetof(PeerCopyRecord, start), offsetof(PeerCopyRecord, end), 0}},
    {kMemset, {offsetof(SetRecord, start), offsetof(SetRecord, end), 0}},
    {kRuntime, {offsetof(CallRecord, start), offsetof(CallRecord, end), 0}},
    {kDriver, {offsetof(CallRecord, start), offsetof(CallRecord, end), 0}},
    {kSynchronization, {offsetof(SyncRecord, start), offsetof(SyncRecord, end), 0}},
    {kMemory2, {offsetof(MemoryRecord, timestamp), 0, 0}},
    {kOverhead, {24, 32, 0}},  // CUpti_ActivityOverhead3
};

}  // namespace

void Guest::admit(const Library& cupti, void* subscriber, const Own& own, void (*at_work)(bool begins)) {
  cupti_ = &cupti;
  subscriber_ = subscriber;
  own_ = &own;
  at_work_ = at_work;
  guest = this;
  look_for_libraries();
}

void Guest::look_for_libraries() {
  const unsigned long long loaded = libraries_loaded();
  if (cupti_ == nullptr || loaded == libraries_) return;
  libraries_ = loaded;
  redirect(imports());
}

void Guest::call_back(uint32_t domain, uint32_t id, const void* data) const {
  if (domain >= kDomains || !callbacks_[domain].on(id)) return;
  if (const Callback callback = callback_.load(std::memory_order_acquire))
    callback(user_.load(std::memory_order_relaxed), domain, id, data);
}

Result Guest::subscribe(void** subscriber, Callback callback, void* user) {
  const std::lock_guard lock(mutex_);
  if (subscriber == nullptr || callback_.load() != nullptr) return kErrorMultipleSubscribers;
  user_ = user;
  callback_.store(callback, std::memory_order_release);
  *subscriber = this;
  return kSuccess;
}

Result Guest::unsubscribe(void* subscriber) {
  if (!is_guest(subscriber)) return kSuccess;
  callback_ = nullptr;
  for (uint32_t domain = 0; domain < kDomains; ++domain) enable_domain(0, subscriber, domain);
  return kSuccess;
}

Result Guest::enable_callback(uint32_t on, void*, uint32_t domain, uint32_t id) {
  if (domain >= kDomains || id >= kMostIds) return kSuccess;
  callbacks_[domain].set(id, on != 0);
  if (on == 0 && own_->callbacks[domain].on(id)) return kSuccess;
  return cupti_->cuptiEnableCallback(on, subscriber_, domain, id);
}

Result Guest::enable_domain(uint32_t on, void* subscriber, uint32_t domain) {
  if (domain >= kDomains) return kSuccess;
  for (uint32_t id = 1; id < kMostIds; ++id) {
    const char* name = nullptr;
    if (on != 0 && (cupti_->cuptiGetCallbackName(domain, id, &name) != kSuccess || name == nullptr)) break;
    if (on != 0 || callbacks_[domain].on(id)) enable_callback(on, subscriber, domain, id);
  }
  return kSuccess;
}

Result Guest::register_buffers(RequestBuffer request, CompleteBuffer complete) {
  const std::lock_guard lock(mutex_);
  request_ = request;
  complete_ = complete;
  return kSuccess;
}

Result Guest::register_clock(uint64_t (*clock)()) {
  const std::lock_guard lock(mutex_);
  if (clock == clock_) return kSuccess;
  clock_ = clock;
  if (clock != nullptr) clock_began_ = moment();
  return kSuccess;
}

Result Guest::enable_kind(uint32_t kind, bool on) {
  if (kind < kMostKinds && kinds_.on(kind) != on) {
    const std::lock_guard lock(mutex_);
    kinds_.set(kind, on);
    if (on && kinds_on_++ == 0) {
      for (uint32_t i = 0; i < kMostKinds; ++i) wanted_.set(i, false);
      begin_ns_ = collect::now_ns();
      end_ns_ = UINT64_MAX;
      open_buffer();
      at_work_(true);
    } else if (!on && --kinds_on_ == 0) {
      end_ns_ = collect::now_ns();
      at_work_(false);
    }
    if (on) wanted_.set(kind, true);
  }
  if (!on && own_->kinds.on(kind)) return kSuccess;
  return on ? cupti_->cuptiActivityEnable(kind) : cupti_->cuptiActivityDisable(kind);
}

/// What has come so far is handed over, as CUPTI would.
Result Guest::flush(uint32_t flag) {
  const Result result = cupti_->cuptiActivityFlushAll(flag);
  const std::lock_guard lock(mutex_);
  complete_buffer();
  if (kinds_on_ > 0) open_buffer();
  return result;
}

/// cuptiFinalize() would end the recording, too.
Result Guest::leave() {
  flush(0);
  for (uint32_t kind = 0; kind < kMostKinds; ++kind) {
    if (kinds_.on(kind)) enable_kind(kind, false);
  }
  return unsubscribe(this);
}

void Guest::open_buffer() {
  size_t most = 0;
  if (buffer_ == nullptr && request_ != nullptr) request_(&buffer_, &room_, &most);
  used_ = 0;
}

void Guest::complete_buffer() {
  if (buffer_ != nullptr && complete_ != nullptr) complete_(nullptr, 0, buffer_, room_, used_);
  buffer_ = nullptr;
}

/// Its clock and ours at one moment: of a few readings the one that took least.
Guest::Moment Guest::moment() const {
  constexpr int kReadings = 5;
  Moment best;
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    const uint64_t before = clock_(), ours_ns = collect::now_ns(), after = clock_();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + (after - before) / 2, ours_ns};
  }
  return best;
}

uint64_t Guest::theirs(uint64_t time_ns, const Moment& now) const {
  if (now.ours_ns <= clock_began_.ours_ns) return now.theirs;
  const double rate =
      static_cast<double>(now.theirs - clock_began_.theirs) / static_cast<double>(now.ours_ns - clock_began_.ours_ns);
  const auto since_ns = static_cast<double>(static_cast<int64_t>(time_ns - now.ours_ns));
  return now.theirs + static_cast<uint64_t>(static_cast<int64_t>(since_ns * rate));
}

void Guest::translate(uint8_t* record, uint32_t kind, const Moment& now) const {
  for (const Times& times : kTimes) {
    if (times.kind != kind) continue;
    for (const size_t at : times.at) {
      uint64_t time_ns = 0;
      if (at == 0) continue;
      std::memcpy(&time_ns, record + at, sizeof time_ns);
      if (time_ns == 0) continue;  // not known
      const uint64_t time = theirs(time_ns, now);
      std::memcpy(record + at, &time, sizeof time);
    }
  }
}

/// Kinds that the recorder has on go on when the guest has ended: those records are told by their time.
bool Guest::wants(const uint8_t* record, uint32_t kind) const {
  if (!wanted_.on(kind)) return false;
  const auto* times = std::ranges::find(kTimes, kind, &Times::kind);
  if (times == std::end(kTimes) || !own_->kinds.on(kind)) return true;
  uint64_t start_ns = 0;
  std::memcpy(&start_ns, record + times->at[0], sizeof start_ns);
  return start_ns >= begin_ns_ && start_ns <= end_ns_;
}

void Guest::hand_on(uint8_t* buffer, size_t valid_bytes) {
  const std::lock_guard lock(mutex_);
  if (begin_ns_ == UINT64_MAX) return;  // there never was a guest
  const Moment now = clock_ != nullptr ? moment() : Moment{};
  void* record = nullptr;
  bool more = cupti_->cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == kSuccess;
  while (more) {
    auto* const from = static_cast<uint8_t*>(record);
    more = cupti_->cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == kSuccess;
    const auto bytes = static_cast<size_t>((more ? static_cast<uint8_t*>(record) : buffer + valid_bytes) - from);
    uint32_t kind = 0;
    std::memcpy(&kind, from, sizeof kind);
    if (!wants(from, kind)) continue;
    if (buffer_ != nullptr && used_ + bytes > room_) complete_buffer();
    if (buffer_ == nullptr) open_buffer();
    if (buffer_ == nullptr || bytes > room_) return;
    std::memcpy(buffer_ + used_, from, bytes);
    if (clock_ != nullptr) translate(buffer_ + used_, kind, now);
    used_ += bytes;
  }
}

}  // namespace warplens::cupti
