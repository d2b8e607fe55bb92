#include "warplens/isa/ptx/print_body.h"

#include <map>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/isa/ptx/print.h"

namespace warplens::ptx {
namespace {

/// Walks the lists of a function in step: each is in the order of the text, so a cursor a list is enough.
class BodyPrinter {
 public:
  BodyPrinter(const Module& module, const Function& function) : module_(module), function_(function) {}

  std::string run() {
    while (pragma_ < function_.pragmas.size() && function_.pragmas[pragma_].in_header) ++pragma_;
    while (register_ < function_.register_declarations.size() && function_.register_declarations[register_].parameter) {
      ++register_;
    }
    scope(0);
    return std::move(out_);
  }

 private:
  void scope(uint32_t id) {
    indent_ = std::string(depth_++, '\t');
    out_ += indent_ + "{\n";
    indent_ += '\t';
    for (;;) {
      while (declarations(id) || child(id)) {
      }
      if (at_ >= function_.scopes[id].end) break;
      instruction(function_.instructions[at_++]);
    }
    --depth_;
    indent_.pop_back();
    out_ += indent_ + "}\n";
  }

  bool child(uint32_t parent) {
    if (next_scope_ >= function_.scopes.size()) return false;
    const Scope& next = function_.scopes[next_scope_];
    if (next.parent != parent || next.first != at_) return false;
    scope(next_scope_++);
    indent_ = std::string(depth_, '\t');
    return true;
  }

  template <typename T>
  bool here(const std::vector<T>& list, size_t cursor, uint32_t scope) const {
    return cursor < list.size() && list[cursor].instruction == at_ && list[cursor].scope == scope;
  }

  /// Prints one thing that stands here and says whether there was one.
  bool declarations(uint32_t scope) {
    if (here(function_.register_declarations, register_, scope)) {
      return line(register_text(function_.register_declarations[register_++]));
    }
    if (here(function_.variables, variable_, scope))
      return line(print(module_, function_.variables[variable_++]) + ";");
    if (here(function_.labels, label_, scope)) {
      out_ += function_.labels[label_++].name + ":\n";
      return true;
    }
    if (here(function_.branch_targets, branch_, scope)) return line(branch_text(function_.branch_targets[branch_++]));
    if (here(function_.call_targets, call_, scope)) return line(call_text(function_.call_targets[call_++]));
    if (here(function_.prototypes, prototype_, scope)) {
      return line(prototype_text(module_, function_.prototypes[prototype_++]));
    }
    if (pragma_ < function_.pragmas.size() && function_.pragmas[pragma_].instruction == at_) {
      return line(fmt::format(".pragma \"{}\";", function_.pragmas[pragma_++].text));
    }
    return false;
  }

  bool line(const std::string& text) {
    out_ += indent_ + text + "\n";
    return true;
  }

  static std::string register_text(const RegisterDeclaration& declaration) {
    std::string out = ".reg ";
    if (declaration.vector > 1) out += fmt::format(".v{} ", declaration.vector);
    out += fmt::format(".{} {}", text(declaration.type), declaration.name);
    return out + (declaration.ranged ? fmt::format("<{}>;", declaration.count) : ";");
  }

  std::string branch_text(const BranchTargets& targets) const {
    std::vector<std::string> names;
    for (uint32_t id : targets.labels) names.push_back(function_.labels[id].name);
    return fmt::format("{}: .branchtargets {};", targets.name, join(names, ", "));
  }

  std::string call_text(const CallTargets& targets) const {
    std::vector<std::string> names;
    for (uint32_t id : targets.functions) names.push_back(module_.functions[id].name);
    return fmt::format("{}: .calltargets {};", targets.name, join(names, ", "));
  }

  void instruction(const Instruction& instruction) {
    if (instruction.debug != debug_ && instruction.debug != kNone) location(instruction.debug);
    line(print(module_, function_, instruction));
  }

  using Place = std::tuple<uint32_t, uint32_t, uint32_t>;

  /// .loc; the caller's .loc first when the last one of its place was another.
  void location(uint32_t id) {
    const DebugLocation& where = function_.debug_locations[id];
    std::string text = fmt::format(".loc {} {} {}", where.file, where.line, where.column);
    if (where.inlined_at != kNone) {
      const DebugLocation& caller = function_.debug_locations[where.inlined_at];
      const auto known = latest_.find({caller.file, caller.line, caller.column});
      if (known == latest_.end() || known->second != where.inlined_at) location(where.inlined_at);
      if (!where.function.empty()) text += ", function_name " + where.function;
      text += fmt::format(", inlined_at {} {} {}", caller.file, caller.line, caller.column);
    }
    line(text);
    latest_[{where.file, where.line, where.column}] = id;
    debug_ = id;
  }

  const Module& module_;
  const Function& function_;
  std::string out_, indent_;
  size_t depth_ = 0, register_ = 0, variable_ = 0, label_ = 0, branch_ = 0, call_ = 0, prototype_ = 0, pragma_ = 0;
  uint32_t at_ = 0, next_scope_ = 1, debug_ = kNone;
  std::map<Place, uint32_t> latest_;
};

}  // namespace

std::string print_body(const Module& module, const Function& function) { return BodyPrinter(module, function).run(); }

}  // namespace warplens::ptx
