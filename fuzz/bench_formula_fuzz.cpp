#include "warplens/bench/suite/axes.h"
#include "warplens/formula/graph.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)warplens::bench::filled_in(text, {{"n", "1024"}}).ok();
  const auto formula = warplens::formula::parse_formula(text);
  if (!formula.ok()) return 0;
  std::vector<warplens::formula::NamedShape> shapes;
  for (const std::string& input : formula->inputs) shapes.push_back({input, {3, 4}});
  (void)warplens::formula::build_graph(*formula, shapes).ok();
  return 0;
}
