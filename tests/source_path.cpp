#include "tests/source_path.h"

namespace warplens::tests {

std::string source_path(std::string_view relative) { return std::string(WARPLENS_SOURCE_DIR "/").append(relative); }

}  // namespace warplens::tests
