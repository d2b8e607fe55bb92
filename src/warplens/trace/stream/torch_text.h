// The texts that torch.autograd.profiler.emit_nvtx gives its operators' ranges:
// "aten::add_, seq = 12, op_id = 77, sizes = [[4, 8], []], input_op_ids = [(76,0), (0,-1)]".
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::stream {

struct TorchText {
  std::string_view name;
  std::string_view sizes;  // "[[4, 8], []]", empty when not given
  int64_t sequence = -1;
  bool is_operator = false;  // it has an op_id, which ranges of others have not
};

TorchText parse_torch_text(std::string_view text);

}  // namespace warplens::stream
