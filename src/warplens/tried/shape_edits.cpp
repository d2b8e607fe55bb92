// Other grids and blocks with as many threads, and other axes of threads for the same indices.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/tried/edits.h"

namespace warplens::tried {
namespace {

constexpr const char* kAxes = "xyz";
const std::vector<std::string> kMoreBlocks{"small-grid", "tail-effect"}, kFewerBlocks{"small-blocks", "tail-effect"};

std::string text_of(const simt::Dim3& d) {
  if (d[1] * d[2] == 1) return std::to_string(d[0]);
  return d[2] == 1 ? fmt::format("{} x {}", d[0], d[1]) : fmt::format("{} x {} x {}", d[0], d[1], d[2]);
}

std::string text_of(const Shape& shape) {
  return fmt::format("grid {}, blocks of {} threads", text_of(shape.grid), text_of(shape.block));
}

uint32_t threads_of(const Shape& shape) { return shape.block[0] * shape.block[1] * shape.block[2]; }

/// `shape` with blocks of `width` threads in x, and as many threads a block and along each axis as before; nothing if
/// these are no whole numbers.
std::optional<Shape> widened(const Shape& shape, uint32_t width) {
  Shape out;
  uint32_t left = threads_of(shape);
  for (size_t axis = 0; axis < 3; ++axis) {
    const uint64_t along = uint64_t{shape.grid[axis]} * shape.block[axis];
    uint32_t size = axis == 0 ? width : std::min<uint32_t>(left, 1U << 10);
    while (axis > 0 && size > 1 && (along % size != 0 || left % size != 0)) --size;
    if (left % size != 0 || along % size != 0) return std::nullopt;
    out.block[axis] = size;
    out.grid[axis] = static_cast<uint32_t>(along / size);
    left /= size;
  }
  if (left != 1 || out == shape) return std::nullopt;
  return out;
}

/// The source where x stands for `axis` and the other way round, in every index of the kernel.
std::string swapped(std::string_view source, const KernelText& kernel, char axis) {
  static const std::regex kIndex(R"(\b(?:threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*([xyz])\b)");
  std::string out(source);
  each_match(kernel, kernel.body, kIndex, [&](const Match& m, size_t at) {
    char& letter = out[at + static_cast<size_t>(m.position(1) - m.position(0))];
    if (letter == 'x') letter = axis;
    else if (letter == axis) letter = 'x';
  });
  return out;
}

/// Neighbouring threads along another index of the kernel: what is contiguous in memory may be y or z.
void swap_axes(std::string_view source, const KernelText& kernel, const Shape& shape, bool any_block,
               std::vector<Edit>* edits) {
  constexpr uint32_t kWidths[] = {32, 128};
  for (const size_t axis : {size_t{1}, size_t{2}}) {
    if (uint64_t{shape.grid[axis]} * shape.block[axis] == 1) continue;
    Shape turned = shape;
    std::swap(turned.grid[0], turned.grid[axis]);
    std::swap(turned.block[0], turned.block[axis]);
    std::vector<Shape> shapes{turned};
    for (const uint32_t width : kWidths) {
      const std::optional<Shape> wide = any_block ? widened(turned, width) : std::nullopt;
      if (wide) shapes.push_back(*wide);
    }
    for (const Shape& each : shapes)
      edits->push_back({.what = fmt::format("swap axes x and {}, {}", kAxes[axis], text_of(each)),
                        .answers = {"uncoalesced-access"},
                        .source = swapped(source, kernel, kAxes[axis]),
                        .shape = each,
                        .rounds_otherwise = true});
  }
}

/// Neighbouring threads where neighbouring blocks were: for an index such as threadIdx.x * gridDim.x + blockIdx.x.
void swap_levels(std::string_view source, const KernelText& kernel, std::vector<Edit>* edits) {
  static const std::regex kLevel(R"(\b(threadIdx|blockIdx|blockDim|gridDim)\b)");
  std::string out;
  size_t from = 0;
  each_match(kernel, kernel.body, kLevel, [&](const Match& m, size_t at) {
    const std::string name = m.str(1);
    out += source.substr(from, at - from);
    out += name == "threadIdx"  ? "blockIdx"
           : name == "blockIdx" ? "threadIdx"
           : name == "blockDim" ? "gridDim"
                                : "blockDim";
    from = at + name.size();
  });
  edits->push_back({.what = "swap the indices of threads and of blocks",
                    .answers = {"uncoalesced-access"},
                    .source = out + std::string(source.substr(from)),
                    .rounds_otherwise = true});
}

/// Blocks of one dimension with more or fewer threads, as many in all.
void resize_blocks(const Shape& shape, std::vector<Edit>* edits) {
  const uint64_t threads = uint64_t{shape.grid[0]} * shape.block[0];
  for (const uint32_t size : {64U, 128U, 256U, 512U, 1024U}) {
    if (size == shape.block[0] || threads % size != 0) continue;
    const Shape resized{.grid = {static_cast<uint32_t>(threads / size), 1, 1}, .block = {size, 1, 1}};
    edits->push_back(
        {.what = text_of(resized), .answers = size > shape.block[0] ? kFewerBlocks : kMoreBlocks, .shape = resized});
  }
}

void widen_blocks(const Shape& shape, std::vector<Edit>* edits) {
  for (const uint32_t width : {32U, 64U, 128U}) {
    const std::optional<Shape> wide = widened(shape, width);
    if (wide) edits->push_back({.what = text_of(*wide), .answers = {"uncoalesced-access"}, .shape = *wide});
  }
}

/// More or fewer blocks for loops that stride over the grid.
void resize_grid(const Shape& shape, std::vector<Edit>* edits) {
  for (const auto& [more, fewer] : {std::pair{1U, 4U}, {1U, 2U}, {2U, 1U}, {4U, 1U}, {8U, 1U}}) {
    if (shape.grid[0] % fewer != 0) continue;
    Shape resized = shape;
    resized.grid[0] = shape.grid[0] / fewer * more;
    edits->push_back({.what = text_of(resized),
                      .answers = more > 1 ? kMoreBlocks : kFewerBlocks,
                      .shape = resized,
                      .rounds_otherwise = true});
  }
}

}  // namespace

std::vector<Edit> shape_edits(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch) {
  std::vector<Edit> edits;
  const std::string_view body = text_of(kernel, kernel.body);
  const Shape shape{.grid = launch.grid, .block = launch.block};
  const bool clustered = launch.cluster[0] * launch.cluster[1] * launch.cluster[2] != 1;
  const bool any_block =
      contains(body, "blockDim") && !contains(body, "__shared__") && launch.dynamic_shared_bytes == 0 && !clustered;
  const bool one_axis = shape.block[1] * shape.block[2] * shape.grid[1] * shape.grid[2] == 1;
  if (any_block && one_axis) resize_blocks(shape, &edits);
  if (one_axis && contains(body, "gridDim") && !contains(body, "__shared__") && !clustered)
    swap_levels(source, kernel, &edits);
  if (any_block && !one_axis) widen_blocks(shape, &edits);
  if (!one_axis && !clustered) swap_axes(source, kernel, shape, any_block, &edits);
  if (contains(body, "gridDim") && !clustered && !launch.cooperative) resize_grid(shape, &edits);
  return edits;
}

}  // namespace warplens::tried
