#include "warplens/run/ptx/handlers.h"

#include "warplens/simt/lane_isa.h"

namespace warplens::simt::ptx_machine {

#define WL_DECLARE(isa)                   \
  inline namespace isa {                  \
  void add_handlers(HandlerTable& table); \
  }
WL_DECLARE(baseline)
#ifdef WARPLENS_X86_LANES
WL_DECLARE(avx2)
WL_DECLARE(avx512)
#endif
#undef WL_DECLARE

void HandlerTable::add(std::string_view key, Handler handler) { handlers_.emplace(key, handler); }

Handler HandlerTable::find(std::string_view key) const {
  const auto found = handlers_.find(std::string(key));
  return found == handlers_.end() ? nullptr : found->second;
}

const HandlerTable& handlers() {
  static const HandlerTable table = [] {
    HandlerTable filled;
#ifdef WARPLENS_X86_LANES
    if (lane_isa() == "avx512") avx512::add_handlers(filled);
    if (lane_isa() == "avx2") avx2::add_handlers(filled);
#endif
    if (lane_isa() == "baseline") baseline::add_handlers(filled);
    return filled;
  }();
  return table;
}

}  // namespace warplens::simt::ptx_machine
