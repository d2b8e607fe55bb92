// Files of class rules: read or refused with a line; what is read classifies any name.
#include <cstdint>
#include <cstdlib>

#include "warplens/program/analysis/classify/rules.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warplens::analysis;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto rules = class_rules(text);
  if (!rules.ok()) {
    if (rules.status().message().find("line ") == std::string::npos) std::abort();
    return 0;
  }
  for (const Rule& rule : rules->rules)
    if (rule.field != RuleField::kTensor && rule.value >= rules->names.size()) std::abort();
  for (const RuleField field : {RuleField::kRange, RuleField::kOperator, RuleField::kKernel, RuleField::kTensor})
    (void)rules->find(field, text.substr(0, 64));
  return 0;
}
