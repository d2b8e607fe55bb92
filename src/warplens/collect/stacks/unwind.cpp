#include "warplens/collect/stacks/unwind.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace warplens::collect {
namespace {

constexpr size_t kMostFrames = 128;

LoadedCode::Module module_from(const dl_phdr_info& info) {
  LoadedCode::Module out;
  const bool is_program = info.dlpi_name == nullptr || *info.dlpi_name == '\0';
  out.is_python = is_interpreter(is_program ? program_invocation_short_name : info.dlpi_name);
  const auto at = [&](uint64_t offset) { return reinterpret_cast<const uint8_t*>(info.dlpi_addr + offset); };
  for (int k = 0; k < info.dlpi_phnum; ++k) {
    const ElfW(Phdr) & part = info.dlpi_phdr[k];
    if (part.p_type == PT_GNU_EH_FRAME) out.header = at(part.p_vaddr);
    if (part.p_type != PT_LOAD) continue;
    const uint64_t begin = info.dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
    out.begin = out.end == 0 ? begin : std::min(out.begin, begin);
    out.end = std::max(out.end, end);
    if ((part.p_flags & PF_X) != 0) out.code = {at(part.p_vaddr), at(part.p_vaddr + part.p_filesz)};
  }
  for (int k = 0; k < info.dlpi_phnum && out.header != nullptr; ++k) {
    const ElfW(Phdr) & part = info.dlpi_phdr[k];
    const MappedBytes bytes = {at(part.p_vaddr), at(part.p_vaddr + part.p_filesz)};
    if (part.p_type == PT_LOAD && out.header >= bytes.begin && out.header < bytes.end) out.tables = bytes;
  }
  return out;
}

/// The 8 bytes at `address`, where they were copied.
std::optional<uint64_t> word_at(const ThreadCopy& thread, uint64_t address) {
  const uint64_t from = address - thread.registers.values[kStackPointer];
  uint64_t out = 0;
  if (from > thread.stack.size() || thread.stack.size() - from < sizeof out) return std::nullopt;
  std::memcpy(&out, thread.stack.data() + from, sizeof out);
  return out;
}

/// The registers as the caller will have them; nothing at the outermost frame or where it is not known.
std::optional<Registers> caller(const ThreadCopy& thread, const Registers& here, const FrameRule& rule) {
  if (!here.has(rule.base_register)) return std::nullopt;
  uint64_t base = here.values[rule.base_register] + static_cast<uint64_t>(rule.base_offset);
  if (rule.dereferenced) {
    const std::optional<uint64_t> kept = word_at(thread, base);
    if (!kept) return std::nullopt;
    base = *kept;
  }
  if (base <= here.values[kStackPointer]) return std::nullopt;
  Registers out;
  for (unsigned number = 0; number < kRegisters; ++number) {
    const SavedRegister& saved = rule.saved[number];
    if (saved.base == SavedRegister::kKept) {
      if (here.has(number) && number != kReturnColumn) out.set(number, here.values[number]);
      continue;
    }
    if (saved.base != SavedRegister::kCaller && !here.has(saved.base)) continue;
    const uint64_t from = saved.base == SavedRegister::kCaller ? base : here.values[saved.base];
    if (const auto value = word_at(thread, from + static_cast<uint64_t>(int64_t{saved.offset})))
      out.set(number, *value);
  }
  out.set(kStackPointer, base);
  return out.has(kReturnColumn) ? std::optional(out) : std::nullopt;
}

/// A stub jumps to where the linker says: the instruction that jumps, behind a landing mark and a prefix if there are
/// any.
bool is_stub(MappedBytes code, uint64_t address) {
  const auto* at = reinterpret_cast<const uint8_t*>(address);
  if (at < code.begin || code.end - at < 16) return false;
  constexpr uint8_t kLanding[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (std::memcmp(at, kLanding, sizeof kLanding) == 0) at += sizeof kLanding;
  at += *at == 0xf2;
  return at[0] == 0xff && at[1] == 0x25;
}

/// Whether the bytes before `end` are a call to a place that is not written in it: call *place, of each length.
bool is_indirect_call(const uint8_t* end) {
  const auto is = [&](int bytes, uint8_t low, uint8_t high) {
    return end[-bytes] == 0xff && end[1 - bytes] >= low && end[1 - bytes] <= high;
  };
  return is(2, 0xd0, 0xd7) || is(2, 0x10, 0x17) || is(3, 0x50, 0x57) || is(6, 0x90, 0x97) || is(6, 0x15, 0x15) ||
         is(4, 0x54, 0x54) || is(7, 0x94, 0x94);
}

}  // namespace

bool is_interpreter(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.starts_with("python") || file.starts_with("libpython");
}

struct LoadedCode::Pass {
  LoadedCode* code;
  const ThreadCopy* thread;
  std::vector<uint64_t>* places;
  uint64_t version = 0;
  bool walked = false;
};

/// While this is called nothing can be unloaded: the stack is walked from the first call, where what is known still
/// holds.
int LoadedCode::visit(void* info, size_t, void* to) {
  auto& pass = *static_cast<Pass*>(to);
  const auto& loaded = *static_cast<const dl_phdr_info*>(info);
  const uint64_t version = (loaded.dlpi_adds << 20) + loaded.dlpi_subs;
  if (pass.version == 0 && version == pass.code->version_) {
    pass.code->walk(*pass.thread, pass.places);
    pass.walked = true;
    return 1;
  }
  if (pass.version == 0) pass.code->modules_.clear();
  pass.version = version;
  pass.code->modules_.push_back(module_from(loaded));
  return 0;
}

std::vector<uint64_t> LoadedCode::unwind(const ThreadCopy& thread) {
  std::vector<uint64_t> places;
  if (thread.stack.empty()) return places;
  constexpr int kTries = 3;  // libraries may be loaded meanwhile
  for (int i = 0; i < kTries; ++i) {
    Pass pass{this, &thread, &places};
    const auto call = [](dl_phdr_info* info, size_t size, void* to) { return visit(info, size, to); };
    ::dl_iterate_phdr(call, &pass);
    if (pass.walked) break;
    version_ = pass.version;
    std::ranges::sort(modules_, {}, &Module::begin);
  }
  return places;
}

const LoadedCode::Module* LoadedCode::module_of(uint64_t address) const {
  const auto after = std::ranges::upper_bound(modules_, address, {}, &Module::begin);
  if (after == modules_.begin()) return nullptr;
  const Module& module = *std::prev(after);
  return address < module.end ? &module : nullptr;
}

/// Whether the code before `return_place` calls `function`, as far as the call tells.
bool LoadedCode::calls(uint64_t return_place, uint64_t function) const {
  constexpr int kLongest = 7;
  const Module* module = module_of(return_place);
  const auto* at = reinterpret_cast<const uint8_t*>(return_place);
  if (module == nullptr || at < module->code.begin + kLongest || at > module->code.end) return false;
  if (at[-5] == 0xe8) {
    int32_t distance = 0;
    std::memcpy(&distance, at - 4, sizeof distance);
    const uint64_t target = return_place + static_cast<uint64_t>(int64_t{distance});
    if (target == function || is_stub(module->code, target)) return true;
  }
  return is_indirect_call(at);
}

/// The frame pointer of a thread that waits is not told, and most of what waits does not change it. A function that has
/// one keeps it where its caller's lies, below the place that it returns to: the first behind a call of this function.
std::optional<uint64_t> LoadedCode::find_frame_pointer(const ThreadCopy& thread, uint64_t from,
                                                       uint64_t function) const {
  for (uint64_t at = from;; at += sizeof(uint64_t)) {
    const std::optional<uint64_t> returns = word_at(thread, at + sizeof(uint64_t));
    if (!returns) return std::nullopt;
    if (calls(*returns, function)) return at;
  }
}

void LoadedCode::walk(const ThreadCopy& thread, std::vector<uint64_t>* places) {
  constexpr int64_t kUsualOffset = 16;  // of the caller's stack pointer from the frame pointer
  Registers registers = thread.registers;
  for (bool innermost = true; places->size() < kMostFrames; innermost = false) {
    const uint64_t place = registers.values[kReturnColumn] - (innermost ? 0 : 1);
    const Module* module = module_of(place);
    if (module == nullptr || module->is_python) return;
    places->push_back(place);
    if (module->header == nullptr || module->tables.begin == nullptr) return;
    const std::optional<FrameRule> rule = frame_rule(module->tables, module->header, place);
    if (!rule) return;
    if (rule->base_register == kFramePointer && rule->base_offset == kUsualOffset && !registers.has(kFramePointer)) {
      const auto found = find_frame_pointer(thread, registers.values[kStackPointer], rule->function);
      if (found) registers.set(kFramePointer, *found);
    }
    const std::optional<Registers> next = caller(thread, registers, *rule);
    if (!next) return;
    registers = *next;
  }
}

}  // namespace warplens::collect
