// Which image of a fat binary a GPU runs.
#pragma once
#include <string>
#include <vector>

#include "warplens/isa/fatbin/fatbin.h"

namespace warplens::fatbin {

/// The images that a GPU of compute capability `cc` (90) runs, the best first. Machine code of the same major version
/// comes first, not newer than it ('a' only of the same), then PTX not newer than it.
std::vector<const Image*> suitable(const std::vector<Image>& images, int cc);
/// The first of these, or nullptr.
const Image* choose(const std::vector<Image>& images, int cc);

/// The PTX texts that such a GPU takes, the best first. The device linker's inputs are among them. Texts that cannot be
/// unpacked are left out.
std::vector<std::string> ptx_texts(std::vector<Image> images, int cc);

/// The GPU that `arch` means, 90 of "sm_90a"; of "" the newest that there is machine code for, else any code.
int compute_capability(const std::vector<Image>& images, std::string_view arch);

/// "sm_80, sm_90, compute_90"
std::string list_targets(const std::vector<Image>& images);

}  // namespace warplens::fatbin
