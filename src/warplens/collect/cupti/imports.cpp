#include "warplens/collect/cupti/imports.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace warplens::cupti {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kSlots[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT};
#elif defined(__aarch64__)
constexpr uint32_t kSlots[] = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT};
#else
constexpr uint32_t kSlots[] = {0, 0};
#endif

/// The parts of a library's dynamic section that say what it imports.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * tables[2] = {};  // of functions, of the rest
  size_t bytes[2] = {};
};

Dynamic dynamic_of(const dl_phdr_info& info) {
  Dynamic out;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto at = [&](ElfW(Addr) address) {  // glibc has added the base to most; the vDSO keeps offsets
      return reinterpret_cast<const void*>(address < info.dlpi_addr ? info.dlpi_addr + address : address);
    };
    for (const auto* d = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
         d->d_tag != DT_NULL; ++d) {
      switch (d->d_tag) {
        case DT_SYMTAB: out.symbols = static_cast<const ElfW(Sym)*>(at(d->d_un.d_ptr)); break;
        case DT_STRTAB: out.names = static_cast<const char*>(at(d->d_un.d_ptr)); break;
        case DT_JMPREL: out.tables[0] = static_cast<const ElfW(Rela)*>(at(d->d_un.d_ptr)); break;
        case DT_PLTRELSZ: out.bytes[0] = d->d_un.d_val; break;
        case DT_RELA: out.tables[1] = static_cast<const ElfW(Rela)*>(at(d->d_un.d_ptr)); break;
        case DT_RELASZ: out.bytes[1] = d->d_un.d_val; break;
        default: break;
      }
    }
  }
  return out;
}

/// The page may be read-only since the library was linked, and is so again afterwards.
void write_slot(const dl_phdr_info& info, uintptr_t slot, void* to) {
  void* before = nullptr;
  std::memcpy(&before, reinterpret_cast<void*>(slot), sizeof before);
  if (before == to) return;
  const auto page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto* page = reinterpret_cast<void*>(slot & ~(page_bytes - 1));
  bool read_only = false;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) & part = info.dlpi_phdr[i];
    const uintptr_t begin = info.dlpi_addr + part.p_vaddr;
    read_only |= part.p_type == PT_GNU_RELRO && slot >= begin && slot < begin + part.p_memsz;
  }
  if (read_only && ::mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(reinterpret_cast<void**>(slot), to, __ATOMIC_RELEASE);
  if (read_only) ::mprotect(page, page_bytes, PROT_READ);
}

int redirect_library(dl_phdr_info* info, size_t, void* user) {
  const auto& imports = *static_cast<const std::span<const Import>*>(user);
  const Dynamic dynamic = dynamic_of(*info);
  const auto own = reinterpret_cast<uintptr_t>(&redirect_library);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && own >= begin && own < begin + info->dlpi_phdr[i].p_memsz) return 0;
  }
  if (dynamic.symbols == nullptr || dynamic.names == nullptr || std::strstr(info->dlpi_name, "libcupti") != nullptr)
    return 0;
  for (int table = 0; table < 2; ++table) {
    for (size_t i = 0; i < dynamic.bytes[table] / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela) & slot = dynamic.tables[table][i];
      const auto type = static_cast<uint32_t>(ELF64_R_TYPE(slot.r_info));
      if (type != kSlots[0] && type != kSlots[1]) continue;
      const char* name = dynamic.names + dynamic.symbols[ELF64_R_SYM(slot.r_info)].st_name;
      if (std::strncmp(name, "cupti", 5) != 0) continue;
      for (const Import& import : imports) {
        if (std::strcmp(name, import.name) == 0) write_slot(*info, info->dlpi_addr + slot.r_offset, import.to);
      }
    }
  }
  return 0;
}

}  // namespace

void redirect(std::span<const Import> imports) {
  if (kSlots[0] != 0) ::dl_iterate_phdr(redirect_library, &imports);
}

unsigned long long libraries_loaded() {
  unsigned long long count = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* user) {
        *static_cast<unsigned long long*>(user) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

}  // namespace warplens::cupti
