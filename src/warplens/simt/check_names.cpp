#include "warplens/simt/check_names.h"

#include <array>
#include <vector>

#include "warplens/base/text.h"

namespace warplens::simt {
namespace {

struct Name {
  const char* text;
  uint8_t bits;
};
constexpr std::array kNames = {Name{"memory", kCheckMemory}, Name{"race", kCheckRace}, Name{"init", kCheckInit},
                               Name{"sync", kCheckSync}};

const Name* find(std::string_view text) {
  for (const Name& name : kNames) {
    if (text == name.text) return &name;
  }
  return nullptr;
}

}  // namespace

Result<uint8_t> parse_checks(const std::string& text) {
  uint8_t bits = 0;
  for (const std::string_view word : split(text, ',')) {
    const Name* name = find(word);
    if (word == "all") bits |= kCheckAll;
    else if (name != nullptr) bits |= name->bits;
    else return usage_error(fmt::format("--check {}: name memory, race, init, sync or all, with commas between", text));
  }
  return bits;
}

std::string check_names(uint8_t checks) {
  std::vector<std::string> names;
  for (const Name& name : kNames) {
    if (checks & name.bits) names.emplace_back(name.text);
  }
  return join(names, ", ");
}

std::string_view name(Precision precision) { return precision == Precision::kThread ? "thread" : "warp"; }

Result<ProgramChecks> parse_program_checks(const std::string& text) {
  ProgramChecks out;
  if (text.empty()) return out;
  for (const std::string_view word : split(text, ',')) {
    const Name* name = find(word);
    if (word == "all" || word == "leaks") out.leaks = true;
    if (word == "all") out.of_launches = kCheckAll;
    else if (name != nullptr) out.of_launches |= name->bits;
    else if (word != "leaks")
      return usage_error(
          fmt::format("--check {}: name memory, race, init, sync, leaks or all, with commas between", text));
  }
  return out;
}

}  // namespace warplens::simt
