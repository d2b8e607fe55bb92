#include "warplens/trace/readers/kineto/event.h"

namespace warplens::kineto {
namespace {

struct ArgumentKey {
  std::string_view text;
  Argument argument = Argument::kUnknown;
};

constexpr size_t kSlots = 512;

constexpr size_t slot_of(std::string_view key) {
  const auto at = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(key[i])); };
  return (key.size() * 454 + at(0) * 481 + at(key.size() - 1) * 380 + at(key.size() * 2 / 3) * 263) % kSlots;
}

/// A hash table without chains: two keys in one slot do not compile.
constexpr std::array<ArgumentKey, kSlots> kTable = [] {
  std::array<ArgumentKey, kSlots> table{};
  const ArgumentKey keys[] = {
#define WL_ARGUMENT(name, text) {text, Argument::name},
#include "warplens/trace/readers/kineto/argument_keys.def"
#undef WL_ARGUMENT
  };
  for (const ArgumentKey& key : keys) {
    ArgumentKey& slot = table[slot_of(key.text)];
    if (!slot.text.empty()) throw "two argument keys fall into one slot: change slot_of";
    slot = key;
  }
  return table;
}();

Argument find_argument(std::string_view key) {
  if (key.empty()) return Argument::kUnknown;
  const ArgumentKey& slot = kTable[slot_of(key)];
  return same(slot.text, key) ? slot.argument : Argument::kUnknown;
}

constexpr std::string_view kTexts[] = {
#define WL_ARGUMENT(name, text) text,
#include "warplens/trace/readers/kineto/argument_keys.def"
#undef WL_ARGUMENT
};

/// The key whose opening quote is at `p`.
Scan scan_argument_key(const char* p, Argument previous, Event& event, Member& out) {
  Argument& guess = event.following[static_cast<size_t>(previous)];
  const std::string_view guessed = kTexts[static_cast<size_t>(guess)];
  // Short of the text's end a comparison stops at the zero bytes behind it.
  if (guessed.size() <= kTextPadding - 2 && same({p + 1, guessed.size()}, guessed) && p[1 + guessed.size()] == '"') {
    out.key = {p + 1, guessed.size()};
    out.argument = guess;
    return {p + 2 + guessed.size(), true};
  }
  Value key;
  const Scan scan = scan_string(p + 1, key);
  out.key = key.text;
  out.argument = find_argument(key.text);
  if (scan.ok && out.argument != Argument::kUnknown) guess = out.argument;
  return scan;
}

/// The colon behind a key, then the value.
Scan scan_member_value(const char* p, Value& out) {
  p = skip_space(p);
  if (*p != ':') return {p, false};
  return scan_value(skip_space(p + 1), out);
}

Scan parse_arguments(const char* p, Event& event) {
  p = skip_space(p + 1);
  if (*p == '}') return {p + 1, true};
  for (Argument previous = Argument::kUnknown;;) {
    if (*p != '"') return {p, false};
    Member& member = event.members.emplace_back();
    Scan scan = scan_argument_key(p, previous, event, member);
    if (!scan.ok) return scan;
    previous = member.argument;
    scan = scan_member_value(scan.at, member.value);
    if (!scan.ok) return scan;
    if (member.argument != Argument::kUnknown && event.members.size() <= 256) {
      event.present |= bit(member.argument);
      event.place[static_cast<size_t>(member.argument)] = static_cast<uint8_t>(event.members.size() - 1);
    }
    p = skip_space(scan.at);
    if (*p == '}') return {p + 1, true};
    if (*p != ',') return {p, false};
    p = skip_space(p + 1);
  }
}

Value* field_of(Event& event, std::string_view key) {
  switch (key.size()) {
    case 2:
      return same(key, "ph") ? &event.phase : same(key, "ts") ? &event.time : same(key, "id") ? &event.id : nullptr;
    case 3:
      return same(key, "cat")   ? &event.category
             : same(key, "pid") ? &event.process
             : same(key, "tid") ? &event.thread
             : same(key, "dur") ? &event.duration
                                : nullptr;
    case 4: return same(key, "name") ? &event.name : nullptr;
    default: return nullptr;
  }
}

}  // namespace

void Event::clear() {
  phase = category = name = process = thread = time = duration = id = Value();
  members.clear();
  present = 0;
}

Scan parse_event(const char* p, Event& out) {
  out.clear();
  p = skip_space(p + 1);
  if (*p == '}') return {p + 1, true};
  for (;;) {
    if (*p != '"') return {p, false};
    Value key;
    Scan scan = scan_string(p + 1, key);
    if (!scan.ok) return scan;
    p = skip_space(scan.at);
    if (*p != ':') return {p, false};
    p = skip_space(p + 1);
    if (same(key.text, "args") && *p == '{') {
      scan = parse_arguments(p, out);
    } else {
      Value ignored;
      Value* field = field_of(out, key.text);
      scan = scan_value(p, field ? *field : ignored);
    }
    if (!scan.ok) return scan;
    p = skip_space(scan.at);
    if (*p == '}') return {p + 1, true};
    if (*p != ',') return {p, false};
    p = skip_space(p + 1);
  }
}

}  // namespace warplens::kineto
