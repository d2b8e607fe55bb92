#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "warplens/trace/stream/decoder.h"
#include "warplens/trace/stream/encoder.h"
#include "warplens/trace/stream/file_blocks.h"

namespace warplens::stream {
namespace {

class Bytes : public BlockSink {
 public:
  Bytes() {
    const FileHeader header = file_header();
    all.assign(reinterpret_cast<const char*>(&header), sizeof header);
  }
  void put(BlockKind, std::string_view block, uint64_t, uint64_t) override {
    ends.push_back(all.size());
    all += numbers.next(block);
  }
  FileBlocks numbers;
  std::string all;
  std::vector<size_t> ends;  // where each block begins
};

/// Notes what it is given, one line each.
class Notes : public Visitor {
 public:
  void text(uint64_t id, std::string_view text) override { texts[id] = text; }
  void site(uint64_t id, const KernelSite& s) override {
    note("kernel site", id, texts[s.name], s.grid[2], s.registers);
  }
  void site(uint64_t id, const CallSite& s) override { note("call site", id, texts[s.name], s.is_driver, s.thread); }
  void site(uint64_t id, const CopySite& s) override { note("copy site", id, "", s.kind, s.stream); }
  void site(uint64_t id, const SetSite& s) override { note("set site", id, "", s.memory, s.stream); }
  void site(uint64_t id, const SyncSite& s) override { note("sync site", id, "", s.type, s.stream); }
  void device(const Device& d, uint64_t name) override {
    note("device", d.ordinal, texts[name], d.sm_count, d.warp_size);
  }
  void thread_name(uint64_t thread, uint64_t name) override { note("thread", thread, texts[name], 0, 0); }
  void metadata(uint64_t key, uint64_t value) override { note("metadata", 0, texts[key] + "=" + texts[value], 0, 0); }
  void graph_node(uint64_t node, uint64_t original, uint64_t) override { note("node", node, "", original, 0); }
  void activity(Tag, const Activity& a) override {
    ++events;
    note("activity", a.site, std::to_string(a.bytes), a.start_ns, a.end_ns);
    note("of", a.correlation, std::to_string(a.event_plus_1), a.graph, a.node);
  }
  void allocation(uint64_t, uint64_t at, uint64_t address, int64_t bytes, int64_t device) override {
    note("allocation", at, std::to_string(bytes), address, device);
  }
  void push(uint64_t t, uint64_t at, uint64_t name, uint64_t domain) override {
    note("push", t, texts[name] + texts[domain], at, 0);
  }
  void begin_operator(uint64_t t, uint64_t at, uint64_t name, uint64_t shapes, int64_t sequence) override {
    note("operator", t, texts[name] + texts[shapes], at, sequence);
  }
  void pop(uint64_t t, uint64_t at) override { note("pop", t, "", at, 0); }
  void mark(uint64_t t, uint64_t at, uint64_t name, uint64_t) override { note("mark", t, texts[name], at, 0); }
  void range_start(uint64_t t, uint64_t at, uint64_t id, uint64_t name, uint64_t) override {
    note("start", t, texts[name], at, id);
  }
  void range_end(uint64_t t, uint64_t at, uint64_t id) override { note("end", t, "", at, id); }
  void clock(uint64_t real, uint64_t raw) override { note("clock", 0, "", real, raw); }
  void lost(Lost what, uint64_t count) override { note("lost", static_cast<uint64_t>(what), "", count, 0); }
  void pause(uint64_t at, bool pauses) override { note("pause", pauses, "", at, 0); }
  void end() override { note("finished", 0, "", 0, 0); }

  std::vector<std::string> lines;
  std::map<uint64_t, std::string> texts;
  uint64_t events = 0;

 private:
  template <typename A, typename B>
  void note(const char* what, uint64_t id, const std::string& text, A a, B b) {
    lines.push_back(std::string(what) + " " + std::to_string(id) + " " + text + " " + std::to_string(a) + " " +
                    std::to_string(b));
  }
};

constexpr uint64_t kNow = 1'800'000'000'000'000'000;

void write_everything(Encoder& to) {
  const uint32_t kernel = to.site(KernelSite{to.text("k"), 1, 2, 7, {8, 9, 10}, {32, 1, 1}, 40, 1024});
  const uint32_t call = to.site(CallSite{to.text("cudaLaunchKernel"), 0, 4321});
  to.device({.ordinal = 1, .name = "H", .sm_count = 132, .warp_size = 32});
  to.metadata("process", "7");
  to.call({.site = call, .start_ns = kNow, .end_ns = kNow + 900, .correlation = 5});
  to.kernel({.site = kernel, .start_ns = kNow + 5000, .end_ns = kNow + 7000, .correlation = 5});
  to.kernel({.site = kernel, .start_ns = kNow + 4000, .end_ns = kNow + 4500, .correlation = 3, .graph = 2, .node = 77});
  to.copy({.site = to.site(CopySite{1, 2, 3, 1, 2, 7}),
           .start_ns = kNow + 8000,
           .end_ns = kNow + 8100,
           .correlation = 9,
           .bytes = 4096});
  to.set({.site = to.site(SetSite{3, 1, 2, 7}),
          .start_ns = kNow + 8200,
          .end_ns = kNow + 8300,
          .correlation = 10,
          .bytes = 64});
  to.sync({.site = to.site(SyncSite{3, 0, 2, 7}),
           .start_ns = kNow + 1,
           .end_ns = kNow + 2,
           .correlation = 11,
           .event_plus_1 = 4});
  to.allocation(4321, kNow + 3, 0x7f00, -512, 1);
  to.begin_operator(4321, kNow, to.text("aten::mm"), to.text("[[2, 3]]"), 12);
  to.pop(4321, kNow + 10);
  to.push(99, kNow + 4, to.text("mine"), to.text("NCCL"));
  to.pop(99, kNow + 5);
  to.lost(Lost::kHostEvents, 3);
  to.end();
}

Notes read(std::string_view bytes, Damage* damage = nullptr) {
  Notes notes;
  const Result<Damage> decoded = decode(bytes, notes);
  EXPECT_TRUE(decoded.ok()) << decoded.status().message();
  if (damage != nullptr && decoded.ok()) *damage = *decoded;
  return notes;
}

TEST(Stream, GivesBackWhatWasWritten) {
  Bytes bytes;
  Encoder encoder(bytes);
  write_everything(encoder);
  encoder.flush();
  const std::string now = std::to_string(kNow);
  const auto at = [](uint64_t offset) { return std::to_string(kNow + offset); };
  EXPECT_EQ(read(bytes.all).lines, (std::vector<std::string>{"kernel site 1 k 10 40",
                                                             "call site 2 cudaLaunchKernel 0 4321",
                                                             "device 1 H 132 32",
                                                             "metadata 0 process=7 0 0",
                                                             "copy site 3  1 7",
                                                             "set site 4  3 7",
                                                             "sync site 5  3 7",
                                                             "activity 2 0 " + at(0) + " " + at(900),
                                                             "of 5 0 0 0",
                                                             "activity 1 0 " + at(5000) + " " + at(7000),
                                                             "of 5 0 0 0",
                                                             "activity 1 0 " + at(4000) + " " + at(4500),
                                                             "of 3 0 2 77",
                                                             "activity 3 4096 " + at(8000) + " " + at(8100),
                                                             "of 9 0 0 0",
                                                             "activity 4 64 " + at(8200) + " " + at(8300),
                                                             "of 10 0 0 0",
                                                             "activity 5 0 " + at(1) + " " + at(2),
                                                             "of 11 4 0 0",
                                                             "allocation " + at(3) + " -512 32512 1",
                                                             "operator 4321 aten::mm[[2, 3]] " + now + " 12",
                                                             "pop 4321  " + at(10) + " 0",
                                                             "push 99 mineNCCL " + at(4) + " 0",
                                                             "pop 99  " + at(5) + " 0",
                                                             "lost 1  3 0",
                                                             "finished 0  0 0"}));
}

std::string many_blocks(std::vector<size_t>* starts = nullptr) {
  Bytes bytes;
  Encoder encoder(bytes);
  for (uint64_t i = 0; i < 200; ++i) {
    const uint32_t site = encoder.site(CallSite{encoder.text("call" + std::to_string(i % 50)), 0, 1});
    encoder.call({.site = site, .start_ns = kNow + i * 1000, .end_ns = kNow + i * 1000 + 10, .correlation = i});
    if (i % 20 == 19) encoder.flush();
  }
  bytes.ends.push_back(bytes.all.size());
  bytes.all += bytes.numbers.totals();
  if (starts != nullptr) *starts = bytes.ends;
  return bytes.all;
}

bool is_whole(const Damage& damage) {
  return damage.has_totals && damage.damaged_blocks + damage.missing_blocks + damage.misplaced_blocks == 0 &&
         damage.missing_events == 0 && damage.torn_bytes == 0;
}

/// Blocks `from` to `to` of a file.
std::string part(const std::string& all, const std::vector<size_t>& starts, size_t from, size_t to) {
  const size_t begin = starts[from], end = to < starts.size() ? starts[to] : all.size();
  return all.substr(begin, end - begin);
}

TEST(Stream, NoBlockCanGoUnseen) {
  std::vector<size_t> starts;
  const std::string all = many_blocks(&starts);
  Damage damage;
  read(all, &damage);
  EXPECT_TRUE(is_whole(damage));
  const std::string head = all.substr(0, starts[0]);
  const size_t n = starts.size();
  for (size_t from = 0; from < n; ++from) {
    for (size_t to = from + 1; to <= n; ++to) {
      read(head + part(all, starts, 0, from) + (to < n ? part(all, starts, to, n) : ""), &damage);
      EXPECT_FALSE(is_whole(damage)) << "without " << from << " to " << to;
      if (to < n) {
        EXPECT_EQ(damage.missing_blocks, to - from);
      }
    }
  }
}

TEST(Stream, NoBlockCanStandTwiceOrElsewhere) {
  std::vector<size_t> starts;
  const std::string all = many_blocks(&starts);
  const size_t n = starts.size();
  for (size_t i = 0; i + 1 < n; ++i) {
    Damage damage;
    const std::string twice = all.substr(0, starts[i + 1]) + part(all, starts, i, n);
    const Notes notes = read(twice, &damage);
    EXPECT_EQ(damage.misplaced_blocks, 1u) << i;
    EXPECT_EQ(notes.events, 200u) << i;
    if (i + 2 > n) continue;
    read(all.substr(0, starts[i]) + part(all, starts, i + 1, i + 2) + part(all, starts, i, i + 1) +
             (i + 2 < n ? part(all, starts, i + 2, n) : ""),
         &damage);
    EXPECT_FALSE(is_whole(damage)) << "swapped " << i;
  }
}

TEST(Stream, CutAnywhereKeepsAllWholeBlocks) {
  std::vector<size_t> starts;
  const std::string all = many_blocks(&starts);
  const uint64_t events = read(all).events;
  EXPECT_EQ(events, 200u);
  for (size_t size = sizeof(FileHeader); size < all.size(); size += 7) {
    Damage damage;
    const Notes notes = read(std::string_view(all).substr(0, size), &damage);
    const size_t whole = std::upper_bound(starts.begin(), starts.end(), size) - starts.begin();
    const bool at_edge = size == starts[0] || (whole > 0 && starts[whole - 1] == size);
    EXPECT_EQ(damage.damaged_blocks, 0u);
    EXPECT_EQ(damage.torn_bytes == 0, at_edge) << size;
    EXPECT_LE(notes.events, events);
  }
}

TEST(Stream, DamagedBlockIsSkippedAndCounted) {
  std::vector<size_t> starts;
  std::string all = many_blocks(&starts);
  all[starts[3] + sizeof(BlockHeader) + 1] ^= 0x10;  // events of the second flush
  Damage damage;
  const Notes notes = read(all, &damage);
  EXPECT_EQ(damage.damaged_blocks, 1u);
  EXPECT_EQ(damage.first_damage, starts[3]);
  EXPECT_EQ(notes.events, 180u);
}

TEST(Stream, RefusesWhatIsNewer) {
  std::string all = many_blocks();
  all[8] = 9;
  Notes notes;
  const Result<Damage> decoded = decode(all, notes);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.status().message(), "recorded by a newer warplens than this one: update warplens");
  all[8] = 1;
  EXPECT_EQ(decode(all, notes).status().message(),
            "recorded by an older warplens, whose blocks had no numbers: record again");
}

TEST(Stream, LaunchTakesFewBytes) {
  Bytes bytes;
  Encoder encoder(bytes);
  constexpr uint64_t kLaunches = 10'000;
  const uint32_t kernel = encoder.site(KernelSite{encoder.text("k"), 0, 1, 7, {8, 1, 1}, {256, 1, 1}, 32, 0});
  const uint32_t call = encoder.site(CallSite{encoder.text("cudaLaunchKernel"), 0, 4321});
  for (uint64_t i = 0; i < kLaunches; ++i) {
    encoder.call({.site = call, .start_ns = kNow + i * 5000, .end_ns = kNow + i * 5000 + 2000, .correlation = 10 + i});
    encoder.kernel(
        {.site = kernel, .start_ns = kNow + i * 5000 + 4000, .end_ns = kNow + i * 5000 + 5500, .correlation = 10 + i});
  }
  encoder.flush();
  EXPECT_LT(bytes.all.size() / kLaunches, 20u);
}

}  // namespace
}  // namespace warplens::stream
