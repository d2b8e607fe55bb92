#include "warplens/run/ptx/syscalls.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {
namespace {

constexpr size_t kTextLimit = 64 << 10;  // longest string that a kernel may print

/// Argument i of the call, from the caller's local memory.
template <typename T>
T argument(Warp& w, const Op& op, uint32_t i, uint32_t lane) {
  const uint32_t offset = w.node->local_base + w.program->slots[op.e + i];
  uint8_t bytes[8];
  for (uint32_t word = 0; word < (sizeof(T) + 3) / 4; ++word)
    std::memcpy(bytes + 4 * word, w.local + (uint64_t{offset / 4 + word} * kLanes + lane) * 4, 4);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T>
void set_result(Warp& w, const Op& op, uint32_t lane, T value) {
  if (op.b == kNoSlot) return;
  uint8_t bytes[8] = {};
  std::memcpy(bytes, &value, sizeof value);
  for (uint32_t word = 0; word < (sizeof(T) + 3) / 4; ++word)
    std::memcpy(w.local + (uint64_t{(w.node->local_base + op.b) / 4 + word} * kLanes + lane) * 4, bytes + 4 * word, 4);
}

/// Reads a byte of any address that a thread may hold; false when there is none.
bool read_byte(Warp& w, uint32_t lane, Address at, uint8_t& out) {
  if (at >= kLocalWindow && at < kLocalWindow + w.local_bytes) {
    const Address offset = at - kLocalWindow;
    out = w.local[(offset / 4 * kLanes + lane) * 4 + offset % 4];
    return true;
  }
  if (at >= kSharedWindow && at < kSharedWindow + w.shared_bytes) return out = w.shared[at - kSharedWindow], true;
  Range range;
  if (at >= kSharedWindow || !w.cta->cluster->grid->memory->range(at, range)) return false;
  out = *reinterpret_cast<const uint8_t*>(at);
  return true;
}

std::string read_text(Warp& w, uint32_t lane, Address at) {
  std::string text;
  if (at == 0) return "(null)";
  for (uint8_t c = 0; text.size() < kTextLimit && read_byte(w, lane, at + text.size(), c) && c;)
    text += static_cast<char>(c);
  return text;
}

template <typename T>
T read_value(Warp& w, uint32_t lane, Address at) {
  uint8_t bytes[sizeof(T)] = {};
  for (size_t i = 0; i < sizeof(T); ++i) (void)read_byte(w, lane, at + i, bytes[i]);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// One conversion of printf: `spec` from % to its letter. Arguments lie at `at`, naturally aligned; 4 or 8 bytes each.
std::string format_one(Warp& w, uint32_t lane, const std::string& spec, Address& at) {
  const char letter = spec.back();
  const bool wide = spec.find('l') != std::string::npos || spec.find('j') != std::string::npos ||
                    spec.find('z') != std::string::npos || spec.find('t') != std::string::npos;
  std::string plain;
  for (const char c : spec.substr(0, spec.size() - 1))
    if (!std::strchr("hlLjzt", c)) plain += c;
  const auto print = [](const std::string& format, auto value) {
    char buffer[512];
    const int n = std::snprintf(buffer, sizeof buffer, format.c_str(), value);
    return std::string(buffer, static_cast<size_t>(n < 0 ? 0 : std::min<int>(n, sizeof buffer - 1)));
  };
  const auto next = [&](auto sample) {
    using T = decltype(sample);
    at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const T value = read_value<T>(w, lane, at);
    at += sizeof(T);
    return value;
  };
  switch (letter) {
    case 'd': case 'i':
      return wide ? print(plain + "lld", static_cast<long long>(next(int64_t{})))
                  : print(plain + letter, next(int32_t{}));
    case 'u': case 'o': case 'x': case 'X':
      return wide ? print(plain + "ll" + letter, static_cast<unsigned long long>(next(uint64_t{})))
                  : print(plain + letter, next(uint32_t{}));
    case 'c': return print(plain + letter, next(int32_t{}));
    case 'p': return print(plain + letter, reinterpret_cast<void*>(next(uint64_t{})));
    case 's': return print(plain + letter, read_text(w, lane, next(uint64_t{})).c_str());
    default: return print(plain + letter, next(double{}));
  }
}

/// `spec` with its stars replaced by the arguments that they stand for, and no number of more than three digits: what
/// is printed is cut at 511 characters.
std::string resolved_spec(Warp& w, uint32_t lane, const std::string& spec, Address& at) {
  std::string out;
  size_t digits = 0;
  for (const char c : spec) {
    if (c == '*') {
      at = (at + 3) / 4 * 4;
      out += std::to_string(std::clamp(read_value<int32_t>(w, lane, at), -999, 999));
      at += 4;
      continue;
    }
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits <= 4) out += c;  // one may be the flag 0
  }
  return out;
}

std::string format_text(Warp& w, uint32_t lane, const std::string& format, Address at) {
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += '%';
      ++i;
      continue;
    }
    const size_t end = format.find_first_not_of("-+ #0123456789.*hlLjzt", i + 1);
    if (end == std::string::npos || !std::strchr("diuoxXcpsfFeEgGaA", format[end])) {
      out += '%';  // no conversion that kernels have (%n among them): printed as it stands
      continue;
    }
    out += format_one(w, lane, resolved_spec(w, lane, format.substr(i, end + 1 - i), at), at);
    i = end;
  }
  return out;
}

void run_vprintf(Warp& w, const Op& op) {
  for (uint32_t left = w.mask; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left));
    const std::string format = read_text(w, lane, argument<uint64_t>(w, op, 0, lane));
    w.cta->cluster->output += format_text(w, lane, format, argument<uint64_t>(w, op, 1, lane));
    set_result<int32_t>(w, op, lane, static_cast<int32_t>(format.size()));
  }
}

/// __assertfail(message, file, line, function, character size)
void run_assert(Warp& w, const Op& op) {
  const auto lane = static_cast<uint32_t>(__builtin_ctz(w.mask));
  const std::string message = read_text(w, lane, argument<uint64_t>(w, op, 0, lane)),
                    file = read_text(w, lane, argument<uint64_t>(w, op, 1, lane));
  const std::string function = read_text(w, lane, argument<uint64_t>(w, op, 3, lane));
  raise(w, op, Fault::Kind::kAssert, lane, 0,
        fmt::format("{}:{}: {}: assertion `{}` failed", file, argument<uint32_t>(w, op, 2, lane), function, message));
}

void run_malloc(Warp& w, const Op& op) {
  for (uint32_t left = w.mask; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left));
    const auto at = w.cta->cluster->grid->memory->allocate_in_kernel(argument<uint64_t>(w, op, 0, lane));
    set_result<uint64_t>(w, op, lane, at.ok() ? *at : 0);
  }
}

void run_free(Warp& w, const Op& op) {
  for (uint32_t left = w.mask; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left));
    const Address at = argument<uint64_t>(w, op, 0, lane);
    if (at == 0) continue;
    if (const Status status = w.cta->cluster->grid->memory->free_in_kernel(at); !status.ok())
      return raise(w, op, Fault::Kind::kInvalid, lane, at, status.message());
  }
}

}  // namespace

Handler system_call(std::string_view name) {
  if (name == "vprintf") return &run_vprintf;
  if (name == "__assertfail" || name == "__assert_fail") return &run_assert;
  if (name == "malloc") return &run_malloc;
  if (name == "free") return &run_free;
  return nullptr;
}

}  // namespace warplens::simt::ptx_machine
