#include "warplens/collect/log/thread_log.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace warplens::collect {

struct ThreadLog::Header {
  uint16_t bytes;  // with this header, a multiple of 8
  uint16_t text_bytes;
  uint8_t event;
  uint8_t reserved;
  uint16_t domain;
  uint64_t ticks;
  uint64_t id;
};

namespace {

bool opens(HostEvent event) {
  return event == HostEvent::kPush || event == HostEvent::kOperator || event == HostEvent::kKnownOperator;
}

}  // namespace

ThreadLog::ThreadLog()
    : bytes_(static_cast<uint8_t*>(::mmap(nullptr, kThreadLogBytes, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0))) {
  if (bytes_ == MAP_FAILED) bytes_ = nullptr;
}

ThreadLog::~ThreadLog() {
  if (bytes_ != nullptr) ::munmap(bytes_, kThreadLogBytes);
}

size_t ThreadLog::free_bytes(size_t wanted) {
  const uint64_t head = head_.load(std::memory_order_relaxed);
  if (kThreadLogBytes - (head - tail_seen_) < wanted) tail_seen_ = tail_.load(std::memory_order_acquire);
  return kThreadLogBytes - (head - tail_seen_);
}

/// Everything inside a dropped range is dropped with it, so that what is kept stays nested.
bool ThreadLog::drop(const HostRecord& record) {
  if (record.event == HostEvent::kPop) {
    if (dropped_open_ == 0) return false;
    --dropped_open_;
    return true;
  }
  const size_t wanted = 2 * sizeof(Header) + record.text.size() + 8 + (open_ + 1) * sizeof(Header);
  if (bytes_ != nullptr && dropped_open_ == 0 && free_bytes(2 * wanted) >= 2 * wanted) return false;
  dropped_open_ += opens(record.event);
  lost_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool ThreadLog::write(const HostRecord& given) {
  HostRecord record = given;
  record.text = record.text.substr(0, kMaxRangeText);
  if (drop(record) || bytes_ == nullptr) return false;
  if (opens(record.event)) ++open_;
  if (record.event == HostEvent::kPop && open_ > 0) --open_;
  const size_t size = (sizeof(Header) + record.text.size() + 7) & ~size_t{7};
  if (free_bytes(2 * size) < 2 * size) {  // a pop without a push of ours: there was no room kept for it
    lost_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  uint64_t head = head_.load(std::memory_order_relaxed);
  const size_t at = head % kThreadLogBytes, to_end = kThreadLogBytes - at;
  if (to_end < size) {  // does not fit before the end: skip to the beginning
    std::memset(bytes_ + at, 0, std::min(to_end, sizeof(Header)));
    head += to_end;
  }
  uint8_t* to = bytes_ + head % kThreadLogBytes;
  const Header header = {static_cast<uint16_t>(size),
                         static_cast<uint16_t>(record.text.size()),
                         static_cast<uint8_t>(record.event),
                         0,
                         static_cast<uint16_t>(record.domain),
                         record.ticks,
                         record.id};
  std::memcpy(to, &header, sizeof header);
  if (!record.text.empty()) std::memcpy(to + sizeof header, record.text.data(), record.text.size());
  head_.store(head + size, std::memory_order_release);
  return true;
}

bool ThreadLog::write_known_operator(uint64_t key, uint64_t ticks, uint64_t id) {
  const uint32_t number = number_of(key);
  if (keys_ == nullptr || keys_[number] != key) return false;
  write({HostEvent::kKnownOperator, number, ticks, id, {}});
  return true;
}

void ThreadLog::write_operator(uint64_t key, uint64_t ticks, uint64_t id, std::string_view text, size_t name_bytes) {
  if (keys_ == nullptr) keys_ = std::make_unique<uint64_t[]>(kOperatorTexts);
  const uint32_t number = number_of(key);
  if (key != 0 && write({HostEvent::kOperatorText, number, ticks, name_bytes, text})) {
    keys_[number] = key;
    write_known_operator(key, ticks, id);
  } else {
    write({HostEvent::kOperator, static_cast<uint32_t>(name_bytes), ticks, id, text});
  }
}

bool ThreadLog::read(HostRecord& record) {
  uint64_t tail = tail_.load(std::memory_order_relaxed);
  const uint64_t head = head_.load(std::memory_order_acquire);
  tail += last_read_bytes_;
  last_read_bytes_ = 0;
  tail_.store(tail, std::memory_order_release);
  if (tail == head) return false;
  uint16_t bytes = 0;
  std::memcpy(&bytes, bytes_ + tail % kThreadLogBytes, sizeof bytes);
  if (bytes == 0) tail += kThreadLogBytes - tail % kThreadLogBytes;
  Header header;
  const uint8_t* from = bytes_ + tail % kThreadLogBytes;
  std::memcpy(&header, from, sizeof header);
  record = {static_cast<HostEvent>(header.event),
            header.domain,
            header.ticks,
            header.id,
            {reinterpret_cast<const char*>(from) + sizeof header, header.text_bytes}};
  tail_.store(tail, std::memory_order_release);
  last_read_bytes_ = header.bytes;
  return true;
}

void ThreadLog::reopen(uint32_t thread, uint32_t cupti_thread) {
  thread_ = thread;
  cupti_thread_ = cupti_thread;
  open_ = dropped_open_ = 0;
  keys_.reset();
  closed_.store(false, std::memory_order_release);
}

}  // namespace warplens::collect
