// One event of a trace as its text has it, before it becomes a row.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "warplens/trace/readers/kineto/scanner.h"

namespace warplens::kineto {

enum class Argument : uint8_t {
#define WL_ARGUMENT(name, text) name,
#include "warplens/trace/readers/kineto/argument_keys.def"
#undef WL_ARGUMENT
  kUnknown
};

inline constexpr size_t kArguments = static_cast<size_t>(Argument::kUnknown);
static_assert(kArguments <= 64);

constexpr uint64_t bit(Argument argument) { return uint64_t{1} << static_cast<uint8_t>(argument); }

/// A set of arguments.
template <typename... Rest>
constexpr uint64_t bits(Rest... arguments) {
  return (bit(arguments) | ...);
}

struct Member {
  Argument argument;
  std::string_view key;  // without quotes
  Value value;
};

struct Event {
  Value phase, category, name, process, thread, time, duration, id;
  std::vector<Member> members;  // of args, in the order of the text
  uint64_t present = 0;         // known arguments

  void clear();
  bool has(Argument argument) const { return present & bit(argument); }
  /// The argument's value, of kind kNone when it is not there.
  const Value& operator[](Argument argument) const {
    static constexpr Value kNothing;
    return has(argument) ? members[place[static_cast<size_t>(argument)]].value : kNothing;
  }

  // The argument that last followed each one: writers keep an order, so that guessing saves looking keys up.
  std::array<Argument, kArguments + 1> following{};
  std::array<uint8_t, kArguments> place;  // index into members; valid where `present` says so
};

/// Parses the object whose brace is at `p`.
Scan parse_event(const char* p, Event& out);

}  // namespace warplens::kineto
