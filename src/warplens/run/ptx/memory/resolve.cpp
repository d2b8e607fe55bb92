#include "warplens/run/ptx/memory/resolve.h"

#include "warplens/base/text.h"

namespace warplens::simt::ptx_machine {

bool find_range(Warp& w, const Op& op, Address begin, Address end, bool write) {
  if (begin >= kSharedWindow || end <= begin) return false;
  Range range;
  if (!w.cta->cluster->grid->memory->range(begin, range)) return false;
  w.ranges[op.range] = range;
  return end <= range.end && (!write || range.writable);
}

uint8_t* resolve_shared(Warp& w, Address offset, uint32_t size) {
  if (offset <= kInBlock) return fits(offset, size, w.shared_bytes) ? w.shared + offset : nullptr;
  const Address within = offset & kInBlock;
  const uint64_t rank = rank_of(offset, w.cta->rank);
  const Cluster& cluster = *w.cta->cluster;
  return rank < cluster.ctas.size() && fits(within, size, w.shared_bytes) ? cluster.ctas[rank]->shared + within
                                                                          : nullptr;
}

uint8_t* resolve_generic(Warp& w, const Op& op, uint32_t lane, Address address, uint32_t size, bool write) {
  if (address < kSharedWindow) {
    if (!in_range(w, op, address, address + size, write)) return nullptr;
    return reinterpret_cast<uint8_t*>(address);
  }
  const Address space = address & ~(kSharedWindow - 1), offset = address & (kSharedWindow - 1);
  if (space == kSharedWindow) return resolve_shared(w, offset, size);
  if (space == kParamWindow && !write) {
    std::vector<uint8_t>& parameters = w.cta->cluster->grid->parameters;
    return fits(offset, size, parameters.size()) ? parameters.data() + offset : nullptr;
  }
  if (space == kLocalWindow && size <= 4 && fits(offset, size, w.local_bytes))
    return w.local + (offset / 4 * kLanes + lane) * 4 + offset % 4;
  return nullptr;
}

std::string describe_shared(const Warp& w) {
  const Grid& grid = *w.cta->cluster->grid;
  std::string out = fmt::format("the block has {} bytes of shared memory", w.shared_bytes);
  if (const std::string& name = grid.program->open_shared; !name.empty())
    out += fmt::format(
        ", {} of them for '{}', which is extern: the launch gives them (--shared BYTES, shared_bytes, or the third "
        "number of <<<>>>)",
        grid.config->dynamic_shared_bytes, name);
  return out;
}

void raise_address(Warp& w, const Op& op, uint32_t lane, Address address, uint32_t size, const char* space,
                   bool write) {
  const std::string what =
      fmt::format("{} of {} bytes at {} address {:#x}", write ? "write" : "read", size, space, address);
  const std::string_view kind = space;
  std::string where;
  if (kind == "shared") where = describe_shared(w);
  else if (kind == "local") where = fmt::format("the thread has {} bytes of local memory", w.local_bytes);
  else if (kind == "param") where = "outside the kernel's parameters";
  else where = describe_address(*w.cta->cluster->grid->memory, address);
  raise(w, op, Fault::Kind::kIllegalAddress, lane, address, what + ": " + where);
}

void raise_misaligned(Warp& w, const Op& op, uint32_t lane, Address address, uint32_t size) {
  raise(w, op, Fault::Kind::kMisaligned, lane, address,
        fmt::format("access of {} bytes at address {:#x}, which is not a multiple of {}", size, address, size));
}

}  // namespace warplens::simt::ptx_machine
