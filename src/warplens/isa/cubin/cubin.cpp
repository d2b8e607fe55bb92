#include "warplens/isa/cubin/cubin.h"

#include <algorithm>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/cubin/kernel_names.h"
#include "warplens/isa/cubin/line_table.h"
#include "warplens/isa/cubin/nv_info.h"

namespace warplens::cubin {
namespace {

constexpr std::string_view kText = ".text.";
constexpr uint64_t kInstructionBytes = 16;

class Reader {
 public:
  Reader(const Elf& elf, Cubin& out)
      : elf_(elf),
        out_(out),
        source_(read_line_table(elf, ".debug_line")),
        ptx_(read_line_table(elf, ".nv_debug_line_sass")) {
    for (const LineTable* table : {&source_, &ptx_}) {
      if (!table->note.empty()) out_.notes.push_back(table->note);
    }
  }

  void run() {
    std::unordered_map<size_t, std::vector<uint32_t>> functions;  // symbols by section
    for (size_t i = 0; i < elf_.symbols.size(); ++i) {
      if (elf_.symbols[i].is_function()) functions[elf_.symbols[i].section].push_back(static_cast<uint32_t>(i));
    }
    for (size_t i = 0; i < elf_.sections.size(); ++i) {
      if (elf_.sections[i].name.starts_with(kText)) section(i, std::move(functions[i]));
    }
    const ElfSection* common = elf_.section(".nv.info");
    if (common != nullptr) read_common(common->bytes);
  }

 private:
  /// The functions of one section: a kernel or device function, and routines that the compiler put behind it.
  void section(size_t index, std::vector<uint32_t> symbols) {
    const ElfSection& text = elf_.sections[index];
    std::sort(symbols.begin(), symbols.end(),
              [&](uint32_t a, uint32_t b) { return elf_.symbols[a].value < elf_.symbols[b].value; });
    const std::string_view main_name = text.name.substr(kText.size());
    for (size_t i = 0; i < symbols.size(); ++i) {
      const ElfSymbol& symbol = elf_.symbols[symbols[i]];
      const uint64_t next = i + 1 < symbols.size() ? elf_.symbols[symbols[i + 1]].value : text.bytes.size();
      Function function;
      function.name = symbol.name;
      function.address = static_cast<uint32_t>(symbol.value);
      const ElfSection* info = elf_.section(".nv.info." + function.name);
      function.is_kernel = symbol.name == main_name && info != nullptr && is_entry(symbol);
      if (info != nullptr) read_own(info->bytes, function);
      const ElfSection* shared = elf_.section(".nv.shared." + function.name);
      if (shared != nullptr)
        function.shared_bytes = static_cast<uint32_t>(shared->size) - reserved_shared(shared->size);
      instructions(text.bytes, main_name, next, function);
      by_symbol_.emplace(symbols[i], out_.functions.size());
      out_.functions.push_back(std::move(function));
    }
  }

  /// From sm_90 on each section begins with the 1,024 bytes that the system keeps.
  uint32_t reserved_shared(uint64_t size) const {
    constexpr uint32_t kReserved = 1024;
    return elf_.section(".nv.shared.reserved.0") != nullptr && size >= kReserved ? kReserved : 0;
  }

  void instructions(std::string_view text, std::string_view main_name, uint64_t end, Function& function) {
    const auto source = source_.functions.find(main_name), ptx = ptx_.functions.find(main_name);
    end = std::min<uint64_t>(end, text.size());
    for (uint64_t at = function.address; at + kInstructionBytes <= end; at += kInstructionBytes) {
      const sass::Word word{load<uint64_t>(text, at), load<uint64_t>(text, at + 8)};
      SassInstruction decoded{sass::disassemble(word, static_cast<uint32_t>(at), out_.architecture)};
      if (source != source_.functions.end()) decoded.line = line_index(source->second, decoded.address, function);
      if (ptx != ptx_.functions.end()) {
        const LineRow* row = row_at(ptx->second, decoded.address);
        decoded.ptx_line = row == nullptr ? 0 : row->line;
      }
      function.instructions.push_back(std::move(decoded));
    }
    drop_padding(function.instructions);
  }

  uint32_t line_index(const std::vector<LineRow>& rows, uint32_t address, Function& function) {
    const LineRow* row = row_at(rows, address);
    if (row == nullptr || row->file >= source_.files.size()) return kNoLine;
    const SourceLine line{source_.files[row->file], row->line};
    if (function.lines.empty()) known_lines_.clear();
    const auto [found, added] =
        known_lines_.try_emplace({row->file, row->line}, static_cast<uint32_t>(function.lines.size()));
    if (added) function.lines.push_back(line);
    return found->second;
  }

  /// Sections end with a branch to itself and NOPs.
  static void drop_padding(std::vector<SassInstruction>& instructions) {
    while (!instructions.empty() && instructions.back().opcode == sass::Opcode::kNop) instructions.pop_back();
    if (instructions.empty()) return;
    const SassInstruction& last = instructions.back();
    if (last.opcode == sass::Opcode::kBra && last.has_target && last.target == last.address) instructions.pop_back();
  }

  static std::array<uint32_t, 3> dimensions(std::string_view payload) {
    return {load<uint32_t>(payload, 0), load<uint32_t>(payload, 4), load<uint32_t>(payload, 8)};
  }

  static void read_own(std::string_view section, Function& function) {
    for (const InfoEntry& entry : read_info(section)) {
      switch (entry.attribute) {
        case Attribute::kMaxThreads: function.max_threads = dimensions(entry.payload); break;
        case Attribute::kRequiredThreads: function.required_threads = dimensions(entry.payload); break;
        case Attribute::kParameterBytes: function.parameter_bytes = entry.value; break;
        case Attribute::kBarriers: function.barriers = entry.value & 0xff; break;
        case Attribute::kCluster: function.cluster = dimensions(entry.payload); break;
        default:
          if (const auto parameter = parameter_of(entry)) function.parameters.push_back(*parameter);
          break;  // the rest says nothing about resources
      }
    }
    std::sort(function.parameters.begin(), function.parameters.end(),
              [](const Parameter& a, const Parameter& b) { return a.ordinal < b.ordinal; });
  }

  /// .nv.info names functions by symbol.
  void read_common(std::string_view section) {
    for (const InfoEntry& entry : read_info(section)) {
      if (entry.payload.size() < 8) continue;
      const auto symbol = load<uint32_t>(entry.payload, 0), value = load<uint32_t>(entry.payload, 4);
      const auto found = by_symbol_.find(symbol);
      if (found == by_symbol_.end()) continue;
      Function& owner = out_.functions[found->second];
      if (entry.attribute == Attribute::kRegisters) owner.registers = value;
      if (entry.attribute == Attribute::kFrameSize) owner.frame_bytes = value;
      if (entry.attribute == Attribute::kMinStackSize) owner.max_stack_bytes = value;
    }
  }

  const Elf& elf_;
  Cubin& out_;
  LineTable source_, ptx_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> known_lines_;  // of the function being read
  std::unordered_map<uint32_t, size_t> by_symbol_;
};

}  // namespace

const Function* Cubin::function(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function& each) { return each.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

Result<Cubin> read_cubin(std::string_view bytes) {
  WL_ASSIGN(const Elf elf, read_elf(bytes));
  if (elf.machine != kMachineCuda) {
    return invalid_input(fmt::format("this ELF file is for machine {}, not for NVIDIA GPUs", elf.machine));
  }
  Cubin out;
  out.architecture = architecture_of(elf);
  if (out.architecture < 70) {
    return unsupported(fmt::format("cubin for sm_{}: sm_70 and later can be read", out.architecture));
  }
  Reader(elf, out).run();
  return out;
}

}  // namespace warplens::cubin
