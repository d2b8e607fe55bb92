#include "warplens/simt/checks/check_log.h"

namespace warplens::simt {

size_t CheckLog::report(std::string_view id, uint64_t warp, uint32_t lane, uint32_t row, std::string message,
                        Address address, uint32_t size_bytes, const AccessRecord* other) {
  return found.add(id, row, other ? other->row : ReportList::kNoRow, [&] {
    Report r;
    r.id = id;
    r.message = std::move(message);
    r.place = place_of_(warp, lane, row);
    if (other) {
      uint32_t lanes = other->lanes;
      if (other->warp == warp && lanes != 1u << lane) lanes &= ~(1u << lane);
      r.other = place_of_(other->warp, static_cast<uint32_t>(std::countr_zero(lanes)), other->row);
    }
    r.address = address;
    r.size_bytes = size_bytes;
    return r;
  });
}

}  // namespace warplens::simt
