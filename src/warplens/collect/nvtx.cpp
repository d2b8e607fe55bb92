// Layouts and numbers are those of NVTX 3's nvtxTypes.h and nvtxImpl.h, which are fixed for all of its versions.
#include "warplens/collect/nvtx.h"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "warplens/base/utf8.h"
#include "warplens/collect/log/thread_log.h"
#include "warplens/collect/recorder.h"

namespace warplens::collect {
namespace {

constexpr uint32_t kCallbacksTable = 1;
constexpr int kCore = 1, kCore2 = 5;
constexpr int32_t kAscii = 1, kUnicode = 2, kRegistered = 3;
constexpr uint32_t kMaxDomains = 256;

using AnyFunction = void (*)();
using FunctionTable = AnyFunction**;

struct ExportTable {
  size_t struct_bytes;
  int (*get_module_functions)(int module, FunctionTable* table, unsigned* size);
};

struct Attributes {  // nvtxEventAttributes_t
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const void* message;
};

struct Domain {
  std::string name;
  uint32_t index;
};

// Domains and registered strings live as long as the process, as programs keep their handles.
std::atomic<Domain*> domains[kMaxDomains];
std::atomic<uint32_t> domain_count{1};
std::atomic<uint64_t> next_range{1};

std::string utf8(const wchar_t* text) {
  std::string out;
  for (; text != nullptr && *text != 0; ++text) append_utf8(out, static_cast<uint32_t>(*text));
  return out;
}

std::string_view view(const char* text) { return text != nullptr ? std::string_view(text) : std::string_view(); }

uint32_t index_of(const void* domain) { return domain != nullptr ? static_cast<const Domain*>(domain)->index : 0; }

/// Calls `use` with the text of an event's message.
template <typename Use>
void with_message(const Attributes* attributes, Use use) {
  if (attributes == nullptr || attributes->message == nullptr) return use(std::string_view());
  if (attributes->message_type == kAscii) return use(view(static_cast<const char*>(attributes->message)));
  if (attributes->message_type == kUnicode) return use(utf8(static_cast<const wchar_t*>(attributes->message)));
  if (attributes->message_type == kRegistered) return use(*static_cast<const std::string*>(attributes->message));
  use(std::string_view());
}

void record(HostEvent event, uint32_t domain, uint64_t id, std::string_view text) {
  record_host_event(event, domain, id, text);
}

void record(HostEvent event, const void* domain, uint64_t id, const Attributes* attributes) {
  with_message(attributes, [&](std::string_view text) { record(event, index_of(domain), id, text); });
}

uint64_t start(const void* domain, const Attributes* attributes) {
  const uint64_t id = next_range.fetch_add(1, std::memory_order_relaxed);
  record(HostEvent::kStart, domain, id, attributes);
  return id;
}

uint64_t start(std::string_view text) {
  const uint64_t id = next_range.fetch_add(1, std::memory_order_relaxed);
  record(HostEvent::kStart, 0, id, text);
  return id;
}

// Push and pop return how deep the range is nested; nobody is known to use it, and counting costs a thread-local.
void on_mark_ex(const Attributes* a) { record(HostEvent::kMark, nullptr, 0, a); }
void on_mark_a(const char* text) { record(HostEvent::kMark, 0, 0, view(text)); }
void on_mark_w(const wchar_t* text) { record(HostEvent::kMark, 0, 0, utf8(text)); }
uint64_t on_start_ex(const Attributes* a) { return start(nullptr, a); }
uint64_t on_start_a(const char* text) { return start(view(text)); }
uint64_t on_start_w(const wchar_t* text) { return start(utf8(text)); }
void on_end(uint64_t id) { record(HostEvent::kEnd, nullptr, id, nullptr); }
int on_push_ex(const Attributes* a) {
  record(HostEvent::kPush, nullptr, 0, a);
  return 0;
}
int on_push_a(const char* text) {
  record(HostEvent::kPush, 0, 0, view(text));
  return 0;
}
int on_push_w(const wchar_t* text) {
  record(HostEvent::kPush, 0, 0, utf8(text));
  return 0;
}
int on_pop() {
  record(HostEvent::kPop, nullptr, 0, nullptr);
  return 0;
}
void on_name_thread_a(uint32_t thread, const char* name) { record(HostEvent::kThreadName, 0, thread, view(name)); }
void on_name_thread_w(uint32_t thread, const wchar_t* name) { record(HostEvent::kThreadName, 0, thread, utf8(name)); }

void on_domain_mark(const void* domain, const Attributes* a) { record(HostEvent::kMark, domain, 0, a); }
uint64_t on_domain_start(const void* domain, const Attributes* a) { return start(domain, a); }
void on_domain_end(const void*, uint64_t id) { on_end(id); }
int on_domain_push(const void* domain, const Attributes* a) {
  record(HostEvent::kPush, domain, 0, a);
  return 0;
}
int on_domain_pop(const void*) { return on_pop(); }
const void* on_register_a(const void*, const char* text) { return new std::string(view(text)); }
const void* on_register_w(const void*, const wchar_t* text) { return new std::string(utf8(text)); }

const void* create_domain(std::string name) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const uint32_t count = domain_count.load(std::memory_order_relaxed);
  for (uint32_t i = 1; i < count; ++i) {
    if (domains[i].load()->name == name) return domains[i].load();
  }
  if (count == kMaxDomains) return nullptr;  // its ranges count as the default domain's
  auto* domain = new Domain{std::move(name), count};
  domains[count].store(domain, std::memory_order_release);
  domain_count.store(count + 1, std::memory_order_release);
  return domain;
}

const void* on_domain_create_a(const char* name) { return create_domain(std::string(view(name))); }
const void* on_domain_create_w(const wchar_t* name) { return create_domain(utf8(name)); }
void on_domain_destroy(const void*) {}

struct Handler {
  unsigned id;  // NvtxCallbackIdCore, NvtxCallbackIdCore2
  AnyFunction function;
};

template <typename Function>
AnyFunction any(Function* function) {
  return reinterpret_cast<AnyFunction>(function);
}

const Handler kCoreHandlers[] = {{1, any(on_mark_ex)},       {2, any(on_mark_a)},  {3, any(on_mark_w)},
                                 {4, any(on_start_ex)},      {5, any(on_start_a)}, {6, any(on_start_w)},
                                 {7, any(on_end)},           {8, any(on_push_ex)}, {9, any(on_push_a)},
                                 {10, any(on_push_w)},       {11, any(on_pop)},    {14, any(on_name_thread_a)},
                                 {15, any(on_name_thread_w)}};
const Handler kCore2Handlers[] = {
    {1, any(on_domain_mark)},      {2, any(on_domain_start)},   {3, any(on_domain_end)},  {4, any(on_domain_push)},
    {5, any(on_domain_pop)},       {10, any(on_register_a)},    {11, any(on_register_w)}, {12, any(on_domain_create_a)},
    {13, any(on_domain_create_w)}, {14, any(on_domain_destroy)}};

template <size_t N>
bool install(const ExportTable& exports, int module, const Handler (&handlers)[N]) {
  FunctionTable table = nullptr;
  unsigned size = 0;
  if (exports.get_module_functions(module, &table, &size) == 0 || table == nullptr) return false;
  for (const Handler& handler : handlers) {
    if (handler.id < size && table[handler.id] != nullptr) *table[handler.id] = handler.function;
  }
  return true;
}

}  // namespace

int attach_nvtx(const void* (*get_export_table)(uint32_t)) {
  const auto* exports = static_cast<const ExportTable*>(get_export_table(kCallbacksTable));
  if (exports == nullptr || exports->struct_bytes < sizeof(ExportTable)) return 0;
  return install(*exports, kCore, kCoreHandlers) && install(*exports, kCore2, kCore2Handlers);
}

std::string_view nvtx_domain_name(uint32_t domain) {
  if (domain == 0 || domain >= kMaxDomains) return {};
  const Domain* known = domains[domain].load(std::memory_order_acquire);
  return known ? std::string_view(known->name) : std::string_view();
}

}  // namespace warplens::collect
