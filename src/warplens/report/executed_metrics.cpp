#include "warplens/report/executed_metrics.h"

#include "warplens/run/sass/pipe.h"

namespace warplens::report {
namespace {

using simt::sass_machine::Word, simt::sass_machine::Pipe;

template <uint32_t... kOpcodes>
bool is(const Word& word) {
  return ((word.opcode() == kOpcodes) || ...);
}
constexpr uint32_t kHmma = 0x03c, kImma = 0x037, kDmma = 0x03f, kHfma2Mma = 0x035, kHgmma = 0x1f0, kIgmma = 0x1f1,
                   kQgmma = 0x1f3;  // of warp groups

const ExecutedMetric kMetrics[] = {
    {"smsp__inst_executed_op_global_ld.sum", is<0x181>, false},
    {"smsp__inst_executed_op_global_st.sum", is<0x186>, false},
    {"smsp__inst_executed_op_global_red.sum", is<0x18e, 0x1a6>, false},
    {"smsp__inst_executed_op_local_ld.sum", is<0x183>, false},
    {"smsp__inst_executed_op_local_st.sum", is<0x187>, false},
    {"smsp__inst_executed_op_shared_ld.sum", is<0x184>, false},
    {"smsp__inst_executed_op_shared_st.sum", is<0x188>, false},
    {"smsp__inst_executed_op_shared_atom.sum", is<0x18c, 0x18d>, false},
    {"smsp__inst_executed_op_ldsm.sum", is<0x03b>, false},
    {"smsp__inst_executed_op_ldgsts.sum", is<0x1ae>, false},
    {"sm__inst_executed_pipe_fp64.sum", [](const Word& w) { return simt::sass_machine::pipe_of(w.opcode()) == Pipe::kFp64; }, true},
    {"sm__inst_executed_pipe_xu.sum", [](const Word& w) { return simt::sass_machine::pipe_of(w.opcode()) == Pipe::kSpecial; }, true},
    // HFMA2.MMA, which compilers also use to make constants, runs beside the matrix products.
    {"sm__inst_executed_pipe_tensor.sum", is<kHmma, kImma, kDmma, kHfma2Mma, kHgmma, kIgmma, kQgmma>, true},
    {"sm__inst_executed_pipe_tensor_op_hmma.sum", is<kHmma, kHfma2Mma, kHgmma>, true},
    {"sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum", is<kHfma2Mma>, true},
    {"sm__inst_executed_pipe_tensor_op_gmma.sum", is<kHgmma, kIgmma, kQgmma>, true},
    {"sm__inst_executed_pipe_tensor_op_imma.sum", is<kImma>, true},
    {"sm__inst_executed_pipe_tensor_op_dmma.sum", is<kDmma>, true},
};

}  // namespace

std::span<const ExecutedMetric> executed_metrics() { return kMetrics; }

}  // namespace warplens::report
