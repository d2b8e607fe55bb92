// Loads and stores where nothing is counted, which are translated: however the lanes lie, the same bytes must arrive.
#include <random>

#include "warplens/base/text.h"
#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine::testing {
namespace {

constexpr uint32_t kThreads = 4 * kLanes - 19;  // the last warp lacks lanes
constexpr uint32_t kDataBytes = 8192, kReserved = 1024;

/// Where each thread goes, and whether it does.
struct Place {
  uint32_t offset = 0, goes = 1;
};

/// Rows of lanes, one address, halves, rows of fours, turned round, a tile of two rows, every second place, one address
/// a half, anywhere: a kind for each warp, or one for all. Half of them begin with a line of 128 bytes.
std::vector<Place> places(std::mt19937& random, uint32_t size, bool alike) {
  std::vector<Place> out(kThreads);
  uint32_t kind = 0, first = 0, second = 0, guard = 0;
  for (uint32_t i = 0; i < kThreads; ++i) {
    const uint32_t lane = i % kLanes, most = kDataBytes / size - 2 * kLanes;
    if (lane == 0) {
      if (i == 0 || !alike) kind = random() % 10;
      guard = random() % 3;
      first = static_cast<uint32_t>(random() % most);
      second = static_cast<uint32_t>(random() % most);
      if (random() % 2) first -= first % (128 / size);
    }
    const uint32_t of_kind[] = {first + lane,
                                first,
                                lane < 16 ? first : second + lane,
                                lane < 16 ? first + lane : second,
                                first + lane % 4 * 5 + lane / 4,
                                first + 31 - lane,
                                first + lane % 16 + lane / 16 * 21,
                                first + 2 * lane,
                                first + lane / 16 * 9,
                                static_cast<uint32_t>(random() % most)};
    out[i].offset = of_kind[kind] * size;
    out[i].goes = guard == 0 ? 1 : guard == 1 ? lane != 3 : random() % 2;
  }
  return out;
}

constexpr uint32_t kX = 2, kY = 4, kPlaces = 6, kOffset = 20, kGoes = 21, kAt = 22, kValue = 24, kInto = 28;
constexpr uint64_t kLdg = 0x981, kStg = 0x986, kGuarded = uint64_t{0} << 12, kAlways = uint64_t{7} << 12;

/// LDG or STG; `ways`: bits 72 and up but the size.
Word global(uint64_t code, uint32_t value, uint32_t at, uint32_t width, uint64_t guard, uint64_t ways,
            uint64_t by = 0) {
  const bool store = code == kStg;
  const uint64_t second = store ? uint64_t{value} << 32 : 0, target = store ? 0 : uint64_t{value} << 16;
  return {code | guard | target | uint64_t{at} << 24 | second | by << 40, ways | field(73, width)};
}
constexpr uint64_t kPair = bit(72) | bit(76) | bit(91) | field(64, 63);

std::vector<Word> program_for(uint32_t width, uint64_t guard, int way) {
  constexpr uint32_t kUniform = 8;
  const auto with_base = [](Word load) {
    load.low |= uint64_t{kUniform} << 32;
    return load;
  };
  const uint64_t based = bit(72) | bit(91);
  std::vector<Word> code = {
      {0x0000000000007919, 0x0000000000002100},                   // S2R R0, tid.x
      {0x00008400ff007b82 | kX << 16, 0x0000000000000a00},        // LDC.64, the first parameter
      {0x00008600ff007b82 | kY << 16, 0x0000000000000a00},        // the second
      {0x00008800ff007b82 | kPlaces << 16, 0x0000000000000a00},   // the third
      {0x0000840000007ab9 | kUniform << 16, 0x0000000000000a00},  // ULDC.64, the first again
      word(Opcode::kImadWide, Form::kImmediateB, kPlaces, 0, 8, kPlaces),
      word(Opcode::kImadWide, Form::kImmediateB, kY, 0, 16, kY),
      global(kLdg, kOffset, kPlaces, 5, kAlways, kPair),
      word(Opcode::kIsetp, Form::kImmediateB, 0, kGoes, 0, kRegisterZero, field(76, 5),
           field(81, 0) | field(84, 7) | field(87, 7)),
      word(Opcode::kImadWide, Form::kImmediateB, kAt, kOffset, 1, kX),
      word(Opcode::kImadWide, Form::kImmediateB, kInto, 0, 0, kRegisterZero),
  };
  for (uint32_t k = 0; k < 4; ++k)
    code.push_back(word(Opcode::kImad, Form::kImmediateB, kValue + k, 0, 0x01010101u * (k + 3), kRegisterZero));
  switch (way) {
    case 0:  // what was there comes back, and what the thread had goes 8 KiB further
      code.push_back(global(kStg, kValue, kAt, width, guard, kPair, kDataBytes));
      code.push_back(global(kLdg, kValue, kAt, width, guard, kPair));
      break;
    case 1: code.push_back(with_base(global(kLdg, kValue, kOffset, width, guard, based, 16))); break;
    case 2:  // a pair whose high word is 0
      code.push_back(word(Opcode::kMov, Form::kImmediateB, kOffset + 1, kRegisterZero, 0));
      code.push_back(with_base(global(kLdg, kValue, kOffset, width, guard, based | bit(90))));
      break;
    default: {  // shared memory, then local memory
      const bool shared = way == 3;
      const uint64_t by = shared ? kReserved : 16;
      Word store = word(shared ? Opcode::kSts : Opcode::kStl, Form::kConstantC, 0, kOffset, kValue | by << 8,
                        kRegisterZero, field(73, width), 0),
           load = word(shared ? Opcode::kLds : Opcode::kLdl, Form::kImmediateB, kValue, kOffset,
                       kRegisterZero | by << 8, 0, field(73, width), 0);
      for (Word* one : {&store, &load}) one->low = (one->low & ~kAlways) | guard;
      code.insert(code.end(), {store, load});
    }
  }
  code.push_back(global(kStg, kValue, kY, 6, kAlways, kPair));
  code.push_back({0x000000000000794d, 0x0000000003800000});  // EXIT
  return code;
}

struct Left {
  std::vector<uint32_t> words;  // the data and the threads' registers
  MachineCounts counts;
};

Left left_by(const std::vector<Word>& code, const std::vector<Place>& places, bool counted, bool translated) {
  Program program;
  program.architecture = 90;
  program.registers = 32;
  program.parameter_offset = 0x210;
  program.static_shared_bytes = kReserved + kDataBytes;
  program.frame_bytes = kDataBytes;
  program.code = code;
  program.lines.resize(code.size());
  Memory memory;
  constexpr uint32_t kWords = 2 * kDataBytes / 4;
  const uint64_t x = *memory.allocate(4 * kWords, "x"), y = *memory.allocate(16 * kThreads, "y"),
                 p = *memory.allocate(8 * kThreads, "places");
  auto* data = reinterpret_cast<uint32_t*>(x);
  for (uint32_t i = 0; i < kWords; ++i) data[i] = 0x9e3779b9u * (i + 1);
  std::memset(reinterpret_cast<void*>(y), 0, 16 * kThreads);
  std::memcpy(reinterpret_cast<void*>(p), places.data(), 8 * kThreads);
  MachineLaunch launch;
  launch.block = {kThreads, 1, 1};
  launch.grid = {3, 1, 1};  // the cache model sees the first
  launch.threads = 1;
  launch.memory = &memory;
  launch.counted = counted;
  launch.translated = translated;
  launch.parameters.resize(24);
  const uint64_t parameters[] = {x, y, p};
  std::memcpy(launch.parameters.data(), parameters, sizeof parameters);
  Result<MachineCounts> ran = run_machine(program, launch);
  EXPECT_TRUE(ran.ok());
  EXPECT_EQ(ran->stop.kind, Stop::Kind::kNone) << ran->stop.reason;
  std::vector<uint32_t> out(data, data + kWords);
  out.insert(out.end(), reinterpret_cast<uint32_t*>(y), reinterpret_cast<uint32_t*>(y) + 4 * kThreads);
  return {std::move(out), std::move(*ran)};
}

TEST(TranslateMemory, TheSameBytesArriveAndCountHoweverTheLanesLie) {
  constexpr uint32_t kSizes[] = {1, 1, 2, 2, 4, 8, 16};
  std::mt19937 random(7);
  for (uint32_t width = 0; width < std::size(kSizes); ++width) {
    for (int way = 0; way < 4; ++way) {
      for (const uint64_t guard : {kAlways, kGuarded}) {
        const std::vector<Word> code = program_for(width, guard, way);
        for (int round = 0; round < 12; ++round) {
          const std::vector<Place> where = places(random, kSizes[width], round % 2 != 0);
          const std::string what =
              fmt::format("width {}, way {}, {} lanes, round {}", width, way, guard == kAlways ? "all" : "some", round);
          const Left interpreted = left_by(code, where, true, false), translated = left_by(code, where, true, true);
          ASSERT_EQ(interpreted.words, left_by(code, where, false, true).words) << what;
          ASSERT_EQ(interpreted.words, translated.words) << what << ", counted";
          ASSERT_EQ(first_difference(interpreted.counts, translated.counts), "") << what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
