#include "warplens/launch/description.h"

#include <algorithm>
#include <limits>
#include <set>

#include "warplens/base/text.h"
#include "warplens/build/compile/kernel_names.h"

namespace warplens::launch {
namespace {

constexpr uint64_t kLargestBuffer = uint64_t{1} << 40;

std::string names_of(const std::vector<BufferSpec>& buffers) {
  std::vector<std::string> names;
  for (const BufferSpec& buffer : buffers) names.push_back(buffer.name);
  return names.empty() ? "there are none" : "there are " + join(names, ", ");
}

Status check_buffers(const std::vector<BufferSpec>& buffers, const char* list) {
  std::set<std::string> seen;
  for (const BufferSpec& buffer : buffers) {
    if (!seen.insert(buffer.name).second)
      return invalid_input(fmt::format("{}.{}: stands there twice", list, buffer.name));
    uint64_t bytes = info(buffer.dtype).size_bytes;
    for (const uint64_t n : buffer.shape) {
      if (__builtin_mul_overflow(bytes, n, &bytes) || bytes > kLargestBuffer)
        return invalid_input(fmt::format("{}.{}: is larger than 1 TB", list, buffer.name));
    }
    if (buffer.fill.low && buffer.fill.high && *buffer.fill.low > *buffer.fill.high)
      return invalid_input(fmt::format("{}.{}: low ({:g}) is above high ({:g})", list, buffer.name, *buffer.fill.low,
                                       *buffer.fill.high));
    if (buffer.fill.kind == FillKind::kHash && (buffer.fill.bits < 1 || buffer.fill.bits > 32))
      return invalid_input(fmt::format("{}.{}: 'bits' is 1 to 32, not {}", list, buffer.name, buffer.fill.bits));
  }
  return {};
}

Status check_shape(const LaunchSpec& launch) {
  constexpr Dim3 kGrid = gpu::kMostGrid, kBlock = gpu::kMostBlock;
  constexpr uint64_t kThreads = kBlock[0];  // one side may hold them all
  uint64_t threads = 1, cluster = 1;
  for (size_t d = 0; d < 3; ++d) {
    const char axis = "xyz"[d];
    if (launch.grid[d] < 1 || launch.grid[d] > kGrid[d])
      return invalid_input(fmt::format("grid: its {} is {}; it must be 1 to {}", axis, launch.grid[d], kGrid[d]));
    if (launch.block[d] < 1 || launch.block[d] > kBlock[d])
      return invalid_input(fmt::format("block: its {} is {}; it must be 1 to {}", axis, launch.block[d], kBlock[d]));
    if (launch.cluster[d] < 1 || launch.grid[d] % launch.cluster[d] != 0)
      return invalid_input(fmt::format("cluster: its {} is {}, which does not divide the grid's {}", axis,
                                       launch.cluster[d], launch.grid[d]));
    threads *= launch.block[d];
    cluster *= launch.cluster[d];
  }
  if (threads > kThreads)
    return invalid_input(fmt::format("block: has {} threads; a block has at most {}", threads, kThreads));
  if (cluster > gpu::kMostCluster)
    return invalid_input(fmt::format("cluster: has {} blocks; a cluster has at most {}", cluster, gpu::kMostCluster));
  return {};
}

Status check_argument(const Argument& argument, const Description& description) {
  for (size_t i = 0; i < argument.members.size(); ++i)
    WL_TRY(check_argument(argument.members[i], description).in(fmt::format("struct[{}]", i)));
  if (argument.buffer.empty()) return {};
  const BufferSpec* buffer = description.buffer(argument.buffer);
  if (buffer == nullptr)
    return not_found(fmt::format("no buffer '{}'; {}", argument.buffer, names_of(description.buffers)));
  const bool known = buffer->npy.empty();
  if (argument.offset_bytes < 0 || (known && static_cast<uint64_t>(argument.offset_bytes) > buffer->size_bytes()))
    return invalid_input(fmt::format("offset_bytes: {} is outside '{}'", argument.offset_bytes, argument.buffer));
  return {};
}

Status check_outputs(const Description& description) {
  const auto known = [&](const std::string& name) {
    return description.buffer(name) != nullptr ||
           std::ranges::any_of(description.symbols, [&](const BufferSpec& symbol) { return symbol.name == name; });
  };
  for (const auto& [name, path] : description.save) {
    if (!known(name)) return not_found(fmt::format("save.{}: no such buffer; {}", name, names_of(description.buffers)));
  }
  for (const auto& [name, expectation] : description.expect) {
    for (const std::string& needed : {name, expectation.buffer}) {
      if (!needed.empty() && !known(needed))
        return not_found(fmt::format("expect.{}: no buffer '{}'; {}", name, needed, names_of(description.buffers)));
    }
  }
  return {};
}

}  // namespace

uint64_t BufferSpec::count() const {
  uint64_t product = 1;
  for (const uint64_t n : shape) product *= n;
  return product;
}

const BufferSpec* Description::buffer(std::string_view name) const {
  for (const BufferSpec& candidate : buffers) {
    if (candidate.name == name) return &candidate;
  }
  return nullptr;
}

void visit_buffers(const std::vector<Argument>& args, const std::function<void(const Argument&)>& visit) {
  for (const Argument& argument : args) {
    if (!argument.buffer.empty()) visit(argument);
    visit_buffers(argument.members, visit);
  }
}

Status keep_launches(Description& description, const std::string& wanted) {
  if (wanted.empty()) return {};
  std::vector<std::string> names;
  for (const LaunchSpec& launch : description.launches) {
    if (std::find(names.begin(), names.end(), launch.kernel) == names.end()) names.push_back(launch.kernel);
  }
  if (names == std::vector<std::string>{""}) {  // the source's only kernel
    for (LaunchSpec& launch : description.launches) launch.kernel = wanted;
    return {};
  }
  WL_ASSIGN(const std::string chosen, compile::choose_kernel(names, wanted));
  std::erase_if(description.launches, [&](const LaunchSpec& launch) { return launch.kernel != chosen; });
  drop_unused_buffers(description);
  return {};
}

void drop_unused_buffers(Description& description) {
  std::set<std::string> used;
  for (const LaunchSpec& launch : description.launches)
    visit_buffers(launch.args, [&](const Argument& argument) { used.insert(argument.buffer); });
  const auto unused = [&](const BufferSpec& buffer) {
    if (used.contains(buffer.name)) return false;
    description.save.erase(buffer.name);
    std::erase_if(description.expect, [&](const auto& expected) {
      return expected.first == buffer.name || expected.second.buffer == buffer.name;
    });
    return true;
  };
  std::erase_if(description.buffers, unused);
}

void number_seeds(Description* description) {
  uint64_t number = 0;
  for (auto* specs : {&description->buffers, &description->symbols}) {
    for (BufferSpec& spec : *specs) {
      if (!spec.fill.seed) spec.fill.seed = number;
      ++number;
    }
  }
}

Status check_description(const Description& description) {
  if (description.source.empty()) return invalid_input("source: names no file");
  if (description.launches.empty()) return invalid_input("launches: is empty");
  WL_TRY(check_buffers(description.buffers, "buffers"));
  WL_TRY(check_buffers(description.symbols, "symbols"));
  for (size_t i = 0; i < description.launches.size(); ++i) {
    const LaunchSpec& launch = description.launches[i];
    WL_TRY(check_shape(launch).in(fmt::format("launches[{}]", i)));
    for (size_t a = 0; a < launch.args.size(); ++a)
      WL_TRY(check_argument(launch.args[a], description).in(fmt::format("launches[{}].args[{}]", i, a)));
  }
  return check_outputs(description);
}

}  // namespace warplens::launch
