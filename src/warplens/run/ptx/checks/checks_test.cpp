// Planted defects, twenty and more of each kind, each beside the kernel that has it fixed: the defect is found and the
// fixed kernel is clean.
#include <tuple>

#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

struct Element {
  const char *type, *reg;
  uint32_t bytes;
};
const std::vector<Element> kElements = {{"u8", "%h1", 1},           {"u16", "%h1", 2},
                                        {"f32", "%f1", 4},          {"f64", "%d1", 8},
                                        {"v2.f32", "{%f1,%f2}", 8}, {"v4.f32", "{%f1,%f2,%f3,%f4}", 16}};

/// A kernel of 64 threads in 2 warps: %r1 = thread, %rd1 = global buffer of 4096 bytes, %rd2 = generic address of 4096
/// bytes of shared memory, %rd3 = its shared address.
std::string kernel(const std::string& body) {
  return ".visible .entry k(.param .u64 data) {\n.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<19>; .reg .b64 "
         "%rd<19>; .reg .f32 %f<9>; .reg .f64 %d<9>;\n"
         ".shared .align 16 .b8 s[4096];\n"
         "ld.param.u64 %rd1, [data]; mov.u32 %r1, %tid.x; mov.u64 %rd3, s; cvta.shared.u64 %rd2, %rd3;\n" +
         body + "\nret;\n}";
}

class Checks {
 public:
  explicit Checks(const std::string& body) : bench(kernel(body)) {
    data = bench.buffer<uint8_t>(4096, 0, "data");
    bench.argument(data);
    bench.config.block = {64, 1, 1};
    bench.config.checks = kCheckAll;
  }
  /// Ids of the reports, each once, in order.
  std::vector<std::string> ids() {
    result = bench.run();
    std::vector<std::string> found;
    for (const Report& r : result.reports) {
      if (std::find(found.begin(), found.end(), r.id) == found.end()) found.push_back(r.id);
    }
    return found;
  }
  Bench bench;
  uint8_t* data = nullptr;
  LaunchResult result;
};

void expect_defect(const std::string& id, const std::string& bad, const std::string& good, uint32_t blocks = 1) {
  Checks with(bad), without(good);
  with.bench.config.grid = without.bench.config.grid = {blocks, 1, 1};
  const auto found = with.ids();
  const bool only = id == "race" || found.size() == 1;  // what races may also be read before it is written
  EXPECT_TRUE(only && std::find(found.begin(), found.end(), id) != found.end())
      << id << "\n"
      << bad << (found.empty() ? "" : with.result.reports[0].message);
  const auto clean = without.ids();
  EXPECT_TRUE(clean.empty()) << id << "\n"
                             << good << "\n"
                             << (clean.empty()
                                     ? ""
                                     : without.result.reports[0].id + ": " + without.result.reports[0].message);
  EXPECT_FALSE(without.result.fault) << without.result.fault->text();
}

std::string format_text(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [from, to] : values) {
    for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
  }
  return text;
}

TEST(Checks, ReadsThatACompareAndSwapConfirms) {
  const std::string loop =
      "L: mov.u32 %r3, %r2; add.u32 %r4, %r3, 1; atom.SPACE.cas.b32 %r2, [ADDRESS], COMPARED, "
      "%r4; setp.ne.u32 %p1, %r2, %r3; @%p1 bra L;";
  for (const auto& [setup, load, space, address] :
       {std::tuple("", "[%rd1]", "global", "%rd1"), std::tuple("", "[%rd1+4]", "global", "%rd1+4"),
        std::tuple("cvta.to.global.u64 %rd5, %rd1; add.s64 %rd6, %rd5, 8;", "[%rd6]", "global", "%rd5+8")}) {
    const auto with = [&](const std::string& compared) {
      return setup + ("ld.global.u32 %r2, " + std::string(load)) + "; mov.u32 %r6, %r1;" +
             format_text(loop, {{"SPACE", space}, {"ADDRESS", address}, {"COMPARED", compared}});
    };
    const std::string other = "ld.global.u32 %r2, [%rd1+16]; atom.global.cas.b32 %r3, [%rd1+16], %r1, %r2;";
    expect_defect("race", other, with("%r3"), 2);
  }
}

TEST(Checks, OutOfBounds) {
  for (const Element& e : kElements) {
    for (const char* space : {"global", "shared"}) {
      const bool shared = std::string(space) == "shared";
      for (const bool store : {false, true}) {
        const std::string base = shared ? "%rd3" : "%rd1",
                          access = store ? format_text("st.SPACE.TYPE [%rd5], REG;",
                                                       {{"SPACE", space}, {"TYPE", e.type}, {"REG", e.reg}})
                                         : format_text("st.SPACE.TYPE [%rd5], REG; ld.SPACE.TYPE REG, [%rd5];",
                                                       {{"SPACE", space}, {"TYPE", e.type}, {"REG", e.reg}});
        const std::string text =
            "mov.u16 %h1, 0; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; mov.f64 "
            "%d1, 0d0000000000000000;\n"
            "mul.wide.u32 %rd4, %r1, SIZE; add.u64 %rd5, %rd4, BASE; add.u64 %rd5, %rd5, SHIFT;\n" +
            access;
        const auto at = [&](uint32_t shift) {
          return format_text(text,
                             {{"SIZE", std::to_string(e.bytes)}, {"BASE", base}, {"SHIFT", std::to_string(shift)}});
        };
        expect_defect("out-of-bounds", at(4096 - 60 * e.bytes), at(4096 - 64 * e.bytes));
      }
    }
  }
}

TEST(Checks, UseAfterFree) {
  for (uint32_t i = 0; i < 20; ++i) {
    const Element& e = kElements[i % kElements.size()];
    const std::string body =
        format_text("mul.wide.u32 %rd4, %r1, SIZE; add.u64 %rd5, %rd4, %rd1; ld.global.TYPE REG, [%rd5];",
                    {{"SIZE", std::to_string(e.bytes)}, {"TYPE", e.type}, {"REG", e.reg}});
    Checks c(body);
    for (uint32_t k = 0; k < i; ++k) c.bench.buffer<float>(64 << (k % 5));
    ASSERT_TRUE(c.bench.memory.free(reinterpret_cast<Address>(c.data)).ok());
    EXPECT_EQ(c.ids(), std::vector<std::string>{"use-after-free"}) << e.type;
    EXPECT_NE(c.result.reports[0].message.find("'data'"), std::string::npos) << c.result.reports[0].message;
  }
}

TEST(Checks, Misaligned) {
  for (const Element& e : kElements) {
    if (e.bytes == 1) continue;
    for (const uint32_t off : {1u, e.bytes / 2}) {
      for (const char* base : {"%rd1", "%rd2"}) {
        const std::string text =
            "mov.u16 %h1, 0; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; mov.f64 "
            "%d1, 0d0000000000000000;\n"
            "mul.wide.u32 %rd4, %r1, SIZE; add.u64 %rd5, %rd4, BASE; st.TYPE [%rd5+OFF], REG;";
        const auto at = [&](uint32_t offset) {
          return format_text(text, {{"SIZE", std::to_string(e.bytes)},
                                    {"BASE", base},
                                    {"TYPE", e.type},
                                    {"REG", e.reg},
                                    {"OFF", std::to_string(offset)}});
        };
        expect_defect("misaligned", at(off), at(e.bytes));
      }
    }
  }
}

TEST(Checks, UninitialisedReadsOfSharedMemory) {
  for (const Element& e : kElements) {
    for (const char* base : {"%rd2", "%rd3"}) {
      for (const uint32_t written : {63u, 32u}) {
        const std::string space = std::string(base) == "%rd3" ? ".shared" : "";
        const std::string text =
            "mov.u16 %h1, 0; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; mov.f64 "
            "%d1, 0d0000000000000000;\n"
            "mul.wide.u32 %rd4, %r1, SIZE; add.u64 %rd5, %rd4, BASE; setp.lt.u32 %p1, %r1, COUNT; @%p1 stSPACE.TYPE "
            "[%rd5], REG;\nbar.sync 0;\nldSPACE.TYPE REG, [%rd5];";
        const auto with = [&](uint32_t count) {
          return format_text(text, {{"SIZE", std::to_string(e.bytes)},
                                    {"BASE", base},
                                    {"TYPE", e.type},
                                    {"REG", e.reg},
                                    {"COUNT", std::to_string(count)},
                                    {"SPACE", space}});
        };
        expect_defect("uninitialised-read", with(written), with(64));
      }
    }
  }
}

TEST(Checks, UninitialisedReadsOfGlobalMemory) {
  for (const Element& e : kElements) {
    Checks c(format_text("mul.wide.u32 %rd4, %r1, SIZE; add.u64 %rd5, %rd4, %rd1; ld.global.TYPE REG, [%rd5];",
                         {{"SIZE", std::to_string(e.bytes)}, {"TYPE", e.type}, {"REG", e.reg}}));
    c.bench.memory.mark_uninitialised(reinterpret_cast<Address>(c.data));
    EXPECT_EQ(c.ids(), std::vector<std::string>{"uninitialised-read"});
  }
}

/// Each thread writes its element and reads its neighbour's: with a barrier between and without.
TEST(Checks, RacesOfABlock) {
  for (const Element& e : kElements) {
    for (const char* base : {"%rd1", "%rd3"}) {
      for (const uint32_t step : {1u, 33u}) {
        const std::string space = std::string(base) == "%rd3" ? "shared" : "global";
        const std::string text =
            "cvt.u16.u32 %h1, %r1; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; "
            "cvt.rn.f64.u32 %d1, %r1; add.u16 %h1, %h1, 1; add.f64 %d1, %d1, 0d3ff0000000000000; add.f32 %f1, %f1, "
            "0f3f800000;\n"
            "mul.wide.u32 %rd4, %r1, SIZE; add.u64 %rd5, %rd4, BASE; st.SPACE.TYPE [%rd5], REG;\nBARRIER\n"
            "add.u32 %r2, %r1, STEP; and.b32 %r2, %r2, 63; mul.wide.u32 %rd6, %r2, SIZE; add.u64 %rd7, %rd6, BASE; "
            "ld.SPACE.TYPE REG, [%rd7];";
        const auto with = [&](const char* barrier) {
          return format_text(text, {{"SIZE", std::to_string(e.bytes)},
                                    {"BASE", base},
                                    {"SPACE", space},
                                    {"TYPE", e.type},
                                    {"REG", e.reg},
                                    {"STEP", std::to_string(step)},
                                    {"BARRIER", barrier}});
        };
        expect_defect("race", with(""), with("bar.sync 0;"));
      }
    }
  }
}

TEST(Checks, RacesOfAWarp) {
  const std::string text =
      "setp.ge.u32 %p1, %r1, 32; @%p1 bra END; add.u32 %r3, %r1, 1; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd4, "
      "%rd3; st.shared.u32 [%rd5], %r3;\nSYNC\n"
      "xor.b32 %r2, %r1, 1; mul.wide.u32 %rd6, %r2, 4; add.u64 %rd7, %rd6, %rd3; ld.shared.u32 %r4, [%rd7];\nEND:";
  expect_defect("race", format_text(text, {{"SYNC", ""}}), format_text(text, {{"SYNC", "bar.warp.sync 0xffffffff;"}}));
  // A write after a read, over the second round of a loop.
  const std::string loop =
      "mov.u32 %r5, 0;\nL:\nadd.u32 %r3, %r1, %r5; add.u32 %r3, %r3, 1; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd4, "
      "%rd3; st.shared.u32 [%rd5], %r3;\nbar.sync 0;\n"
      "xor.b32 %r2, %r1, 32; mul.wide.u32 %rd6, %r2, 4; add.u64 %rd7, %rd6, %rd3; ld.shared.u32 %r4, "
      "[%rd7];\nSYNC\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3; @%p1 bra L;";
  expect_defect("race", format_text(loop, {{"SYNC", ""}}), format_text(loop, {{"SYNC", "bar.sync 0;"}}));
}

TEST(Checks, AValueThatOneThreadGoesOnWith) {
  // Every thread loads a word that the first one then changes; the sum is what the first thread stores, or all do.
  const std::string text =
      "setp.ne.u32 %p1, %r1, 0; ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; @!%p1 st.global.u32 [%rd1], %r2;\n"
      "mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd4, %rd1; STORE st.global.u32 [%rd5+64], %r2;";
  expect_defect("race", format_text(text, {{"STORE", ""}}), format_text(text, {{"STORE", "@!%p1"}}));
}

TEST(Checks, OneReportForAPairOfLines) {
  Checks with(
      ".loc 1 7 0\nst.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r1;\n"
      ".loc 1 8 0\nld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+4]; add.u32 %r2, %r2, %r3;\n"
      ".loc 1 9 0\nmul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd4, %rd1; st.global.u32 [%rd5+64], %r2;");
  with.ids();
  size_t of_these = 0;
  for (const Report& r : with.result.reports) {
    if (r.other && (r.place.ptx_line != r.other->ptx_line) && r.id == "race") ++of_these;
  }
  EXPECT_EQ(of_these, 1u) << "stores of line 7 with loads of line 8";
}

TEST(Checks, RacesBetweenBlocks) {
  // Plain additions to one word by every block, against atomic ones.
  const std::string first = "setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\nUPDATE\nEND:";
  const std::string plain = "ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2;";
  expect_defect("race", format_text(first, {{"UPDATE", plain}}),
                format_text(first, {{"UPDATE", "red.global.add.u32 [%rd1], 1;"}}), 4);
  // A value handed from block 0 to block 1 through a flag: with fences of the right scope, of too small a one, without.
  const std::string hand =
      "mov.u32 %r9, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra END; setp.ne.u32 %p2, %r9, 0; @%p2 bra TAKE;\n"
      "st.global.u32 [%rd1], 7;\nFENCE\nst.volatile.global.u32 [%rd1+64], 1; bra END;\n"
      "TAKE: ld.volatile.global.u32 %r2, [%rd1+64]; setp.eq.u32 %p3, %r2, 0; @%p3 bra TAKE;\nFENCE\nld.global.u32 %r3, "
      "[%rd1];\nEND:";
  expect_defect("race", format_text(hand, {{"FENCE", ""}}), format_text(hand, {{"FENCE", "membar.gl;"}}), 2);
  expect_defect("race", format_text(hand, {{"FENCE", "membar.cta;"}}),
                format_text(hand, {{"FENCE", "fence.acq_rel.gpu;"}}), 2);
}

TEST(Checks, CpAsyncIsReadAfterItsWait) {
  const std::string text =
      "mul.wide.u32 %rd4, %r1, 16; add.u64 %rd5, %rd4, %rd1; add.u64 %rd6, %rd4, %rd3; cvt.u32.u64 %r2, %rd6;\n"
      "cp.async.cg.shared.global [%r2], [%rd5], 16;\ncp.async.commit_group;\nWAIT\nBARRIER\nld.shared.u32 %r3, [READ];";
  const auto with = [&](const char* wait, const char* barrier, const char* read) {
    return format_text(text, {{"WAIT", wait}, {"BARRIER", barrier}, {"READ", read}});
  };
  expect_defect("race", with("", "", "%r2"), with("cp.async.wait_group 0;", "", "%r2"));
  expect_defect("race", with("cp.async.wait_group 1;", "bar.sync 0;", "%r2"),
                with("cp.async.wait_all;", "bar.sync 0;", "%r2"));
  expect_defect("race", with("", "bar.sync 0;", "%rd3"), with("cp.async.wait_group 0;", "bar.sync 0;", "%rd3"));
}

TEST(Checks, BarriersInDivergentCode) {
  for (uint32_t lanes = 1; lanes <= 20; ++lanes) {
    const std::string text =
        "setp.ge.u32 %p1, %r1, COUNT; @%p1 bra SKIP;\nmov.u32 %r2, 5;\nbar.sync 0;\nbra END;\nSKIP: mov.u32 %r2, 6; "
        "bar.sync 0;\nEND: mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd4, %rd1; st.global.u32 [%rd5], %r2;";
    const auto with = [&](uint32_t count) { return format_text(text, {{"COUNT", std::to_string(count)}}); };
    expect_defect("divergent-barrier", with(lanes), with(64));
  }
}

TEST(Checks, MissingLanesOfAMask) {
  for (uint32_t lanes = 1; lanes <= 20; ++lanes) {
    const std::string text =
        "and.b32 %r2, %r1, 31; mov.u32 %r4, 0; setp.ge.u32 %p1, %r2, COUNT; @%p1 bra SKIP;\nshfl.sync.down.b32 %r4, "
        "%r1, 1, 31, MASK;\nSKIP: mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd4, %rd1; st.global.u32 [%rd5], %r4;";
    const auto with = [&](const std::string& mask) {
      return format_text(text, {{"COUNT", std::to_string(lanes)}, {"MASK", mask}});
    };
    expect_defect("missing-mask-lanes", with("0xffffffff"), with(std::to_string((1u << lanes) - 1)));
  }
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
