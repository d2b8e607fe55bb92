// The bytes of buffers and symbols before the first launch.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/launch/description.h"
#include "warplens/launch/npy.h"

namespace warplens::launch {

/// The .npy file at `path`; errors name it. If `dtype_given`, elements must be `dtype` (u16 may be taken for bf16).
Result<Array> read_array(const std::string& path, DType dtype, bool dtype_given);

/// Reads the headers of .npy files so that every buffer of `description` has its dtype and shape, and checks offsets
/// again.
Status settle(Description& description);

/// The initial contents of `buffer` (settled).
Result<std::vector<uint8_t>> contents_of(const BufferSpec& buffer);

}  // namespace warplens::launch
