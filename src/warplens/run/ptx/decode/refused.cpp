// Instructions that are refused for a reason of their own; all others without a decoder are "this instruction".
#include <algorithm>

#include "warplens/run/ptx/can_run.h"
#include "warplens/run/ptx/decode/decode.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Opcode;

Status refuse_multicast(Decoding& d) {
  return d.unsupported("an access to a multicast object, which joins several GPUs,");
}
Status refuse_texture(Decoding& d) { return d.unsupported("an access to a texture or surface"); }
Status refuse_launch_control(Decoding& d) { return d.unsupported("taking over a block that has not started"); }

DecoderTable refusals() {
  DecoderTable t;
  for (const Opcode o : {Opcode::kMultimemLdReduce, Opcode::kMultimemSt, Opcode::kMultimemRed,
                         Opcode::kMultimemCpAsyncBulk, Opcode::kMultimemCpReduceAsyncBulk})
    t[o] = &refuse_multicast;
  for (const Opcode o : {Opcode::kTex, Opcode::kTld4, Opcode::kTxq, Opcode::kSuld, Opcode::kSust, Opcode::kSured,
                         Opcode::kSuq, Opcode::kIstypep})
    t[o] = &refuse_texture;
  for (const Opcode o : {Opcode::kClusterlaunchcontrolTryCancel, Opcode::kClusterlaunchcontrolQueryCancel})
    t[o] = &refuse_launch_control;
  return t;
}

}  // namespace

void add_refusals(DecoderTable& t) { t.merge(refusals()); }

bool can_run(const ptx::Module& module, const ptx::Function& function) {
  static const DecoderTable refused = refusals();
  return std::ranges::all_of(function.instructions, [&](const ptx::Instruction& instruction) {
    const ptx::Mnemonic& mnemonic = module.mnemonic(instruction);
    return mnemonic.form >= 0 && decoders().contains(mnemonic.opcode) && !refused.contains(mnemonic.opcode);
  });
}

}  // namespace warplens::simt::ptx_machine
