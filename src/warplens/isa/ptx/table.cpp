#include "warplens/isa/ptx/table.h"

#include <algorithm>
#include <unordered_map>

#include "warplens/base/text.h"

namespace warplens::ptx {
namespace {

struct RawRow {
  std::string_view text, doc, modifiers, operands;
  int since;
  Category category;
  bool is_opcode;
};

constexpr RawRow kRaw[] = {
#define OPCODE(name, text, since, doc) {text, doc, "", "", since, Category::kOther, true},
#define FORM(modifiers, operands, category) {"", "", modifiers, operands, 0, Category::k##category, false},
#include "warplens/isa/ptx/instructions.def"
#undef OPCODE
#undef FORM
};

constexpr std::pair<std::string_view, std::string_view> kSets[] = {
#define SET(name, members) {name, members},
#include "warplens/isa/ptx/suffix_sets.def"
#undef SET
};

constexpr uint16_t kAnyValue = 0xffff;

/// One item of a form: what it takes, and whether it may be missing.
struct Item {
  std::vector<std::pair<SuffixKind, uint16_t>> takes;
  bool optional = false;

  bool accepts(const Suffix& suffix) const {
    return std::any_of(takes.begin(), takes.end(), [&](const auto& entry) {
      return entry.first == suffix.kind && (entry.second == kAnyValue || entry.second == suffix.value);
    });
  }
};

void add_word(std::string_view word, Item& item) {
  if (word == "ANY") return item.takes.push_back({SuffixKind::kType, kAnyValue});
  if (word == "SPACE") return item.takes.push_back({SuffixKind::kSpace, kAnyValue});
  if (word == "SHAPE") return item.takes.push_back({SuffixKind::kShape, kAnyValue});
  if (word == "VEC") return item.takes.push_back({SuffixKind::kVector, kAnyValue});
  if (word == "DIM") return item.takes.push_back({SuffixKind::kDimension, kAnyValue});
  for (const auto& [name, members] : kSets) {
    if (name != word) continue;
    for (std::string_view member : split(members, '|')) add_word(member, item);
    return;
  }
  const Suffix suffix = classify(word);
  item.takes.push_back({suffix.kind, suffix.value});
}

std::vector<Item> compile(std::string_view modifiers) {
  std::vector<Item> items;
  for (std::string_view word : split(modifiers, ' ')) {
    if (word.empty()) continue;
    Item item;
    item.optional = word.back() == '?';
    if (item.optional) word.remove_suffix(1);
    for (std::string_view alternative : split(word, '|')) add_word(alternative, item);
    items.push_back(std::move(item));
  }
  return items;
}

/// Top-level operands of "d, [map, {c}], [mbar], a0?": how many there must and may be.
std::pair<int, int> operand_range(std::string_view operands, Opcode opcode) {
  if (opcode == Opcode::kCall) return {1, kAnyOperands};
  if (operands.empty()) return {0, 0};
  int least = 0, most = 0, depth = 0;
  bool optional = false;
  for (size_t i = 0; i <= operands.size(); ++i) {
    const char c = i < operands.size() ? operands[i] : ',';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == '?') optional = true;
    if (c != ',' || depth > 0) continue;
    ++most;
    least += optional ? 0 : 1;
    optional = false;
  }
  return {least, most};
}

struct Tables {
  std::vector<OpcodeRow> opcodes{{Opcode::kUnknown, "", "", 0, 0, 0}};
  std::vector<FormRow> forms;
  std::vector<std::vector<Item>> items;  // of each form
  std::unordered_map<std::string_view, Opcode> names;

  Tables() {
    for (const RawRow& raw : kRaw) raw.is_opcode ? add_opcode(raw) : add_form(raw);
  }
  void add_opcode(const RawRow& raw) {
    const auto opcode = static_cast<Opcode>(opcodes.size());
    opcodes.push_back({opcode, raw.text, raw.doc, raw.since, static_cast<int>(forms.size()), 0});
    names.emplace(raw.text, opcode);
  }
  void add_form(const RawRow& raw) {
    OpcodeRow& owner = opcodes.back();
    ++owner.form_count;
    const auto [least, most] = operand_range(raw.operands, owner.opcode);
    forms.push_back({owner.opcode, raw.modifiers, raw.operands, raw.category, least, most});
    items.push_back(compile(raw.modifiers));
  }
};

const Tables& tables() {
  static const Tables instance;
  return instance;
}

/// Every suffix taken by an item of its own, and every item that is not optional used.
bool fits(const std::vector<Item>& items, std::span<const Suffix> suffixes) {
  uint64_t used = 0;
  for (const Suffix& suffix : suffixes) {
    size_t i = 0;
    while (i < items.size() && (((used >> i) & 1) != 0 || !items[i].accepts(suffix))) ++i;
    if (i == items.size()) return false;
    used |= uint64_t{1} << i;
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].optional && ((used >> i) & 1) == 0) return false;
  }
  return true;
}

}  // namespace

std::span<const OpcodeRow> opcodes() { return std::span(tables().opcodes).subspan(1); }
std::span<const FormRow> forms() { return tables().forms; }
const OpcodeRow& row(Opcode opcode) { return tables().opcodes[static_cast<size_t>(opcode)]; }

Opcode opcode_named(std::string_view name) {
  const auto found = tables().names.find(name);
  return found == tables().names.end() ? Opcode::kUnknown : found->second;
}

int match_form(Opcode opcode, std::span<const Suffix> suffixes) {
  const OpcodeRow& owner = row(opcode);
  for (int i = owner.first_form; i < owner.first_form + owner.form_count; ++i) {
    if (fits(tables().items[i], suffixes)) return i;
  }
  return -1;
}

std::vector<std::string> unknown_words(const FormRow& form) {
  std::vector<std::string> unknown;
  for (std::string_view word : split(form.modifiers, ' ')) {
    if (word.empty()) continue;
    if (word.back() == '?') word.remove_suffix(1);
    for (std::string_view alternative : split(word, '|')) {
      Item item;
      add_word(alternative, item);
      for (const auto& [kind, value] : item.takes) {
        if (kind == SuffixKind::kUnknown) unknown.emplace_back(alternative);
      }
    }
  }
  return unknown;
}

std::string instruction_reference() {
  std::string out;
  for (const OpcodeRow& opcode : opcodes()) {
    out += fmt::format("- **{}** (PTX {}.{}): {}\n", opcode.text, opcode.since / 10, opcode.since % 10, opcode.doc);
    for (const FormRow& form : forms().subspan(opcode.first_form, opcode.form_count)) {
      const std::string suffixes = form.modifiers.empty() ? "" : fmt::format("  `{}`", form.modifiers);
      out += fmt::format("  - `{}`{}{} ({})\n", opcode.text, suffixes,
                         form.operands.empty() ? "" : fmt::format("  {}", form.operands), text(form.category));
    }
  }
  return out;
}

}  // namespace warplens::ptx
