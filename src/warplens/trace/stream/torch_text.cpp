#include "warplens/trace/stream/torch_text.h"

#include <charconv>

namespace warplens::stream {
namespace {

/// What follows `key` in `text`, or nothing.
std::string_view after(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + key.size());
}

/// Whether every bracket is closed: a text that was cut at its greatest length is no list any more.
bool is_whole_list(std::string_view text) {
  int depth = 0;
  for (const char c : text) depth += (c == '[') - (c == ']');
  return depth == 0 && text.starts_with('[');
}

}  // namespace

TorchText parse_torch_text(std::string_view text) {
  constexpr std::string_view kSequence = ", seq = ", kOperator = ", op_id = ", kSizes = ", sizes = ",
                             kInputs = ", input_op_ids = ";
  const size_t id_at = text.find(kOperator);
  if (id_at == std::string_view::npos) return {text};
  TorchText out;
  out.is_operator = true;
  out.name = text.substr(0, id_at);
  const std::string_view sequence = after(out.name, kSequence);
  if (!sequence.empty()) {
    std::from_chars(sequence.data(), sequence.data() + sequence.size(), out.sequence);
    out.name = out.name.substr(0, out.name.find(kSequence));
  }
  out.sizes = after(text.substr(id_at), kSizes);
  out.sizes = out.sizes.substr(0, out.sizes.find(kInputs));
  if (!is_whole_list(out.sizes)) out.sizes = {};
  return out;
}

}  // namespace warplens::stream
