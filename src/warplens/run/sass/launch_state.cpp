#include "warplens/run/sass/launch_state.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/run/sass/cluster.h"
#include "warplens/simt/reserved_shared.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint64_t kParameterAlignment = 128;
constexpr size_t kGridBarrierWords = 32;  // what cooperative groups keep for a grid

struct Bank {
  std::vector<uint8_t>* bytes;
  std::vector<uint8_t>* known;
  void put(size_t at, uint32_t value) {
    if (bytes->size() < at + 4) bytes->resize(at + 4);
    std::memcpy(bytes->data() + at, &value, 4);
    if (at / 4 < known->size()) (*known)[at / 4] = 1;
  }
  void put_address(size_t high, size_t low, uint64_t address) {
    put(high, static_cast<uint32_t>(address >> 32));
    put(low, static_cast<uint32_t>(address));
  }
};

/// Where bank 0 has what kernels of any kind may ask for.
struct MemoryPlaces {
  size_t dynamic_shared, reserved_shared;  // bytes
  size_t aggregate_shared;                 // bytes a block asked for, with the system's; 0: none
  size_t constants;                        // the generic address of bank 3
  size_t reserved_end, reserved_first;     // offsets in shared memory
  size_t sms;
  size_t descriptor;  // of device memory, which every access names: nothing here needs its content
};
constexpr MemoryPlaces kMemoryBefore90{0x2c, 0x114, 0, 0x50, 0x120, 0x124, 0x10c, 0x118},
    kMemoryOf90{0x2c, 0x114, 0x13c, 0xd0, 0x68, 0x6c, 0x10c, 0x208},
    kMemoryOf100{0x2ac, 0x16c, 0x2bc, 0x120, 0x278, 0x27c, 0x2d0, 0x358};

/// Where bank 0 has what a launch says beside its sizes, from compute capability 9.0 on.
struct Places {
  size_t is_cluster, sizes, reciprocals, clusters, blocks;
  size_t parameters;         // their generic address
  size_t barrier[2];         // the grid's: high and low word
  uint32_t first_parameter;  // of kernels that were compiled to have it there
};
constexpr Places kOf90{0x140, 0x144, 0x150, 0x15c, 0x188, 0x198, {0x44, 0x48}, 0x210},
    kOf100{0x36c, 0x2a0, 0x2b0, 0x2c0, 0x2cc, 0x348, {0x254, 0x258}, 0x380};
const Places& places_of(int architecture) { return architecture >= 100 ? kOf100 : kOf90; }

/// Where bank 0 has the parameters. The cubin does not say it of a kernel without any: then they would begin there.
uint32_t parameters_begin(const Program& program) {
  constexpr uint32_t kBefore90 = 0x160;
  if (program.parameter_offset != 0) return program.parameter_offset;
  return program.architecture < 90 ? kBefore90 : places_of(program.architecture).first_parameter;
}

void put_cluster(const MachineLaunch& launch, const Places& at, Bank bank) {
  const auto& size = launch.cluster;
  const auto blocks = static_cast<uint32_t>(blocks_of(size));
  bank.put(at.is_cluster, blocks > 1);
  bank.put(at.blocks, blocks);
  for (size_t axis = 0; axis < 3; ++axis) {
    // A block's index times this, cut to an integer, is its cluster's: rounded up, so that multiples do not fall short.
    const float whole = 1.0f / static_cast<float>(size[axis]);
    bank.put(at.sizes + 4 * axis, size[axis]);
    bank.put(at.reciprocals + 4 * axis, std::bit_cast<uint32_t>(size[axis] > 1 ? std::nextafter(whole, 2.0f) : whole));
    bank.put(at.clusters + 4 * axis, launch.grid[axis] / size[axis]);
  }
}

void put_memory(const MemoryPlaces& at, const Program& program, const MachineLaunch& launch, uint64_t constants,
                Bank bank) {
  const gpu::Arch& arch = device_of(launch, program.architecture).architecture();
  const uint32_t shared_in_all = shared_bytes_in_all(program, launch);
  const auto reserved = static_cast<uint32_t>(arch.shared_reserved_bytes);
  const uint32_t first = at.reserved_end == kMemoryBefore90.reserved_end ? shared_in_all - reserved : 0;
  bank.put(at.reserved_end, first + simt::kReservedSharedUsed);
  bank.put(at.reserved_first, first);
  bank.put(at.dynamic_shared, launch.dynamic_shared_bytes);
  bank.put(at.reserved_shared, reserved);
  if (at.aggregate_shared != 0)
    bank.put(at.aggregate_shared, program.own_shared_bytes() + launch.dynamic_shared_bytes + reserved);
  bank.put_address(at.constants + 4, at.constants, constants);
  bank.put(at.sms, launch.sms);
  bank.put_address(at.descriptor + 4, at.descriptor, 0);
}

}  // namespace

uint32_t shared_bytes_in_all(const Program& program, const MachineLaunch& launch) {
  const gpu::Arch& arch = device_of(launch, program.architecture).architecture();
  const uint64_t own = simt::allocated_shared_bytes(arch, program.own_shared_bytes() + launch.dynamic_shared_bytes);
  return static_cast<uint32_t>(own + static_cast<uint64_t>(arch.shared_reserved_bytes));
}

Status LaunchState::prepare(const Program& program, const MachineLaunch& launch, uint32_t local_bytes) {
  if (blocks_of(launch.cluster) > 1 && program.architecture < 90)
    return unsupported(fmt::format("clusters in machine code of sm_{}", program.architecture));
  const uint32_t offset = parameters_begin(program);
  parameters_.assign(launch.parameters.size() + 2 * kParameterAlignment, 0);
  const auto begin = reinterpret_cast<uint64_t>(parameters_.data());
  parameters_at_ = (begin + kParameterAlignment - 1) / kParameterAlignment * kParameterAlignment +
                   offset % kParameterAlignment;  // code aligns its parameters by their place in the bank
  std::ranges::copy(launch.parameters, parameters_.data() + (parameters_at_ - begin));
  grid_barrier_.assign(kGridBarrierWords, 0);

  constants = program.constants;
  auto& bytes = constants.banks[0];
  bytes.assign(std::max<size_t>(offset + launch.parameters.size(), 0x30) + 16, 0);
  constants.known.assign(offset / 4, 0);
  Bank bank{&bytes, &constants.known};
  for (size_t axis = 0; axis < 3; ++axis) {
    bank.put(4 * axis, launch.block[axis]);
    bank.put(12 + 4 * axis, launch.grid[axis]);
  }
  const uint64_t begin_of_bank = parameters_at_ - offset;  // as a generic address
  if (program.architecture < 100) bank.put_address(0x1c, 0x18, simt::kSharedWindow);
  if (program.architecture < 90) bank.put_address(0x44, 0x40, begin_of_bank);
  bank.put_address(0x24, 0x20, simt::kLocalWindow);
  bank.put(0x28, local_bytes);
  put_memory(program.architecture >= 100  ? kMemoryOf100
             : program.architecture >= 90 ? kMemoryOf90
                                          : kMemoryBefore90,
             program, launch, program.constants_at != 0 ? program.constants_at : constant_memory().begin, bank);
  const bool placed = program.architecture >= 90 && offset >= places_of(program.architecture).first_parameter;
  if (placed) {
    const Places& places = places_of(program.architecture);
    put_cluster(launch, places, bank);
    bank.put_address(places.parameters + 4, places.parameters, parameters_at_);
    if (program.architecture < 100) {
      bank.put_address(0xc4, 0xc0, begin_of_bank);
      bank.put_address(0x1a4, 0x1a0, parameters_at_ + launch.parameters.size());
    }
  }
  if (placed && program.architecture >= 100) {
    for (size_t axis = 0; axis < 3; ++axis) {
      bank.put(0x360 + 4 * axis, launch.block[axis]);
      bank.put(0x370 + 4 * axis, launch.grid[axis]);
    }
    bank.put(0x37c, local_bytes);
    bank.put_address(0x2fc, 0x2f8, simt::kLocalWindow);
  }
  constexpr size_t kBarrierBefore90[2] = {0x8c, 0x90};
  const auto& [high, low] = program.architecture < 90 ? kBarrierBefore90 : places_of(program.architecture).barrier;
  bank.put_address(high, low, launch.cooperative ? reinterpret_cast<uint64_t>(grid_barrier_.data()) : 0);
  std::ranges::copy(launch.parameters, bytes.begin() + offset);
  return {};
}

simt::Allocation LaunchState::constant_memory() const {
  const auto bank = constants.banks.find(kUserConstants);
  if (bank == constants.banks.end()) return {};
  const auto begin = reinterpret_cast<uint64_t>(bank->second.data());
  return {begin, begin + bank->second.size(), 0, "constant memory"};
}
simt::Allocation LaunchState::parameters() const {
  return {parameters_at_, reinterpret_cast<uint64_t>(parameters_.data()) + parameters_.size(), 0, "parameters"};
}
simt::Allocation LaunchState::grid_barrier() const {
  const auto begin = reinterpret_cast<uint64_t>(grid_barrier_.data());
  return {begin, begin + 8 * grid_barrier_.size(), 0, "grid barrier"};
}

}  // namespace warplens::simt::sass_machine
