#include "warplens/isa/fatbin/fatbin.h"

#include <algorithm>

#include "warplens/base/growth.h"
#include "warplens/base/text.h"
#include "warplens/isa/cubin/elf.h"

namespace warplens::fatbin {
namespace {

using cubin::load;

constexpr uint32_t kMagic = 0xba55ed50;
constexpr size_t kContainerHeaderBytes = 16, kImageHeaderBytes = 64;
constexpr uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000, kFlagA = 0x100000, kFlagF = 0x200000;
constexpr uint16_t kElfRelocatable = 1;

Kind kind_of(uint16_t code) {
  switch (code) {
    case 1: return Kind::kPtx;
    case 2: return Kind::kCubin;
    case 8: return Kind::kLto;
    default: return Kind::kOther;
  }
}

/// An unpacked cubin's ELF type; a packed one is told by where it lies (images_of_file).
bool is_relocatable(const Image& image) {
  return image.kind == Kind::kCubin && image.packing == Packing::kNone &&
         load<uint16_t>(image.payload, 16) == kElfRelocatable;
}

/// Reads the image at the start of `rest`, which ends with its container. `offset` is for messages.
Result<Image> read_image(std::string_view rest, size_t offset, size_t* image_bytes) {
  const auto header_bytes = load<uint32_t>(rest, 4);
  const auto payload_bytes = load<uint64_t>(rest, 8);
  if (rest.size() < kImageHeaderBytes || header_bytes < kImageHeaderBytes || header_bytes > rest.size() ||
      payload_bytes > rest.size() - header_bytes) {
    return invalid_input(
        fmt::format("fat binary: the image at byte {} (header {} bytes, payload {}) reaches past its "
                    "container; the file is damaged or cut short",
                    offset, header_bytes, payload_bytes));
  }
  const auto packed_bytes = load<uint32_t>(rest, 16);
  const auto flags = load<uint64_t>(rest, 40);
  const auto name_offset = load<uint32_t>(rest, 32), name_bytes = load<uint32_t>(rest, 36);
  Image image;
  image.code = load<uint16_t>(rest, 0);
  image.kind = kind_of(static_cast<uint16_t>(image.code));
  image.architecture = load<uint32_t>(rest, 28);
  image.variant = (flags & kFlagA) != 0 ? 'a' : (flags & kFlagF) != 0 ? 'f' : '\0';
  image.packing = (flags & kFlagZstd) != 0 ? Packing::kZstd : (flags & kFlagLz4) != 0 ? Packing::kLz4 : Packing::kNone;
  image.unpacked_bytes = load<uint64_t>(rest, 56);
  if (name_offset < header_bytes && name_bytes <= header_bytes - name_offset) {
    image.name = rest.substr(name_offset, name_bytes);
  }
  image.payload = rest.substr(header_bytes, payload_bytes);
  if (packed_bytes > 0 && packed_bytes <= payload_bytes) image.payload = image.payload.substr(0, packed_bytes);
  image.relocatable = is_relocatable(image);
  *image_bytes = header_bytes + payload_bytes;
  return image;
}

Status read_container(std::string_view bytes, size_t begin, size_t end, std::vector<Image>* images) {
  for (size_t at = begin; at < end;) {
    size_t image_bytes = 0;
    WL_ASSIGN(Image image, read_image(bytes.substr(at, end - at), at, &image_bytes));
    images->push_back(image);
    at += image_bytes;
  }
  return {};
}

/// What the packed images of `file` claim to hold together is in proportion to its size.
Status check_growth(const std::vector<Image>& images, std::string_view file) {
  const uint64_t most = most_unpacked_bytes(file.size());
  uint64_t claimed = 0;
  for (const Image& image : images) {
    if (image.packing == Packing::kNone) continue;
    claimed += std::min(image.unpacked_bytes, most + 1);
    if (claimed > most)
      return invalid_input(
          fmt::format("fat binary: its images claim to be more than {} times as large when unpacked; the file is "
                      "damaged, or made to fill the memory",
                      kMostGrowth));
  }
  return {};
}

Status add_section(const cubin::Elf& elf, std::string_view name, bool relocatable, std::vector<Image>* images) {
  const cubin::ElfSection* section = elf.section(name);
  if (section == nullptr) return {};
  Result<std::vector<Image>> found = read_fatbin(section->bytes);
  if (!found.ok()) return found.status().in("section " + std::string(name));
  for (Image& image : *found) {
    image.relocatable = image.relocatable || relocatable;
    images->push_back(image);
  }
  return {};
}

}  // namespace

std::string Image::target() const {
  const std::string number = std::to_string(architecture) + (variant != 0 ? std::string(1, variant) : "");
  return (kind == Kind::kPtx ? "compute_" : kind == Kind::kLto ? "lto_" : "sm_") + number;
}

namespace {

constexpr std::string_view kArchive = "!<arch>\n";

Status add_elf(std::string_view bytes, std::vector<Image>* images) {
  WL_ASSIGN(const cubin::Elf elf, cubin::read_elf(bytes));
  WL_TRY(add_section(elf, ".nv_fatbin", false, images));
  return add_section(elf, "__nv_relfatbin", true, images);
}

/// The object files of a static library (ar's format): a header of 60 bytes, the member, a byte where its length is
/// odd.
Status add_archive(std::string_view bytes, std::vector<Image>* images) {
  constexpr size_t kHeaderBytes = 60, kSizeAt = 48, kSizeBytes = 10;
  for (size_t at = kArchive.size(); at < bytes.size();) {
    const std::string_view header = bytes.substr(at, kHeaderBytes);
    const auto size =
        header.size() == kHeaderBytes ? parse_int(trim(header.substr(kSizeAt, kSizeBytes))) : std::nullopt;
    at += kHeaderBytes;
    if (!size || *size < 0 || static_cast<uint64_t>(*size) > bytes.size() - std::min(at, bytes.size()))
      return invalid_input(
          fmt::format("static library: the member at byte {} reaches past the end; the file is damaged "
                      "or cut short",
                      at - kHeaderBytes));
    const std::string_view member = bytes.substr(at, static_cast<size_t>(*size));
    if (cubin::is_elf(member)) WL_TRY(add_elf(member, images));
    at += member.size() + member.size() % 2;
  }
  return {};
}

}  // namespace

bool is_fatbin(std::string_view bytes) { return load<uint32_t>(bytes, 0) == kMagic; }

bool may_carry(std::string_view bytes) {
  return is_fatbin(bytes) || bytes.starts_with(kArchive) || (cubin::is_elf(bytes) && !cubin::is_cubin(bytes));
}

Result<std::vector<Image>> read_fatbin(std::string_view bytes) {
  std::vector<Image> images;
  for (size_t at = 0;;) {
    at = std::min(bytes.find_first_not_of('\0', at), bytes.size());
    at -= at % 8;  // containers are aligned; a header's own first byte is not zero
    if (at >= bytes.size()) break;
    const std::string_view rest = bytes.substr(at);
    const auto header_bytes = load<uint16_t>(rest, 6);
    const auto content_bytes = load<uint64_t>(rest, 8);
    if (!is_fatbin(rest) || rest.size() < kContainerHeaderBytes) {
      return invalid_input(fmt::format("fat binary: no container begins at byte {}", at));
    }
    if (header_bytes < kContainerHeaderBytes || header_bytes > rest.size() ||
        content_bytes > rest.size() - header_bytes) {
      return invalid_input(
          fmt::format("fat binary: the container at byte {} claims {} bytes, but {} are there; it is damaged "
                      "or cut short",
                      at, content_bytes, rest.size()));
    }
    const size_t begin = at + header_bytes, end = begin + content_bytes;
    WL_TRY(read_container(bytes, begin, end, &images));
    at = end;
  }
  WL_TRY(check_growth(images, bytes));
  return images;
}

Result<std::vector<Image>> images_of_file(std::string_view bytes) {
  if (is_fatbin(bytes)) return read_fatbin(bytes);
  std::vector<Image> images;
  WL_TRY(bytes.starts_with(kArchive) ? add_archive(bytes, &images) : add_elf(bytes, &images));
  WL_TRY(check_growth(images, bytes));
  return images;
}

}  // namespace warplens::fatbin
