// The error of a source that a compiler refused, distinct from all other errors.
#pragma once
#include <string>
#include <utility>

#include "warplens/base/status.h"

namespace warplens::compile {

/// A code of this room, beyond those of every room.
inline constexpr auto kRefused = static_cast<ErrorCode>(100);

/// A compiler, assembler or linker refused a source: the message is its log.
inline Status refused(std::string log) { return {kRefused, std::move(log)}; }

}  // namespace warplens::compile
