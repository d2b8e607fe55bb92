#include "warplens/cli/class_flags.h"

#include "warplens/base/files.h"

namespace warplens::cli {

Flag classes_flag() {
  return {"--classes", "FILE",
          "a file of your own classes of kernels, tried before the built-in ones; each line is: "
          "range|operator|kernel|tensor GLOB CLASS"};
}

Result<analysis::ClassRules> chosen_rules(const Invocation& invocation) {
  if (!invocation.has("--classes")) return analysis::class_rules(invocation.class_rules);
  const std::string path = invocation.text("--classes");
  WL_ASSIGN(const std::string text, read_file(path));
  auto rules = analysis::class_rules(text + "\n" + invocation.class_rules);
  if (!rules.ok()) return rules.status().in(path);
  return rules;
}

}  // namespace warplens::cli
