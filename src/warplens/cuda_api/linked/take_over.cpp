#include "warplens/cuda_api/linked/take_over.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/cuda_api/linked/jump.h"
#include "warplens/cuda_api/linked/loaded_objects.h"
#include "warplens/isa/fatbin/host_runtime.h"

namespace warplens::cuda_api {
namespace {

using fatbin::HostRuntime, fatbin::HostRuntimeKind, fatbin::LinkedCall;

void tell(const std::string& file, const std::string& what) {
  std::fprintf(stderr, "warplens: %s: %s\n", file.c_str(), what.c_str());
}

/// The calls of one emulated runtime by name.
using Calls = std::map<std::string, const void*, std::less<>>;

/// The emulated runtimes. Their own tables are read, since nothing may be asked of the dynamic linker here.
struct Emulated {
  Calls cuda12, cuda13;
  std::set<const link_map*> objects;  // those that hold them: their own functions stay

  const Calls* of(int major) const { return major == 12 ? &cuda12 : major == 13 ? &cuda13 : nullptr; }
};

Calls calls_of(const link_map& object) {
  Calls out;
  const Result<MappedFile> file = MappedFile::open(file_of(object));
  if (!file.ok()) return out;
  const Result<cubin::Elf> elf = cubin::read_elf_sections(file->bytes());
  const cubin::ElfSection* table = elf.ok() ? elf->first_of(cubin::kDynamicSymbolTable) : nullptr;
  if (table == nullptr) return out;
  for (const cubin::ElfSymbol& symbol : elf->symbols_of(*table)) {
    if (symbol.is_function() && symbol.section != 0)
      out[std::string(symbol.name)] = reinterpret_cast<const void*>(object.l_addr + symbol.value);
  }
  return out;
}

/// Those of this file's own functions that a CUDA runtime of the vendor's lacks: what has them is ours.
constexpr std::string_view kOurs = "__cudaWarplensTakeOver";

Emulated find_emulated() {
  Emulated out;
  for (const link_map* object : loaded_objects()) {
    const std::string file = file_of(*object);
    for (const auto& [name, calls] : {std::pair{"/libcudart.so.12", &out.cuda12}, {"/libcudart.so.13", &out.cuda13}}) {
      if (!file.ends_with(name)) continue;
      Calls found = calls_of(*object);
      if (!found.contains(kOurs)) continue;
      *calls = std::move(found);
      out.objects.insert(object);
    }
  }
  return out;
}

const Emulated& emulated() {
  static const auto* const found = new Emulated(find_emulated());  // kept to the very end, as the runtime
  return *found;
}

/// Whether the file is the one that was mapped, and no newer one of its name.
bool is_what_is_mapped(const cubin::Elf& elf, std::string_view file, uintptr_t base) {
  const auto first = std::ranges::find_if(elf.segments, [](const auto& s) { return s.is_loaded() && s.offset == 0; });
  if (first == elf.segments.end()) return false;
  const auto* mapped = reinterpret_cast<const char*>(base + first->address);
  const size_t bytes = std::min<size_t>(first->file_bytes, 64 + 56 * elf.segments.size());
  return bytes <= file.size() && std::memcmp(mapped, file.data(), bytes) == 0;
}

int protection_of(const cubin::ElfSegment& segment) {
  return ((segment.flags & PF_R) != 0 ? PROT_READ : 0) | ((segment.flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((segment.flags & PF_X) != 0 ? PROT_EXEC : 0);
}

/// The jumps of the calls that lie in one segment.
std::vector<Jump> jumps_in(const cubin::ElfSegment& segment, const std::vector<LinkedCall>& calls, const Calls& ours,
                           uintptr_t base, const std::string& file) {
  std::vector<Jump> out;
  for (const LinkedCall& call : calls) {
    if (call.address < segment.address || call.address - segment.address >= segment.file_bytes) continue;
    const auto found = ours.find(call.name);
    if (found == ours.end()) continue;  // the program's own, as nvcc makes some
    if (call.room_bytes < kJumpBytes)
      tell(file, fmt::format("{} in its CUDA runtime is too short for a jump, so it is not replaced", call.name));
    else out.push_back({base + call.address, found->second});
  }
  return out;
}

void take_over(const cubin::Elf& elf, const HostRuntime& runtime, uintptr_t base, const std::string& file) {
  const Calls* const ours = emulated().of(runtime.major);
  if (ours == nullptr || ours->empty()) {
    tell(file,
         "its copy of the CUDA runtime is of version 11 or older, which is not emulated: build it with CUDA 12 "
         "or 13");
    return;
  }
  for (const cubin::ElfSegment& segment : elf.segments) {
    if (!segment.is_loaded() || !segment.runs()) continue;
    const std::vector<Jump> jumps = jumps_in(segment, runtime.calls, *ours, base, file);
    const uintptr_t begin = base + segment.address;
    const Status written = write_jumps({begin, begin + segment.file_bytes, protection_of(segment)}, jumps);
    if (!written.ok()) tell(file, written.message());
  }
}

void look_at(const link_map& object) {
  const std::string path = file_of(object);
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok()) return;  // the kernel's own, which has no file
  const Result<cubin::Elf> elf = cubin::read_elf_sections(file->bytes());
  if (!elf.ok()) return;
  const HostRuntime runtime = fatbin::host_runtime_of(*elf);
  if (runtime.kind != HostRuntimeKind::kLinked) return;
  if (!is_what_is_mapped(*elf, file->bytes(), object.l_addr))
    return tell(path, "the file was replaced while it runs: its copy of the CUDA runtime stays");
  take_over(*elf, runtime, object.l_addr, path);
}

/// Looks at each object once, as long as it is loaded.
void look_at_new() {
  static auto& known = *new std::set<const link_map*>;
  std::set<const link_map*> now;
  for (const link_map* object : loaded_objects()) {
    now.insert(object);
    if (known.contains(object) || emulated().objects.contains(object)) continue;
    look_at(*object);
  }
  known = std::move(now);
}

}  // namespace
}  // namespace warplens::cuda_api

CUDA_API void __cudaWarplensTakeOver() {
  using namespace warplens;
  cuda_api::look_at_new();
  if (const Status told = cuda_api::on_loaded(&cuda_api::look_at_new); !told.ok())
    std::fprintf(stderr, "warplens: libraries that are loaded later keep their own CUDA runtime: %s\n",
                 told.message().c_str());
}
