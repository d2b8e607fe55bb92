#include "warplens/bench/suite/sample.h"

#include <algorithm>
#include <map>

#include "warplens/base/random.h"
#include "warplens/base/text.h"

namespace warplens::bench {
namespace {

/// Of the output and the arrays that share its first axis: what is read and computed in some tens of milliseconds.
constexpr int64_t kMostElements = 1 << 22;
constexpr int64_t kStretches = 64;

/// The names of a reference: their shapes, and which have the output's first axis.
class Places {
 public:
  Places(const launch::Description& description, const Reference& reference)
      : description_(description), output_(shape_of(*description.buffer(reference.output))) {}

  /// Whether each statement is computed place by place.
  bool independent(const Reference& reference) {
    if (reference.in_place || output_.empty()) return false;
    return std::all_of(reference.statements.begin(), reference.statements.end(), [&](const ReferenceStatement& s) {
      return s.function != nullptr ? call(s) : formula(s);
    });
  }

  const std::set<std::string>& arrays() const { return arrays_; }
  int64_t places() const { return output_[0]; }

 private:
  const formula::Shape& shape(const std::string& name) {
    const auto known = shapes_.find(name);
    if (known != shapes_.end()) return known->second;
    return shapes_[name] = parse_double(name) ? formula::Shape() : shape_of(*description_.buffer(name));
  }

  /// Takes the array for one that has the output's first axis; false where it was taken for one that has not.
  bool has_places(const std::string& name) {
    if (shape(name).empty() || shape(name)[0] != places() || whole_.contains(name)) return false;
    arrays_.insert(name);
    return true;
  }
  bool has_none(const std::string& name) {
    whole_.insert(name);
    return !arrays_.contains(name);
  }

  bool call(const ReferenceStatement& statement) {
    if (statement.function->shape_by_rows == nullptr) return false;
    std::vector<formula::Shape> shapes;
    for (const std::string& arg : statement.args) {
      if (!parse_double(arg) && !has_places(arg)) return false;
      shapes.push_back(shape(arg));
    }
    shapes_[statement.name] = statement.function->shape_by_rows(shapes);
    return has_places(statement.name);
  }

  bool formula(const ReferenceStatement& statement) {
    std::vector<formula::NamedShape> inputs;
    for (const std::string& arg : statement.args) inputs.push_back({arg, shape(arg)});
    const Result<formula::Graph> graph = formula::build_graph(statement.formula, inputs);
    if (!graph.ok() || graph->domain.empty() || (graph->domain.size() == 1 && graph->has_reductions())) return false;
    for (const formula::NamedShape& input : inputs) {
      const bool same = input.shape.size() == graph->domain.size() && input.shape[0] != 1;
      if (same ? !has_places(input.name) : !has_none(input.name)) return false;
    }
    shapes_[statement.name] = graph->nodes[graph->outputs[0].node].shape;
    return has_places(statement.name);
  }

  const launch::Description& description_;
  const formula::Shape output_;
  std::map<std::string, formula::Shape> shapes_;
  std::set<std::string> arrays_, whole_;
};

/// One stretch of `length` in each of `count` equal sections; the first and the last place are in one.
std::vector<Stretch> stretches(int64_t places, int64_t count, int64_t length, uint64_t seed) {
  Random random(seed);
  std::vector<Stretch> out;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = places * i / count, last = places * (i + 1) / count - length;
    const int64_t drawn = first + static_cast<int64_t>(random.uniform() * static_cast<double>(last - first + 1));
    const int64_t begin = i == 0 ? 0 : i + 1 == count ? places - length : drawn;
    out.push_back({static_cast<uint64_t>(begin), static_cast<uint64_t>(length)});
  }
  return out;
}

}  // namespace

std::optional<OutputSample> draw_sample(const launch::Description& description, const Reference& reference, uint64_t seed) {
  Places places(description, reference);
  if (!places.independent(reference)) return std::nullopt;
  OutputSample out;
  int64_t elements = 0;
  for (const launch::BufferSpec& buffer : description.buffers) {
    if (!places.arrays().contains(buffer.name)) continue;
    elements += static_cast<int64_t>(buffer.count());
    out.arrays.insert(buffer.name);
  }
  if (elements <= 2 * kMostElements) return std::nullopt;
  const int64_t wanted = kMostElements / (elements / places.places());
  if (wanted < kStretches) return std::nullopt;
  out.stretches = stretches(places.places(), kStretches, wanted / kStretches, seed);
  return out;
}

}  // namespace warplens::bench
