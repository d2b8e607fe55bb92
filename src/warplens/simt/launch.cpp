#include "warplens/simt/launch.h"

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"

namespace warplens::simt {

std::string_view name(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::kIllegalAddress: return "illegal-address";
    case Fault::Kind::kMisaligned: return "misaligned-address";
    case Fault::Kind::kTrap: return "trap";
    case Fault::Kind::kAssert: return "assert";
    case Fault::Kind::kDeadlock: return "deadlock";
    case Fault::Kind::kInstructionLimit: return "instruction-limit";
    case Fault::Kind::kTimeout: return "timeout";
    case Fault::Kind::kCancelled: return "cancelled";
    case Fault::Kind::kUnsupported: return "unsupported";
    case Fault::Kind::kStackOverflow: return "stack-overflow";
    case Fault::Kind::kInvalid: return "invalid";
  }
  return "";
}

std::string Place::text() const {
  std::string where;
  if (!file.empty()) where = fmt::format(" at {}:{}", file, line);
  if (!caller_file.empty()) where += fmt::format(", inlined at {}:{}", caller_file, caller_line);
  if (ptx_line)
    where += fmt::format("{}PTX line {}{}", where.empty() ? " at " : " (", ptx_line, where.empty() ? "" : ")");
  if (is_machine_code && where.empty()) where = fmt::format(" at machine code {:#x}", uint64_t{index} * 16);
  return fmt::format("kernel '{}' block ({},{},{}) thread ({},{},{}){}{}", short_name(kernel), block[0], block[1],
                     block[2], thread[0], thread[1], thread[2],
                     function.empty() ? "" : fmt::format(" in function '{}'", short_name(function)), where);
}

std::string Fault::text() const { return message + ": " + place.text(); }

}  // namespace warplens::simt
