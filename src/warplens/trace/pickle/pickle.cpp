#include "warplens/trace/pickle/pickle.h"

#include <bit>
#include <cstring>
#include <unordered_map>

#include "warplens/base/text.h"

namespace warplens::pickle {

constexpr size_t kDeepest = 1 << 20;  // values waiting on the stack
constexpr int kNewestProtocol = 5;

namespace {

/// Names that stand for plain containers, and what calling them makes of one argument.
enum class Plain : uint8_t { kSame, kEmptyDict };
constexpr std::pair<std::string_view, Plain> kPlainNames[] = {{"collections.OrderedDict", Plain::kEmptyDict},
                                                              {"builtins.dict", Plain::kEmptyDict},
                                                              {"builtins.list", Plain::kSame},
                                                              {"builtins.tuple", Plain::kSame},
                                                              {"builtins.set", Plain::kSame},
                                                              {"builtins.frozenset", Plain::kSame},
                                                              {"builtins.bytearray", Plain::kSame},
                                                              {"__builtin__.set", Plain::kSame},
                                                              {"__builtin__.frozenset", Plain::kSame},
                                                              {"_codecs.encode", Plain::kSame},
                                                              {"torch.jit._pickle.build_intlist", Plain::kSame},
                                                              {"torch.jit._pickle.build_doublelist", Plain::kSame},
                                                              {"torch.jit._pickle.build_boollist", Plain::kSame}};

int plain_name(std::string_view name) {
  for (size_t i = 0; i < std::size(kPlainNames); ++i) {
    if (kPlainNames[i].first == name) return static_cast<int>(i);
  }
  return -1;
}

/// What an instruction that is refused would do; empty for bytes that are no instruction.
std::string_view refusal(char code) {
  switch (code) {
    case 'i': return "INST, which makes an object";
    case 'o': return "OBJ, which makes an object";
    case 'b': return "BUILD, which sets an object's state";
    case '\x81': return "NEWOBJ, which makes an object";
    case '\x92': return "NEWOBJ_EX, which makes an object";
    case 'P':
    case 'Q': return "PERSID, which refers to an object outside the file";
    case '\x82':
    case '\x83':
    case '\x84': return "EXT, which calls what an extension registered";
    case '\x97':
    case '\x98': return "a buffer from outside";
    default: return {};
  }
}

}  // namespace

std::string_view Document::text(const Value& value) const {
  return value.kind == Kind::kText ? texts_[static_cast<size_t>(value.whole)] : std::string_view();
}

std::span<const Value> Document::list(const Value& value) const {
  if (value.kind != Kind::kList) return {};
  return lists_[static_cast<size_t>(value.whole)];
}

std::span<const Value> Document::entries(const Value& value) const {
  if (value.kind != Kind::kDict) return {};
  return lists_[static_cast<size_t>(value.whole)];
}

Value Document::find(const Value& dictionary, std::string_view key) const {
  const std::span<const Value> all = entries(dictionary);
  for (size_t i = 0; i + 1 < all.size(); i += 2) {
    if (all[i].kind == Kind::kText && text(all[i]) == key) return all[i + 1];
  }
  return {};
}

int64_t Document::whole(const Value& dictionary, std::string_view key, int64_t otherwise) const {
  const Value value = find(dictionary, key);
  if (value.kind == Kind::kReal && value.real >= -9e18 && value.real <= 9e18) return static_cast<int64_t>(value.real);
  return value.kind == Kind::kWhole || value.kind == Kind::kFlag ? value.whole : otherwise;
}

/// The stack machine of pickles. Names of containers live on its stack beside values.
class Machine {
 public:
  explicit Machine(std::string_view bytes) : bytes_(bytes) {}

  Result<Document> run() {
    for (;;) {
      begin_ = at_;
      const std::string_view code = take(1);
      if (code.empty()) return broken("it ends before its STOP: the file is cut off");
      if (code[0] == '.') break;
      WL_TRY(step(code[0]));
      if (cut_) return broken("it is cut off");
      if (stack_.size() > kDeepest) return broken("its stack has more values than any snapshot");
    }
    if (stack_.empty() || !is_value(stack_.back())) return broken("it ends without a value");
    document_.root_ = stack_.back().value;
    return std::move(document_);
  }

 private:
  struct Item {
    Value value;
    int name = -1;  // of kPlainNames
    bool mark = false;
  };
  static bool is_value(const Item& item) { return !item.mark && item.name < 0; }

  Status broken(std::string_view why) const {
    return invalid_input(fmt::format("not a pickle of plain data: at byte {}: {}", begin_, why));
  }
  Status refused(std::string_view what) const {
    return invalid_input(fmt::format(
        "refused: at byte {} this pickle has {}. Plain data does not need it, and nothing was run. Do not open this "
        "file with Python's pickle unless you trust its source",
        begin_, what));
  }

  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - at_) {
      cut_ = true;
      return {};
    }
    const std::string_view out = bytes_.substr(at_, count);
    at_ += count;
    return out;
  }
  /// Little-endian.
  uint64_t number(size_t bytes) {
    uint64_t out = 0;
    const std::string_view text = take(bytes);
    for (size_t i = text.size(); i-- > 0;) out = out << 8 | static_cast<uint8_t>(text[i]);
    return out;
  }
  std::string_view line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) return take(bytes_.size() - at_ + 1);
    const std::string_view out = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return out;
  }

  Status push(Value value) {
    stack_.push_back({value});
    return {};
  }
  Status push_text(std::string_view text) {
    document_.texts_.push_back(text);
    return push({Kind::kText, static_cast<int64_t>(document_.texts_.size() - 1), 0});
  }
  Status push_new(Kind kind, std::vector<Value> values = {}) {
    document_.lists_.push_back(std::move(values));
    return push({kind, static_cast<int64_t>(document_.lists_.size() - 1), 0});
  }
  /// A whole number of `text`'s bytes, the smallest first, in two's complement; beyond 64 bits a real number.
  Status push_long(std::string_view text) {
    if (text.size() > 8) {
      double out = 0;
      for (size_t i = text.size(); i-- > 0;) out = out * 256 + static_cast<uint8_t>(text[i]);
      return push({Kind::kReal, 0, out});
    }
    uint64_t out = !text.empty() && (text.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
    for (size_t i = text.size(); i-- > 0;) out = out << 8 | static_cast<uint8_t>(text[i]);
    return push({Kind::kWhole, static_cast<int64_t>(out), 0});
  }

  /// The values above the last mark, which goes with them.
  Result<std::vector<Value>> above_mark() {
    size_t mark = stack_.size();
    while (mark > 0 && !stack_[mark - 1].mark) --mark;
    if (mark == 0) return broken("a mark is missing");
    std::vector<Value> out;
    for (size_t i = mark; i < stack_.size(); ++i) {
      if (!is_value(stack_[i])) return broken("a name is in the place of a value");
      out.push_back(stack_[i].value);
    }
    stack_.resize(mark - 1);
    return out;
  }
  Result<std::vector<Value>> pop(size_t count) {
    std::vector<Value> out;
    if (stack_.size() < count) return broken("its stack is empty");
    for (size_t i = stack_.size() - count; i < stack_.size(); ++i) {
      if (!is_value(stack_[i])) return broken("a name or mark is in the place of a value");
      out.push_back(stack_[i].value);
    }
    stack_.resize(stack_.size() - count);
    return out;
  }
  Status push_tuple(size_t count) {
    WL_ASSIGN(std::vector<Value> values, pop(count));
    return push_new(Kind::kList, std::move(values));
  }
  /// Adds to the list or dictionary on top of the stack.
  Status add(const std::vector<Value>& values, Kind kind) {
    if (stack_.empty() || !is_value(stack_.back()) || stack_.back().value.kind != kind)
      return broken("it adds to a value that is not a list or dictionary");
    if (kind == Kind::kDict && values.size() % 2 != 0) return broken("a key has no value");
    auto& to = document_.lists_[static_cast<size_t>(stack_.back().value.whole)];
    to.insert(to.end(), values.begin(), values.end());
    return {};
  }

  Status keep(uint64_t place) {
    if (stack_.empty() || stack_.back().mark) return broken("it stores something that is not a value");
    memo_[place] = stack_.back();
    return {};
  }
  Status recall(uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) return broken("it reads a value that it never stored");
    stack_.push_back(found->second);
    return {};
  }

  Status name(std::string_view module, std::string_view of) {
    const std::string full = fmt::format("{}.{}", module, of);
    const int known = plain_name(full);
    if (known < 0) return refused(fmt::format("the name {}", ellipsis(repair_utf8(full), 200)));
    stack_.push_back({{}, known});
    return {};
  }
  Status stack_name() {
    WL_ASSIGN(const std::vector<Value> parts, pop(2));
    return name(document_.text(parts[0]), document_.text(parts[1]));
  }
  /// Calls of names that stand for plain containers give their argument as it is.
  Status reduce() {
    WL_ASSIGN(const std::vector<Value> arguments, pop(1));
    if (stack_.empty() || stack_.back().name < 0) return broken("it calls a value that is not a name");
    const Plain plain = kPlainNames[stack_.back().name].second;
    stack_.pop_back();
    const std::span<const Value> given = document_.list(arguments[0]);
    if (plain == Plain::kEmptyDict) {
      std::vector<Value> entries;
      for (const Value& pair : given.empty() ? std::span<const Value>() : document_.list(given[0])) {
        const std::span<const Value> two = document_.list(pair);
        if (two.size() == 2) entries.insert(entries.end(), two.begin(), two.end());
      }
      return push_new(Kind::kDict, std::move(entries));
    }
    return given.empty() ? push_new(Kind::kList) : push(given[0]);
  }

  Status step(char code) {
    switch (code) {
      case '\x80':
        if (const uint64_t protocol = number(1); protocol > kNewestProtocol && !cut_)
          return broken(fmt::format("protocol {} is too new for this warplens", protocol));
        return {};
      case '\x95': return number(8), Status();  // FRAME: how much follows
      case 'N': return push({});
      case '\x88': return push({Kind::kFlag, 1, 0});
      case '\x89': return push({Kind::kFlag, 0, 0});
      case 'J': return push({Kind::kWhole, static_cast<int32_t>(number(4)), 0});
      case 'K': return push({Kind::kWhole, static_cast<int64_t>(number(1)), 0});
      case 'M': return push({Kind::kWhole, static_cast<int64_t>(number(2)), 0});
      case '\x8a': return push_long(take(number(1)));
      case '\x8b': return push_long(take(number(4)));
      case 'G': return push({Kind::kReal, 0, std::bit_cast<double>(__builtin_bswap64(number(8)))});
      case 'X':
      case 'B':
      case 'T': return push_text(take(number(4)));
      case '\x8c':
      case 'C':
      case 'U': return push_text(take(number(1)));
      case '\x8d':
      case '\x8e':
      case '\x96': return push_text(take(number(8)));
      default: return step_text(code);
    }
  }

  /// Instructions of protocol 0, which are lines.
  Status step_text(char code) {
    switch (code) {
      case 'I': {
        const std::string_view text = line();
        if (text == "00" || text == "01") return push({Kind::kFlag, text == "01", 0});
        return push({Kind::kWhole, parse_int(text).value_or(0), 0});
      }
      case 'L': {
        std::string_view text = line();
        if (text.ends_with('L')) text.remove_suffix(1);
        return push({Kind::kWhole, parse_int(text).value_or(0), 0});
      }
      case 'F': return push({Kind::kReal, 0, parse_double(line()).value_or(0)});
      case 'V': return push_text(line());
      case 'S': {
        const std::string_view text = line();
        return push_text(text.size() >= 2 ? text.substr(1, text.size() - 2) : text);
      }
      case 'c': {
        const std::string_view module = line();
        return name(module, line());
      }
      case 'p': return keep(static_cast<uint64_t>(parse_int(line()).value_or(0)));
      case 'g': return recall(static_cast<uint64_t>(parse_int(line()).value_or(0)));
      default: return step_containers(code);
    }
  }

  Status step_containers(char code) {
    switch (code) {
      case '(': stack_.push_back({{}, -1, true}); return {};
      case ']':
      case ')':
      case '\x8f': return push_new(Kind::kList);
      case '}': return push_new(Kind::kDict);
      case '\x85': return push_tuple(1);
      case '\x86': return push_tuple(2);
      case '\x87': return push_tuple(3);
      case 't':
      case 'l':
      case '\x91': {
        WL_ASSIGN(std::vector<Value> values, above_mark());
        return push_new(Kind::kList, std::move(values));
      }
      case 'd': {
        WL_ASSIGN(std::vector<Value> values, above_mark());
        if (values.size() % 2 != 0) return broken("a key has no value");
        return push_new(Kind::kDict, std::move(values));
      }
      case 'a': {
        WL_ASSIGN(const std::vector<Value> values, pop(1));
        return add(values, Kind::kList);
      }
      case 's': {
        WL_ASSIGN(const std::vector<Value> values, pop(2));
        return add(values, Kind::kDict);
      }
      case 'e':
      case '\x90': {
        WL_ASSIGN(const std::vector<Value> values, above_mark());
        return add(values, Kind::kList);
      }
      case 'u': {
        WL_ASSIGN(const std::vector<Value> values, above_mark());
        return add(values, Kind::kDict);
      }
      default: return step_stack(code);
    }
  }

  Status step_stack(char code) {
    switch (code) {
      case 'q': return keep(number(1));
      case 'r': return keep(number(4));
      case '\x94': return keep(memo_.size());
      case 'h': return recall(number(1));
      case 'j': return recall(number(4));
      case '0':
        if (stack_.empty()) return broken("its stack is empty");
        stack_.pop_back();
        return {};
      case '1': return above_mark().status();
      case '2':
        if (stack_.empty()) return broken("its stack is empty");
        stack_.push_back(stack_.back());
        return {};
      case '\x93': return stack_name();
      case 'R': return reduce();
      default: break;
    }
    if (const std::string_view what = refusal(code); !what.empty()) return refused(what);
    return broken(fmt::format("byte 0x{:02x} is not an instruction", static_cast<uint8_t>(code)));
  }

  std::string_view bytes_;
  size_t at_ = 0, begin_ = 0;
  bool cut_ = false;
  Document document_;
  std::vector<Item> stack_;
  std::unordered_map<uint64_t, Item> memo_;
};

Result<Document> read(std::string_view bytes) { return Machine(bytes).run(); }

bool sniff(std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= kNewestProtocol;
}

}  // namespace warplens::pickle
