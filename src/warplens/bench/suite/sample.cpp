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

/// The names of a reference: their shapes, and of which only the output's places are needed.
class Places {
 public:
  Places(const launch::Description& description, const Reference& reference)
      : description_(description), reference_(reference), output_(shape_of(*description.buffer(reference.output))) {}

  /// Whether places of the output can be computed without the others.
  bool independent() {
    if (reference_.in_place || output_.empty()) return false;
    const std::vector<ReferenceStatement>& statements = reference_.statements;
    if (!std::all_of(statements.begin(), statements.end(), [&](const auto& s) { return find_shape(s); })) return false;
    // What the last statement needs of those before is known first.
    arrays_.insert(reference_.output);
    return std::all_of(statements.rbegin(), statements.rend(), [&](const auto& s) { return needs(s); });
  }

  const std::set<std::string>& arrays() const { return arrays_; }
  int64_t places() const { return output_[0]; }

 private:
  const formula::Shape& shape(const std::string& name) {
    const auto known = shapes_.find(name);
    if (known != shapes_.end()) return known->second;
    return shapes_[name] = parse_double(name) ? formula::Shape() : shape_of(*description_.buffer(name));
  }

  std::vector<formula::NamedShape> shapes_of_args(const ReferenceStatement& statement) {
    std::vector<formula::NamedShape> out;
    for (const std::string& arg : statement.args) out.push_back({arg, shape(arg)});
    return out;
  }

  bool find_shape(const ReferenceStatement& statement) {
    std::vector<formula::Shape> args;
    for (const std::string& arg : statement.args) args.push_back(shape(arg));
    if (statement.function != nullptr) {
      if (statement.function->shape_by_rows == nullptr) return false;
      shapes_[statement.name] = statement.function->shape_by_rows(args);
      return true;
    }
    const Result<formula::Graph> graph = formula::build_graph(statement.formula, shapes_of_args(statement));
    if (!graph.ok() || graph->domain.empty() || (graph->domain.size() == 1 && graph->has_reductions())) return false;
    shapes_[statement.name] = graph->nodes[graph->outputs[0].node].shape;
    axes_[statement.name] = graph->domain.size();
    return true;
  }

  /// Of a statement that is needed whole, all arguments are; else those that have its places only there.
  bool needs(const ReferenceStatement& statement) {
    const bool by_places = arrays_.contains(statement.name);
    for (size_t i = 0; i < statement.args.size(); ++i) {
      const std::string& arg = statement.args[i];
      if (parse_double(arg)) continue;
      const formula::Shape& own = shape(arg);
      const bool has_places = statement.function != nullptr ? !(statement.function->whole_args >> i & 1)
                                                            : own.size() == axes_[statement.name] && own[0] != 1;
      if (!(by_places && has_places ? takes_places(arg) : takes_whole(arg))) return false;
    }
    return true;
  }

  /// False where other statements need the array otherwise.
  bool takes_places(const std::string& name) {
    if (shape(name).empty() || shape(name)[0] != places() || whole_.contains(name)) return false;
    arrays_.insert(name);
    return true;
  }
  bool takes_whole(const std::string& name) {
    whole_.insert(name);
    return !arrays_.contains(name);
  }

  const launch::Description& description_;
  const Reference& reference_;
  const formula::Shape output_;
  std::map<std::string, formula::Shape> shapes_;
  std::map<std::string, size_t> axes_;  // that a formula goes over
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

std::optional<OutputSample> draw_sample(const launch::Description& description, const Reference& reference,
                                        uint64_t seed) {
  Places places(description, reference);
  if (!places.independent()) return std::nullopt;
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
