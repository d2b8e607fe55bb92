#include "warplens/bench/fuse/graph.h"
#include "warplens/bench/suite/axes.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)warplens::bench::filled_in(text, {{"n", "1024"}}).ok();
  const auto formula = warplens::bench::parse_formula(text);
  if (!formula.ok()) return 0;
  std::vector<warplens::bench::NamedShape> shapes;
  for (const std::string& input : formula->inputs) shapes.push_back({input, {3, 4}});
  (void)warplens::bench::build_graph(*formula, shapes).ok();
  return 0;
}
