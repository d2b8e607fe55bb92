#include "warplens/report/shapes/shapes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "warplens/isa/sass/instructions.h"
#include "warplens/report/shapes/sums.h"

namespace warplens::report {
namespace {

using sass::Category, sass::Form, sass::Opcode, sass::Word;
using simt::sass_machine::MachineCounts, simt::sass_machine::Program;

/// A register and the instruction that wrote it, as one of several.
using Number = std::pair<size_t, uint32_t>;

class ShapeFinder {
 public:
  ShapeFinder(const Program& program, const MachineCounts& counts)
      : program_(program), counts_(counts), flow_(program, [this](size_t k) { return ran(k); }) {}

  std::vector<Shape> find(const std::vector<cubin::SourceLine>& source) {
    find_squares();
    find_windows();
    find_scans();
    std::vector<Shape> out;
    std::set<std::pair<size_t, size_t>> loops;  // counted already
    for (auto& [k, loop, shape] : shapes_) {
      shape.file = source[k].file;
      shape.line = source[k].line;
      const bool fresh = loops.insert({loop.begin, loop.branch}).second;
      if (fresh) shape.warp_instructions = executions_in(loop);
      const auto same = std::ranges::find_if(out, [&shape = shape](const Shape& other) {
        return other.kind == shape.kind && other.file == shape.file && other.line == shape.line;
      });
      if (same == out.end()) {
        out.push_back(shape);
        continue;
      }
      same->terms += shape.terms;
      same->warp_instructions += shape.warp_instructions;
      const bool copies = shape.kind == ShapeKind::kSerialScan && !fresh;  // of an unrolled loop's body
      same->length = copies ? same->length + shape.length : std::max(same->length, shape.length);
      same->row = std::max(same->row, shape.row);
    }
    std::ranges::stable_sort(out, [](const Shape& a, const Shape& b) { return a.terms > b.terms; });
    return out;
  }

 private:
  bool ran(size_t k) const {
    const simt::InstructionCounts& counts = counts_.instructions[k];
    return program_.at(k).uniform ? counts.executions > 0 : counts.predicated_on_threads > 0;
  }
  Opcode opcode(size_t k) const { return program_.at(k).opcode; }
  const Word& word(size_t k) const { return program_.code[k]; }
  uint64_t threads(size_t k) const { return counts_.instructions[k].predicated_on_threads; }
  uint64_t threads_of(const Sum& sum) const {
    uint64_t out = 0;
    for (const size_t k : sum.terms) out += threads(k);
    return out;
  }
  /// Terms of one sum: of all turns of the loops that carry it.
  double length_of(const Sum& sum) const {
    if (!sum.carried) return static_cast<double>(sum.terms.size());
    const uint64_t sums = leaving(sum.about.back(), counts_);
    return sums > 0 ? static_cast<double>(threads_of(sum)) / static_cast<double>(sums) : 0;
  }

  // --- sums of squared differences

  bool is_square(size_t k) const {
    const Word& w = word(k);
    return ran(k) && opcode(k) == Opcode::kFfma && w.is(Form::kRegisters) && w.source_a() != kNoLane &&
           w.source_a() == w.source_low() && w.negates_a() == w.negates_low() && difference_of(k).has_value();
  }
  /// The addition of two registers whose answer `k` squares.
  std::optional<size_t> difference_of(size_t k) const {
    const Flow::Definition found = flow_.definition(flow_.loops_about(k).front(), k, word(k).source_a());
    if (!found.known() || found.carried || opcode(found.at) != Opcode::kFadd) return {};
    const Word& w = word(found.at);
    const bool two = w.is(Form::kRegisters) && w.source_a() != kNoLane && w.source_low() != kNoLane;
    return two ? std::optional(found.at) : std::nullopt;
  }
  /// The register of each side: what is added, and what is taken away.
  std::pair<uint32_t, uint32_t> sides_of(size_t difference) const {
    const Word& w = word(difference);
    std::pair<uint32_t, uint32_t> out{w.source_a(), w.source_low()};
    if (w.negates_a() && !w.negates_low()) std::swap(out.first, out.second);
    return out;
  }
  /// Does each term have numbers of its own on both sides? A mean, which all terms share, is none.
  bool changes_both(const Sum& sum) const {
    std::set<Number> added, taken;
    for (const size_t k : sum.terms) {
      const size_t difference = *difference_of(k);
      const auto [a, b] = sides_of(difference);
      if (sum.carried && sum.loop.holds(k) &&
          !(flow_.varies(sum.loop, difference, a) && flow_.varies(sum.loop, difference, b)))
        return false;
      added.insert({flow_.definition(sum.loop, difference, a).at, a});
      taken.insert({flow_.definition(sum.loop, difference, b).at, b});
    }
    return added.size() == sum.terms.size() && taken.size() == sum.terms.size();
  }
  void find_squares() {
    std::vector<uint32_t> terms;
    for (size_t k = 0; k < program_.code.size(); ++k) terms.push_back(is_square(k) ? word(k).source_high() : kNoTerm);
    for (const Sum& sum : find_sums(flow_, terms.size(), [&](size_t k) { return terms[k]; })) {
      if (changes_both(sum)) add(ShapeKind::kSquaredDifferences, sum, length_of(sum), 0);
    }
  }

  // --- windows

  /// The load behind a number of the same turn.
  std::optional<size_t> load_of(const LoopRange& loop, size_t k, uint32_t r) const {
    const Flow::Definition found = flow_.definition(loop, k, r);
    if (r == kNoLane || !found.known() || found.carried || program_.at(found.at).category != Category::kLoad) return {};
    return found.at;
  }

  /// A number that a term multiplies: what `user` finds in `r`, or a constant in the instruction.
  struct Factor {
    size_t user = 0;
    uint32_t r = kNoLane;
  };
  struct WindowTerm {
    uint32_t sum = kNoTerm;
    std::vector<Factor> factors;  // one: a plain sum; three: what is loaded and two weights
    float weight = 1;             // in the instruction: the compiler multiplied the two
  };
  Factor low_of(size_t k) const { return {k, word(k).is(Form::kRegisters) ? word(k).source_low() : kNoLane}; }

  WindowTerm plain_term(const LoopRange& loop, size_t k) const {
    const Word& w = word(k);
    if (!w.is(Form::kRegisters)) return {};
    for (const auto& [sum, x] : {std::pair(w.source_a(), w.source_low()), {w.source_low(), w.source_a()}}) {
      if (load_of(loop, k, x) && !load_of(loop, k, sum)) return {sum, {{k, x}}};
    }
    return {};
  }
  WindowTerm weighted_term(const LoopRange& loop, size_t k) const {
    const Word& w = word(k);
    if (w.holds_c_low()) return {};
    if (w.is(Form::kImmediateB) && load_of(loop, k, w.source_a()))
      return {w.source_high(), {{k, w.source_a()}}, std::bit_cast<float>(w.immediate())};
    const Factor a{k, w.source_a()}, b = low_of(k);
    for (const auto& [product, other] : {std::pair(a, b), {b, a}}) {
      if (product.r == kNoLane) continue;
      const Flow::Definition found = flow_.definition(loop, k, product.r);
      if (!found.known() || found.carried || opcode(found.at) != Opcode::kFmul) continue;
      return {w.source_high(), {other, {found.at, word(found.at).source_a()}, low_of(found.at)}};
    }
    return {};
  }
  WindowTerm window_term(size_t k) const {
    if (!ran(k)) return {};
    const LoopRange loop = flow_.loops_about(k).front();
    if (opcode(k) == Opcode::kFadd) return plain_term(loop, k);
    return opcode(k) == Opcode::kFfma ? weighted_term(loop, k) : WindowTerm{};
  }

  /// Does the number go on in each turn by a pitch, which is no step within a row of that many bytes?
  bool pitched(const LoopRange& loop, size_t k, uint32_t r, double row_bytes, int depth = 0) const {
    constexpr int kDeepest = 8;
    const Flow::Definition found = flow_.definition(loop, k, r);
    if (!found.known() || depth > kDeepest) return false;
    const Word& w = word(found.at);
    const bool far =
        w.is(Form::kImmediateB) && std::abs(static_cast<double>(static_cast<int32_t>(w.immediate()))) > row_bytes;
    const bool by_constant = w.is(Form::kConstantB);
    const std::vector<uint32_t> sources = flow_.sources_of(found.at);
    const bool own = std::ranges::any_of(sources, [&](uint32_t s) { return flow_.writes(found.at, s); });
    if (own) return far || by_constant || w.is(Form::kConstantC) || sources.size() > 1;
    const bool multiplies = opcode(found.at) == Opcode::kImad || opcode(found.at) == Opcode::kImadWide;
    if (multiplies && w.source_a() != kNoLane) {
      const Factor b = low_of(found.at);
      const bool a_moves = flow_.varies(loop, found.at, w.source_a());
      const bool b_moves = b.r != kNoLane && flow_.varies(loop, found.at, b.r);
      if (a_moves != b_moves && (far || by_constant || (b.r != kNoLane && !w.is(Form::kImmediateB)))) return true;
    }
    return std::ranges::any_of(sources, [&](uint32_t s) { return pitched(loop, found.at, s, row_bytes, depth + 1); });
  }

  bool varies(const LoopRange& loop, const Factor& factor) const {
    return factor.r != kNoLane && flow_.varies(loop, factor.user, factor.r);
  }
  /// Is the term, of whose factors `x` is loaded, the same in each row but for a weight of the row?
  bool is_of_window(const WindowTerm& term, size_t x, const LoopRange& inner, const LoopRange& rows, double row) const {
    const auto load = load_of(inner, term.factors[x].user, term.factors[x].r);
    if (!load) return false;
    const std::vector<uint32_t> address = flow_.sources_of(*load);
    const double row_bytes = 4 * row;
    if (!std::ranges::any_of(address, [&](uint32_t r) { return pitched(rows, *load, r, row_bytes); })) return false;
    int of_row = 0;
    for (size_t f = 0; f < term.factors.size(); ++f) of_row += f != x && varies(rows, term.factors[f]) ? 1 : 0;
    return term.factors.size() == 1 || of_row == 1;
  }
  /// A term of a window whose loops the compiler unrolled: what it loads behind an address, and its weights.
  struct Placed {
    int64_t offset = 0;
    std::vector<Number> weights;
    float weight = 1;
  };
  using Row = std::vector<Placed>;
  Number number_of(const LoopRange& loop, const Factor& factor) const {
    return {flow_.definition(loop, factor.user, factor.r).at, factor.r};
  }
  /// The rows of a straight sum: loads behind one address each. Weights are loaded once for many terms.
  std::vector<Row> rows_of(const Sum& sum, const std::vector<WindowTerm>& terms) const {
    constexpr int kOffsetAt = 40, kOffsetBits = 24;
    std::map<size_t, int> uses;
    const auto load = [&](const Factor& factor) { return load_of(sum.loop, factor.user, factor.r); };
    for (const size_t k : sum.terms)
      for (const Factor& factor : terms[k].factors) uses[load(factor).value_or(Flow::kNowhere)] += 1;
    std::map<Number, Row> rows;
    for (const size_t k : sum.terms) {
      Placed term;
      std::optional<size_t> own;
      for (const Factor& factor : terms[k].factors) {
        const std::optional<size_t> at = load(factor);
        if (at && !own && uses[*at] == 1) own = at;
        else term.weights.push_back(number_of(sum.loop, factor));
      }
      if (!own || flow_.sources_of(*own).empty()) return {};
      const uint32_t address = flow_.sources_of(*own).front();
      term.offset = word(*own).signed_bits(kOffsetAt, kOffsetBits);
      term.weight = terms[k].weight;
      rows[number_of(sum.loop, {*own, address})].push_back(term);
    }
    std::vector<Row> out;
    for (auto& [address, row] : rows) {
      std::ranges::sort(row, {}, &Placed::offset);
      out.push_back(std::move(row));
    }
    return out;
  }
  /// The weights of the row's terms without one that they share; nothing where they share none.
  static std::optional<std::vector<Number>> without_shared(const Row& row) {
    for (const Number& shared : row.front().weights) {
      std::vector<Number> others;
      for (const Placed& term : row) {
        const auto found = std::ranges::find(term.weights, shared);
        if (term.weights.size() != 2 || found == term.weights.end()) break;
        others.push_back(found == term.weights.begin() ? term.weights.back() : term.weights.front());
      }
      if (others.size() == row.size()) return others;
    }
    return {};
  }
  /// Are the rows' constants the same but for a factor? Both were rounded.
  static bool in_proportion(const Row& row, const Row& first) {
    constexpr double kRounded = 1e-5;
    for (size_t k = 0; k < row.size(); ++k) {
      const double one = double{row[k].weight} * first[0].weight, other = double{row[0].weight} * first[k].weight;
      if (std::abs(one - other) > kRounded * std::max(std::abs(one), std::abs(other))) return false;
    }
    return true;
  }
  /// Terms of a row, if all rows take the same places, by the same weights but for one of the row; 0: no window.
  size_t unrolled_row(const Sum& sum, const std::vector<WindowTerm>& terms) const {
    const std::vector<Row> rows = rows_of(sum, terms);
    if (rows.size() < 2 || rows.front().size() < 2) return 0;
    const Row& first = rows.front();
    const bool plain = first.front().weights.empty();
    const auto others = plain ? std::nullopt : without_shared(first);
    if (!plain && !others) return 0;
    for (const Row& row : rows) {
      if (row.size() != first.size()) return 0;
      for (size_t k = 0; k < row.size(); ++k) {
        if (row[k].offset - row[0].offset != first[k].offset - first[0].offset) return 0;
        if (plain != row[k].weights.empty()) return 0;
      }
      if (plain ? !in_proportion(row, first) : without_shared(row) != others) return 0;
    }
    return first.size();
  }
  void find_windows() {
    std::vector<WindowTerm> terms;
    for (size_t k = 0; k < program_.code.size(); ++k) terms.push_back(window_term(k));
    for (const Sum& sum : find_sums(flow_, terms.size(), [&](size_t k) { return terms[k].sum; })) {
      if (!sum.carried) {
        if (const size_t row = unrolled_row(sum, terms); row > 0)
          add(ShapeKind::kWindow, sum, static_cast<double>(sum.terms.size()), static_cast<double>(row));
        continue;
      }
      const bool nested = sum.about.size() > 1;
      const LoopRange& rows = nested ? sum.about[1] : sum.about[0];
      const auto all = static_cast<double>(threads_of(sum)),
                 turns = static_cast<double>(leaving(sum.about[0], counts_));
      const double row = nested ? all / std::max(1.0, turns) : static_cast<double>(sum.terms.size());
      const double sums = static_cast<double>(leaving(rows, counts_));
      const bool window = std::ranges::all_of(sum.terms, [&](size_t k) {
        if (!sum.loop.holds(k)) return true;  // what a loop of several turns at once leaves
        for (size_t x = 0; x < terms[k].factors.size(); ++x) {
          if (is_of_window(terms[k], x, sum.loop, rows, row)) return true;
        }
        return false;
      });
      if (window && sums > 0) add(ShapeKind::kWindow, sum, all / sums, row);
    }
  }

  // --- running sums

  void find_scans() {
    for (size_t k = 0; k < program_.code.size(); ++k) {
      if (ran(k) && program_.at(k).access == sass::Access::kGlobalStore) find_scan(k);
    }
  }

  /// Is it an operation that can be put together in any order: a sum, the larger of two, a product and a sum?
  bool is_associative(size_t k) const {
    switch (opcode(k)) {
      case Opcode::kFadd:
      case Opcode::kFfma:
      case Opcode::kFmul:
      case Opcode::kFmnmx:
      case Opcode::kImnmx:
      case Opcode::kVimnmx:
      case Opcode::kViadd:
      case Opcode::kDadd:
      case Opcode::kDfma:
      case Opcode::kIadd3:
      case Opcode::kImad: return true;
      default: return false;
    }
  }

  /// What an operation takes of the running result: the result itself once, and nothing else that comes of it.
  struct Step {
    Flow::Definition before;
    bool fed = false;  // it takes what comes of a load, too
  };
  /// Is what `k` finds in the register made of the running result of the turn before?
  bool comes_of(const LoopRange& loop, size_t k, uint32_t r, size_t result) const {
    return flow_.comes_from(loop, k, r, [&](const Flow::Definition& found) { return found.at == result; });
  }
  bool comes_of_load(const LoopRange& loop, size_t k, uint32_t r) const {
    return flow_.comes_from(loop, k, r, [&](const Flow::Definition& found) {
      return !found.carried && program_.at(found.at).category == Category::kLoad;
    });
  }
  std::optional<Step> step_of(const LoopRange& loop, size_t k, size_t result) const {
    if (!is_associative(k)) return {};
    Step out;
    const std::vector<uint32_t> sources = flow_.sources_of(k);
    for (const uint32_t r : sources) {
      if (!comes_of(loop, k, r, result)) {
        out.fed = out.fed || comes_of_load(loop, k, r);
        continue;
      }
      if (out.before.known()) return {};  // twice: its square, or worse
      out.before = flow_.definition(loop, k, r);
    }
    return out.before.known() ? std::optional(out) : std::nullopt;
  }
  /// Does `k` go on from itself, a turn ago, by such operations alone? `fed`: and from what comes of a turn's loads.
  bool goes_on(const LoopRange& loop, size_t k, bool* fed) const {
    constexpr int kMostCopies = 64;  // of the loop's body
    size_t at = k;
    for (int copies = 0; copies < kMostCopies; ++copies) {
      const std::optional<Step> step = step_of(loop, at, k);
      if (!step) return false;
      *fed = *fed || step->fed;
      at = step->before.at;
      if (at == k) return true;
    }
    return false;
  }

  void find_scan(size_t store) {
    const std::vector<LoopRange> loops = flow_.loops_about(store);
    const LoopRange& loop = loops.front();
    if (!loop.turns || !flow_.varies(loop, store, word(store).source_a())) return;
    const Flow::Definition stored = flow_.definition(loop, store, word(store).source_low());
    bool fed = false;
    if (!stored.known() || !goes_on(loop, stored.at, &fed) || !fed) return;
    const uint64_t threads_left = leaving(loop, counts_);
    if (threads_left == 0) return;
    const double length = static_cast<double>(threads(store)) / static_cast<double>(threads_left);
    shapes_.push_back({stored.at, loop, Shape{ShapeKind::kSerialScan, "", 0, threads(store), length}});
  }

  void add(ShapeKind kind, const Sum& sum, double length, double row) {
    const LoopRange loop = sum.carried ? sum.about.back() : sum.loop;
    shapes_.push_back({sum.terms.front(), loop, Shape{kind, "", 0, threads_of(sum), length, row}});
  }

  uint64_t executions_in(const LoopRange& loop) const {
    uint64_t out = 0;
    for (size_t k = loop.begin; k <= loop.branch; ++k) out += counts_.instructions[k].executions;
    return out;
  }

  const Program& program_;
  const MachineCounts& counts_;
  Flow flow_;
  struct Seen {
    size_t at;  // an instruction of it
    LoopRange loop;
    Shape shape;
  };
  std::vector<Seen> shapes_;
};

}  // namespace

std::vector<Shape> find_shapes(const Program& program, const MachineCounts& counts,
                               const std::vector<cubin::SourceLine>& source) {
  return ShapeFinder(program, counts).find(source);
}

}  // namespace warplens::report
