// The table of decoders, family by family.
#include "warplens/run/ptx/decode/decode.h"

namespace warplens::simt::ptx_machine {

void add_arithmetic_decoders(DecoderTable& t);
void add_logic_decoders(DecoderTable& t);
void add_move_decoders(DecoderTable& t);
void add_memory_decoders(DecoderTable& t);
void add_control_decoders(DecoderTable& t);
void add_matrix_decoders(DecoderTable& t);
void add_hopper_decoders(DecoderTable& t);
void add_stack_decoders(DecoderTable& t);
void add_wgmma_decoders(DecoderTable& t);
void add_video_decoders(DecoderTable& t);
void add_tensor_memory_decoders(DecoderTable& t);
void add_refusals(DecoderTable& t);

Status decode_nothing(Decoding&) { return {}; }

const DecoderTable& decoders() {
  static const DecoderTable table = [] {
    DecoderTable t;
    add_arithmetic_decoders(t);
    add_logic_decoders(t);
    add_move_decoders(t);
    add_memory_decoders(t);
    add_control_decoders(t);
    add_matrix_decoders(t);
    add_hopper_decoders(t);
    add_stack_decoders(t);
    add_wgmma_decoders(t);
    add_video_decoders(t);
    add_tensor_memory_decoders(t);
    add_refusals(t);
    return t;
  }();
  return table;
}

}  // namespace warplens::simt::ptx_machine
