#include "warplens/report/executed_metrics.h"

namespace warplens::report {
namespace {

using sass::Access, sass::Instruction, sass::Opcode, sass::Pipe;

template <Opcode... kOpcodes>
bool is(const Instruction& instruction) {
  return ((instruction.opcode == kOpcodes) || ...);
}
template <Access kAccess>
bool does(const Instruction& instruction) {
  return instruction.access == kAccess;
}
template <Pipe kPipe>
bool runs_on(const Instruction& instruction) {
  return instruction.pipe == kPipe;
}

const ExecutedMetric kExecutedMetrics[] = {
    {"smsp__inst_executed_op_global_ld.sum", is<Opcode::kLdg, Opcode::kLdgWide>, false},
    {"smsp__inst_executed_op_global_st.sum", is<Opcode::kStg, Opcode::kStgWide>, false},
    {"smsp__inst_executed_op_global_red.sum", does<Access::kReduction>, false},
    {"smsp__inst_executed_op_local_ld.sum", does<Access::kLocalLoad>, false},
    {"smsp__inst_executed_op_local_st.sum", does<Access::kLocalStore>, false},
    {"smsp__inst_executed_op_shared_ld.sum", is<Opcode::kLds>, false},
    {"smsp__inst_executed_op_shared_st.sum", is<Opcode::kSts>, false},
    {"smsp__inst_executed_op_shared_atom.sum", does<Access::kSharedAtomic>, false},
    {"smsp__inst_executed_op_ldsm.sum", is<Opcode::kLdsm>, false},
    {"smsp__inst_executed_op_ldgsts.sum", is<Opcode::kLdgsts>, false},
    {"sm__inst_executed_pipe_fp64.sum", runs_on<Pipe::kFp64>, true},
    {"sm__inst_executed_pipe_xu.sum", runs_on<Pipe::kSpecial>, true},
    // HFMA2.MMA, which compilers also use to make constants, runs beside the matrix products.
    {"sm__inst_executed_pipe_tensor.sum",
     [](const Instruction& i) { return i.pipe == Pipe::kTensor || i.opcode == Opcode::kHfma2Mma; }, true},
    {"sm__inst_executed_pipe_tensor_op_hmma.sum", is<Opcode::kHmma, Opcode::kHfma2Mma, Opcode::kHgmma>, true},
    {"sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum", is<Opcode::kHfma2Mma>, true},
    {"sm__inst_executed_pipe_tensor_op_gmma.sum", [](const Instruction& i) { return sass::is_group_product(i.opcode); },
     true},
    {"sm__inst_executed_pipe_tensor_op_imma.sum", is<Opcode::kImma>, true},
    {"sm__inst_executed_pipe_tensor_op_dmma.sum", is<Opcode::kDmma>, true},
};

}  // namespace

std::span<const ExecutedMetric> executed_metrics() { return kExecutedMetrics; }

}  // namespace warplens::report
