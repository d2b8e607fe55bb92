#include "warplens/run/sass/program.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/isa/cubin/cubin.h"
#include "warplens/run/sass/machine.h"

namespace warplens::simt::sass_machine {
namespace {

std::string large_parameters() {
  auto bytes = read_file(tests::source_path("tests/data/cubin/large_parameters.sm_90.cubin"));
  EXPECT_TRUE(bytes.ok());
  return bytes.ok() ? *bytes : "";
}

std::optional<Variable> nothing(std::string_view) { return std::nullopt; }

TEST(LoadProgram, ParametersOfMoreThanFourKilobytesAreRead) {
  constexpr uint32_t kTensors = 600, kCountAt = 8 * kTensors, kOutAt = 0x12c8, kBytes = kOutAt + 8;
  const std::string image = large_parameters();
  const auto code = cubin::read_cubin(image);
  ASSERT_TRUE(code.ok());
  const std::vector<cubin::Parameter>& parameters = code->function("sum_of_many")->parameters;
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[0].size_bytes, kOutAt);
  EXPECT_EQ(parameters[1].offset, kOutAt);

  const auto program = load_program(image, "sum_of_many", nothing);
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(program->parameter_bytes, kBytes);
  Memory memory;
  MachineLaunch launch;
  launch.block = {32, 1, 1};
  launch.memory = &memory;
  launch.parameters.resize(kBytes);
  constexpr int kCount = 3;
  for (int k = 0; k < kCount; ++k) {
    auto* x = reinterpret_cast<float*>(*memory.allocate(128, "x"));
    for (int i = 0; i < 32; ++i) x[i] = static_cast<float>(100 * k + i);
    std::memcpy(launch.parameters.data() + 8 * k, &x, 8);
  }
  auto* y = reinterpret_cast<float*>(*memory.allocate(128, "y"));
  std::memcpy(launch.parameters.data() + kCountAt, &kCount, 4);
  std::memcpy(launch.parameters.data() + kOutAt, &y, 8);
  const auto counts = run_machine(*program, launch);
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->stop.kind, Stop::Kind::kNone) << counts->stop.reason;
  for (int i = 0; i < 32; ++i) EXPECT_EQ(y[i], static_cast<float>(300 + 3 * i)) << i;
}

TEST(LoadProgram, RefusesParametersThatAreDescribedInNoKnownWay) {
  std::string image = large_parameters();
  // The attribute of parameter 1, 0x45, becomes one that nobody knows.
  const std::string known("\x04\x45\x0c\x00\x00\x00\x00\x00\x01\x00", 10);
  const size_t at = image.find(known);
  ASSERT_NE(at, std::string::npos);
  image[at + 1] = 0x7e;
  const auto program = load_program(image, "sum_of_many", nothing);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.status().message(),
            "warplens understands the cubin's description of only 4808 of the 4816 parameter bytes of sum_of_many");
}

}  // namespace
}  // namespace warplens::simt::sass_machine
