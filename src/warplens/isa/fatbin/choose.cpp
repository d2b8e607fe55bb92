#include "warplens/isa/fatbin/choose.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::fatbin {
namespace {

bool runs_on(const Image& image, int cc) {
  const int target = static_cast<int>(image.architecture);
  if (image.relocatable || target > cc) return false;
  if (image.kind == Kind::kPtx) return image.variant == 0 || target == cc;
  if (image.kind != Kind::kCubin || target / 10 != cc / 10) return false;
  return image.variant != 'a' || target == cc;
}

/// Machine code before PTX, then the newest, then the one made for this very GPU.
int rank(const Image* image) {
  return (image->kind == Kind::kCubin ? 10000 : 0) + static_cast<int>(image->architecture) * 10 +
         (image->variant != 0 ? 1 : 0);
}

}  // namespace

std::vector<const Image*> suitable(const std::vector<Image>& images, int cc) {
  std::vector<const Image*> out;
  for (const Image& image : images) {
    if (runs_on(image, cc)) out.push_back(&image);
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, rank);
  return out;
}

const Image* choose(const std::vector<Image>& images, int cc) {
  const std::vector<const Image*> all = suitable(images, cc);
  return all.empty() ? nullptr : all.front();
}

std::vector<std::string> ptx_texts(std::vector<Image> images, int cc) {
  for (Image& image : images) image.relocatable = false;
  std::vector<std::string> out;
  for (const Image* image : suitable(images, cc)) {
    if (image->kind != Kind::kPtx) continue;
    if (Result<std::string> text = unpack(*image); text.ok()) out.push_back(std::move(*text));
  }
  return out;
}

int compute_capability(const std::vector<Image>& images, std::string_view arch) {
  if (const size_t digit = arch.find_first_of("0123456789"); digit != std::string_view::npos)
    return std::atoi(std::string(arch.substr(digit)).c_str());
  int newest = 0;
  for (const Kind kind : {Kind::kCubin, Kind::kPtx, Kind::kLto}) {
    for (const Image& image : images) {
      if (image.kind == kind) newest = std::max(newest, static_cast<int>(image.architecture));
    }
    if (newest > 0) break;
  }
  return newest;
}

std::string list_targets(const std::vector<Image>& images) {
  std::vector<std::string> names;
  for (const Image& image : images) {
    if (std::ranges::find(names, image.target()) == names.end()) names.push_back(image.target());
  }
  return join(names, ", ");
}

}  // namespace warplens::fatbin
