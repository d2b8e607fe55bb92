// The kinds of defects that --check knows, by their names.
#pragma once
#include <string>

#include "warplens/base/status.h"
#include "warplens/simt/launch.h"

namespace warplens::simt {

/// "memory,race" as bits of Check. Error: another name.
Result<uint8_t> parse_checks(const std::string& text);
/// The names of these bits, with commas between.
std::string check_names(uint8_t checks);

/// How closely a launch was followed: its PTX thread by thread, or its machine code warp by warp.
enum class Precision : uint8_t { kThread, kWarp };
std::string_view name(Precision precision);  // "thread", "warp"
/// Accesses that checks of warps assume to be in order: machine code does not show it. The words follow "in which".
inline constexpr std::string_view kInOrderByWarp =
    "threads of one warp, asynchronous copies, and accesses to the shared memory of a block that uses mbarriers or "
    "bulk "
    "copies, count as in order";

/// The checks of a whole program.
struct ProgramChecks {
  uint8_t of_launches = 0;
  bool leaks = false;
};
/// As above, and `leaks`, which `all` includes. "" is none.
Result<ProgramChecks> parse_program_checks(const std::string& text);

}  // namespace warplens::simt
