// Machine code run on the CPU must leave in memory what the emulator makes of the PTX that it was compiled from, bit
// for bit. The kernels are those of examples/kernels/hopper_async.cu.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/isa/ptx/parser.h"
#include "warplens/run/ptx/emulator.h"
#include "warplens/run/sass/machine.h"

namespace warplens::session {
namespace {

constexpr size_t kWords = 65536;
const std::string kFolder = tests::source_path("tests/data/sass/hopper/");

enum Buffer : size_t { kBits, kFloats, kBytes, kOut, kMaps, kMatrix, kBuffers };

struct Case {
  const char* kernel;
  std::array<uint32_t, 3> grid;
  uint32_t block, cluster;
  std::vector<Buffer> buffers;
  std::vector<uint32_t> numbers;
};

const std::vector<Case> kCases = {
    {"scramble", {64, 1, 1}, 256, 1, {kBits}, {kWords, 0xffffffff, 0}},
    {"scramble", {64, 1, 1}, 256, 1, {kFloats}, {kWords, 0x007fffff, 0x3f800000}},
    {"scramble", {64, 1, 1}, 256, 1, {kBytes}, {kWords, 0xbfbfbfbf, 0}},
    {"cluster_sum", {64, 1, 1}, 256, 4, {kFloats, kOut}, {}},
    {"cluster_histogram", {8, 1, 1}, 256, 2, {kBits, kOut}, {}},
    {"cluster_send", {16, 1, 1}, 256, 4, {kFloats, kOut}, {}},
    {"cluster_multicast", {16, 1, 1}, 256, 4, {kFloats, kOut}, {}},
    {"bulk_round_trip", {32, 1, 1}, 128, 1, {kFloats, kOut}, {}},
    {"bulk_add", {16, 1, 1}, 128, 1, {kBits, kOut}, {}},
    {"make_maps", {1, 1, 1}, 32, 1, {kFloats, kMatrix, kMaps}, {100}},
    {"tensor_round_trip", {8, 7, 1}, 128, 1, {kMaps}, {}},
    {"bulk_pieces", {8, 1, 1}, 128, 1, {kBits, kOut}, {}},
    {"pipeline", {10, 1, 1}, 128, 1, {kFloats, kOut}, {12}},
    {"group_fp8", {8, 1, 1}, 128, 1, {kBytes, kBits, kOut}, {}},
    {"group_fp8", {8, 1, 1}, 128, 1, {kBytes, kBytes, kOut}, {}},
    {"group_s8", {8, 1, 1}, 128, 1, {kBits, kBytes, kOut}, {}},
    {"group_registers", {8, 1, 1}, 128, 1, {kBytes, kBytes, kOut}, {}},
    {"zero_fill", {4, 1, 1}, 256, 1, {kFloats, kOut}, {3001}},
    {"specialised", {8, 1, 1}, 256, 1, {kFloats, kOut}, {}},
};

using Words = std::vector<uint32_t>;

class MachineResults : public ::testing::Test {
 protected:
  void SetUp() override {
    auto text = read_file(std::string(kFolder) + "hopper_async.ptx");
    auto image = read_file(std::string(kFolder) + "hopper_async.sm_90a.cubin");
    ASSERT_TRUE(text.ok() && image.ok());
    cubin = std::move(*image);
    auto parsed = ptx::parse(*text, "hopper_async.ptx");
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    auto loaded = simt::ptx_machine::Module::load(std::make_shared<ptx::Module>(std::move(*parsed)), memory);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    module = std::move(*loaded);
    for (auto& buffer : buffers) buffer = reinterpret_cast<uint32_t*>(*memory.allocate(4 * kWords, "buffer"));
  }

  std::vector<Words> contents() const {
    std::vector<Words> out;
    for (const uint32_t* buffer : buffers) out.emplace_back(buffer, buffer + kWords);
    return out;
  }
  void restore(const std::vector<Words>& from) {
    for (size_t k = 0; k < kBuffers; ++k) std::memcpy(buffers[k], from[k].data(), 4 * kWords);
  }

  std::vector<uint8_t> parameters(const Case& c) const {
    std::vector<uint8_t> out;
    const auto add = [&](const void* value, size_t size) {
      const auto* bytes = static_cast<const uint8_t*>(value);
      out.insert(out.end(), bytes, bytes + size);
    };
    for (const Buffer buffer : c.buffers) add(&buffers[buffer], 8);
    for (const uint32_t number : c.numbers) add(&number, 4);
    return out;
  }

  void run_machine_code(const Case& c) {
    const auto none = [](std::string_view) -> std::optional<simt::Variable> { return std::nullopt; };
    const auto program = simt::sass_machine::load_program(cubin, c.kernel, none);
    ASSERT_TRUE(program.ok()) << program.status().message();
    simt::sass_machine::MachineLaunch launch;
    launch.grid = c.grid;
    launch.block = {c.block, 1, 1};
    launch.cluster = {c.cluster, 1, 1};
    launch.parameters = parameters(c);
    launch.memory = &memory;
    const auto counts = simt::sass_machine::run_machine(*program, launch);
    ASSERT_TRUE(counts.ok()) << counts.status().message();
    EXPECT_EQ(counts->stop.kind, simt::sass_machine::Stop::Kind::kNone) << c.kernel << ": " << counts->stop.reason;
  }

  void run_ptx(const Case& c) {
    simt::Launch config;
    config.grid = c.grid;
    config.block = {c.block, 1, 1};
    config.cluster = {c.cluster, 1, 1};
    config.parameters = parameters(c);
    const auto result = simt::ptx_machine::launch(*module, c.kernel, config);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_FALSE(result->fault.has_value()) << result->fault->text();
  }

  std::string cubin;
  simt::Memory memory;
  std::unique_ptr<simt::ptx_machine::Module> module;
  std::array<uint32_t*, kBuffers> buffers{};
};

TEST_F(MachineResults, AreThoseOfThePtx) {
  for (const Case& c : kCases) {
    const std::vector<Words> before = contents();
    run_machine_code(c);
    const std::vector<Words> machine = contents();
    restore(before);
    run_ptx(c);
    const std::vector<Words> expected = contents();
    EXPECT_NE(expected, before) << c.kernel << " does nothing";
    for (size_t buffer = 0; buffer < kBuffers; ++buffer) {
      size_t wrong = 0, first = 0;
      for (size_t k = kWords; k-- > 0;) {
        if (machine[buffer][k] != expected[buffer][k]) {
          ++wrong;
          first = k;
        }
      }
      EXPECT_EQ(wrong, 0u) << c.kernel << ": buffer " << buffer << ", first at " << first << std::hex << " "
                           << machine[buffer][first] << " for " << expected[buffer][first];
    }
  }
}

}  // namespace
}  // namespace warplens::session
