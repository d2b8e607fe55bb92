// The table of one instruction set.
#include "warplens/run/ptx/lanes/lanes.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {

void add_integer_handlers(HandlerTable& t);
void add_real_handlers(HandlerTable& t);
void add_rounding_handlers(HandlerTable& t);
void add_special_handlers(HandlerTable& t);
void add_compare_handlers(HandlerTable& t);
void add_bits_handlers(HandlerTable& t);
void add_half_handlers(HandlerTable& t);
void add_convert_handlers(HandlerTable& t);
void add_load_handlers(HandlerTable& t);
void add_store_handlers(HandlerTable& t);
void add_exchange_handlers(HandlerTable& t);
void add_atomic_add_handlers(HandlerTable& t);

void add_handlers(HandlerTable& t) {
  add_integer_handlers(t);
  add_real_handlers(t);
  add_rounding_handlers(t);
  add_special_handlers(t);
  add_compare_handlers(t);
  add_bits_handlers(t);
  add_half_handlers(t);
  add_convert_handlers(t);
  add_load_handlers(t);
  add_store_handlers(t);
  add_exchange_handlers(t);
  add_atomic_add_handlers(t);
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
