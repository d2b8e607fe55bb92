#include "warplens/libraries/cupti/session.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "warplens/collect/cupti/abi.h"
#include "warplens/collect/process/clock.h"

namespace warplens::libraries {
namespace {

using cuda_api::ActivityEvent, cuda_api::Place;
using Kind = ActivityEvent::Kind;

constexpr uint32_t kExternalCorrelation = 39, kContext = 1;

struct __attribute__((packed, aligned(8))) ExternalRecord {
  uint32_t kind, external_kind;
  uint64_t external_id;
  uint32_t correlation, reserved;
};

struct Callback {
  uint32_t domain, number;
  const char* name;
};
constexpr Callback kCallbacks[] = {
#define CALLBACK(domain, number, name) {domain, number, #name},
#include "warplens/libraries/cupti/callbacks.def"
#undef CALLBACK
};

const Callback* callback_of(const char* name) {
  const auto* found =
      std::ranges::find_if(kCallbacks, [&](const Callback& c) { return std::strcmp(c.name, name) == 0; });
  return found != std::end(kCallbacks) ? found : nullptr;
}

/// The kind of activity that an event becomes; 0 where there is none.
uint32_t kind_of(const ActivityEvent& event) {
  switch (event.kind) {
    case Kind::kCallBegin: return kExternalCorrelation;
    case Kind::kCallEnd: {
      const Callback* const callback = callback_of(event.call);
      if (callback == nullptr) return 0;
      return callback->domain == cupti::kDriverApi ? cupti::kDriver : cupti::kRuntime;
    }
    case Kind::kKernel: return cupti::kConcurrentKernel;
    case Kind::kCopy: return cupti::kMemcpy;
    case Kind::kFill: return cupti::kMemset;
  }
  return 0;
}

void hear(const ActivityEvent& event) {
  CuptiSession& session = CuptiSession::get();
  if (!session.enabled[kind_of(event)]) return;
  HeardEvent heard{event, static_cast<uint32_t>(::pthread_self()), {}};
  if (event.kind == Kind::kCallBegin) {
    for (const auto& [kind, ids] : external_ids())
      if (!ids.empty()) heard.external.push_back({kind, ids.back()});
  }
  const std::lock_guard lock(session.mutex);
  session.heard.push_back(std::move(heard));
  if (session.buffer == nullptr) session.ask_for_buffer();
}

/// Kernels' names outlive the buffers.
const char* kept(const std::string& name) {
  static auto* names = new std::set<std::string>;
  return names->insert(name).first->c_str();
}

uint8_t copy_kind(Place from, Place to) {
  constexpr uint8_t kToDevice = 1, kToHost = 2, kWithinDevice = 8, kWithinHost = 10;
  const auto on_device = [](Place p) { return p == Place::kDevice || p == Place::kManaged; };
  return on_device(from) ? (on_device(to) ? kWithinDevice : kToHost) : on_device(to) ? kToDevice : kWithinHost;
}

/// Writes records into buffers of the program's.
class Writer {
 public:
  explicit Writer(CuptiSession& session) : session_(session) {
    if (session.timestamp == nullptr) return;
    const auto ns = static_cast<double>(collect::now_ns() - session.first_ns);
    ticks_per_ns_ = static_cast<double>(session.timestamp() - session.first_timestamp) / std::max(ns, 1.0);
  }
  ~Writer() { hand_over(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write(const HeardEvent& heard) {
    const ActivityEvent& e = heard.event;
    switch (e.kind) {
      case Kind::kCallBegin:
        for (const ExternalId& id : heard.external)
          put<ExternalRecord>({kExternalCorrelation, id.kind, id.id, e.correlation, 0});
        return;
      case Kind::kCallEnd: return write_call(heard);
      case Kind::kKernel: return write_kernel(e);
      case Kind::kCopy: return write_copy(e);
      case Kind::kFill: return write_fill(e);
    }
  }

 private:
  uint64_t at(uint64_t ns) const {
    if (session_.timestamp == nullptr) return ns;
    const double ticks = static_cast<double>(static_cast<int64_t>(ns - session_.first_ns)) * ticks_per_ns_;
    return session_.first_timestamp + static_cast<uint64_t>(static_cast<int64_t>(ticks));
  }

  void write_call(const HeardEvent& heard) {
    const ActivityEvent& e = heard.event;
    const Callback* const callback = callback_of(e.call);
    if (callback == nullptr) return;
    put<cupti::CallRecord>({.kind = callback->domain == cupti::kDriverApi ? cupti::kDriver : cupti::kRuntime,
                            .callback = callback->number,
                            .start = at(e.begin_ns),
                            .end = at(e.end_ns),
                            .process = static_cast<uint32_t>(::getpid()),
                            .thread = heard.thread,
                            .correlation = e.correlation});
  }

  void write_kernel(const ActivityEvent& e) {
    cupti::KernelRecord record{.kind = cupti::kConcurrentKernel,
                               .registers_per_thread = static_cast<uint16_t>(e.kernel.registers),
                               .start = at(e.begin_ns),
                               .end = at(e.end_ns),
                               .device = e.device,
                               .context = kContext,
                               .stream = e.stream,
                               .dynamic_shared = static_cast<int32_t>(e.kernel.shared_bytes),
                               .correlation = e.correlation,
                               .name = kept(e.kernel.name)};
    for (size_t i = 0; i < e.kernel.grid.size(); ++i) {
      record.grid[i] = static_cast<int32_t>(e.kernel.grid[i]);
      record.block[i] = static_cast<int32_t>(e.kernel.block[i]);
    }
    put(record);
  }

  void write_copy(const ActivityEvent& e) {
    put<cupti::CopyRecord>({.kind = cupti::kMemcpy,
                            .copy_kind = copy_kind(e.from, e.to),
                            .source = static_cast<uint8_t>(e.from),
                            .destination = static_cast<uint8_t>(e.to),
                            .bytes = e.bytes,
                            .start = at(e.begin_ns),
                            .end = at(e.end_ns),
                            .device = e.device,
                            .context = kContext,
                            .stream = e.stream,
                            .correlation = e.correlation});
  }

  void write_fill(const ActivityEvent& e) {
    put<cupti::SetRecord>({.kind = cupti::kMemset,
                           .bytes = e.bytes,
                           .start = at(e.begin_ns),
                           .end = at(e.end_ns),
                           .device = e.device,
                           .context = kContext,
                           .stream = e.stream,
                           .correlation = e.correlation,
                           .memory = static_cast<uint16_t>(e.to)});
  }

  template <typename Record>
  void put(const Record& record) {
    static_assert(sizeof(Record) <= kRecordBytes);
    if (session_.buffer == nullptr || used_ + kRecordBytes > session_.buffer_bytes) {
      hand_over();
      session_.ask_for_buffer();
      if (session_.buffer == nullptr || session_.buffer_bytes < kRecordBytes) return;
    }
    std::memset(session_.buffer + used_, 0, kRecordBytes);
    std::memcpy(session_.buffer + used_, &record, sizeof(Record));
    used_ += kRecordBytes;
  }

  void hand_over() {
    if (session_.buffer != nullptr) session_.complete(nullptr, 0, session_.buffer, session_.buffer_bytes, used_);
    session_.buffer = nullptr;
    used_ = 0;
  }

  CuptiSession& session_;
  double ticks_per_ns_ = 1;
  size_t used_ = 0;
};

}  // namespace

CuptiSession& CuptiSession::get() {
  static auto* session = new CuptiSession;  // kept to the very end: programs call from their own destructors
  return *session;
}

void CuptiSession::ask_for_buffer() {
  size_t most_records = 0;
  if (request != nullptr) request(&buffer, &buffer_bytes, &most_records);
}

void CuptiSession::set_timestamp(uint64_t (*clock)()) {
  timestamp = clock;
  first_ns = collect::now_ns();
  first_timestamp = clock != nullptr ? clock() : 0;
}

void CuptiSession::listen() {
  const bool wants = std::ranges::find(enabled, true) != enabled.end();
  __cudaWarplensListen(wants ? hear : nullptr);
}

void CuptiSession::flush() {
  std::vector<HeardEvent> taken;
  {
    const std::lock_guard lock(mutex);
    taken.swap(heard);
  }
  if (request == nullptr || complete == nullptr) return;
  Writer writer(*this);
  for (const HeardEvent& one : taken) writer.write(one);
}

std::map<uint32_t, std::vector<uint64_t>>& external_ids() {
  thread_local std::map<uint32_t, std::vector<uint64_t>> ids;
  return ids;
}

const char* callback_name(uint32_t domain, uint32_t number) {
  for (const Callback& c : kCallbacks)
    if (c.domain == domain && c.number == number) return c.name;
  return nullptr;
}

}  // namespace warplens::libraries
