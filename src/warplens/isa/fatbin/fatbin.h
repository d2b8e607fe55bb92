// Fat binaries: the container that nvcc puts into an object, with the PTX and the cubins of several architectures.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::fatbin {

enum class Kind : uint8_t { kPtx, kCubin, kLto, kOther };
enum class Packing : uint8_t { kNone, kLz4, kZstd };

/// One image of a container, in place.
struct Image {
  Kind kind = Kind::kOther;
  uint32_t code = 0;          // the container's own number of the kind: 1 PTX, 2 cubin, 8 LTO
  uint32_t architecture = 0;  // 90
  char variant = 0;           // 'a' of sm_90a, 'f' of sm_100f; 0: none
  Packing packing = Packing::kNone;
  bool relocatable = false;     // of -rdc: an input of the device linker, not to be loaded
  uint64_t unpacked_bytes = 0;  // 0 where the container does not say (it is not packed)
  std::string_view name;        // of the source; often empty
  std::string_view payload;     // packed or not

  /// As nvcc's code= has it: "sm_90a" of a cubin, "compute_90" of PTX, "lto_90" of code for link-time optimisation.
  std::string target() const;
};

/// Whether `bytes` begin as a container does.
bool is_fatbin(std::string_view bytes);
/// Whether `bytes` may hold containers: a fat binary, an ELF file of the host, a static library.
bool may_carry(std::string_view bytes);

/// The images of all containers that follow each other in `bytes`, zeros between them passed over. Views into `bytes`.
/// Errors: no container where one must be, an image that reaches past its end, with the byte offset.
Result<std::vector<Image>> read_fatbin(std::string_view bytes);

/// The PTX text (without its trailing zeros) or the cubin. Errors: damaged, of an unknown packing, larger than 1 GiB.
Result<std::string> unpack(const Image& image);

/// The containers of a file: a fat binary itself, or an executable, library (also a static one) or object file that
/// carries them. Empty for a host ELF file without device code. Errors: neither; a damaged ELF file or container.
Result<std::vector<Image>> images_of_file(std::string_view bytes);

}  // namespace warplens::fatbin
