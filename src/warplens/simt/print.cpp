#include "warplens/simt/print.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace warplens::simt {
namespace {

constexpr size_t kTextLimit = 64 << 10;  // longest string that a kernel may print

/// The arguments that are left.
struct Arguments {
  const ReadByte& read;
  Address at;
  int taken = 0;

  template <typename T>
  T next() {
    at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    uint8_t bytes[sizeof(T)] = {};
    for (size_t i = 0; i < sizeof(T); ++i) (void)read(at + i, &bytes[i]);
    at += sizeof(T);
    ++taken;
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
};

template <typename T>
std::string host_format(const std::string& format, T value) {
  char buffer[512];
  const int n = std::snprintf(buffer, sizeof buffer, format.c_str(), value);
  return {buffer, static_cast<size_t>(n < 0 ? 0 : std::min<int>(n, sizeof buffer - 1))};
}

/// One conversion of printf: `spec` from % to its letter.
std::string print_one(const std::string& spec, Arguments& arguments) {
  const char letter = spec.back();
  const bool bytes = spec.find("hh") != std::string::npos;  // no size that kernels have: an H100 takes 8 bytes
  const bool wide = spec.find_first_of("ljzt") != std::string::npos;
  std::string plain;
  for (const char c : spec.substr(0, spec.size() - 1)) {
    if (!std::strchr("hlLjzt", c)) plain += c;
  }
  if (bytes && std::strchr("diuoxX", letter))
    return host_format(plain + "hh" + letter, static_cast<int>(arguments.next<int64_t>()));
  switch (letter) {
    case 'd':
    case 'i':
      return wide ? host_format(plain + "lld", static_cast<long long>(arguments.next<int64_t>()))
                  : host_format(plain + letter, arguments.next<int32_t>());
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return wide ? host_format(plain + "ll" + letter, static_cast<unsigned long long>(arguments.next<uint64_t>()))
                  : host_format(plain + letter, arguments.next<uint32_t>());
    case 'c': return host_format(plain + letter, arguments.next<int32_t>());
    case 'p': return host_format(plain + letter, reinterpret_cast<void*>(arguments.next<uint64_t>()));
    case 's': return host_format(plain + letter, read_text(arguments.read, arguments.next<uint64_t>()).c_str());
    default: return host_format(plain + letter, arguments.next<double>());
  }
}

/// `spec` with its stars replaced by the arguments that they stand for, and no number of more than three digits: what
/// is printed is cut at 511 characters.
std::string resolved_spec(const std::string& spec, Arguments& arguments) {
  std::string out;
  size_t digits = 0;
  for (const char c : spec) {
    if (c == '*') {
      out += std::to_string(std::clamp(arguments.next<int32_t>(), -999, 999));
      continue;
    }
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits <= 4) out += c;  // one may be the flag 0
  }
  return out;
}

}  // namespace

std::string read_text(const ReadByte& read, Address at) {
  std::string text;
  if (at == 0) return "(null)";
  for (uint8_t c = 0; text.size() < kTextLimit && read(at + text.size(), &c) && c;) text += static_cast<char>(c);
  return text;
}

Printed print(const ReadByte& read, Address format_at, Address arguments_at) {
  const std::string format = read_text(read, format_at);
  Arguments arguments{read, arguments_at};
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
    if (format.substr(i, end - i).find(".*") != std::string::npos) {  // nor is this: an H100 takes no argument for it
      out += '%';
      continue;
    }
    out += print_one(resolved_spec(format.substr(i, end + 1 - i), arguments), arguments);
    i = end;
  }
  return {std::move(out), arguments.taken};
}

}  // namespace warplens::simt
