#include "warplens/explain/explanation.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/output/terminal.h"
#include "warplens/output/wrap.h"

namespace warplens::explain {
namespace {

Table table_of(const std::vector<const Explanation*>& chosen) {
  Table table{{{"scope", "of"},
               {"id", "finding"},
               {"title", "what"},
               {"meaning", "meaning"},
               {"evidence", "evidence"},
               {"advice", "what to do"},
               {"saving", "how its saving is computed"},
               {"link", "read more"}},
              {}};
  for (const Explanation* e : chosen)
    table.rows.push_back({std::string(name(e->scope)), std::string(e->id), std::string(e->title),
                          std::string(e->meaning), std::string(e->evidence), std::string(e->advice),
                          std::string(e->saving), std::string(link_of(e->id))});
  return table;
}

std::string to_text(const Explanation& e, size_t width) {
  std::string out = fmt::format("{} (of a {}): {}\n", styled(e.id, Style::kBold), name(e.scope), e.title);
  out += wrap(e.meaning, width, "  ");
  for (const auto& [what, text] : {std::pair{"evidence", e.evidence}, {"do", e.advice}, {"saving", e.saving}})
    out += wrap(fmt::format("{}: {}", what, text), width, "  ");
  if (const std::string_view link = link_of(e.id); !link.empty()) out += fmt::format("  read more: {}\n", link);
  return out;
}

}  // namespace

std::string_view name(Scope scope) {
  switch (scope) {
    case Scope::kProgram: return "program";
    case Scope::kKernel: return "kernel";
    case Scope::kCheck: return "launch";
    case Scope::kMemory: return "memory snapshot";
    case Scope::kHang: return "hanging job";
  }
  return "";
}

std::string_view link_of(std::string_view id) {
  static constexpr std::pair<std::string_view, std::string_view> kLinks[] = {
#define WL_LINK(id, address) {id, address},
#include "warplens/explain/links.def"
#undef WL_LINK
  };
  const auto* const found = std::ranges::find(kLinks, id, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kLinks) ? std::string_view() : found->second;
}

const std::vector<Explanation>& all_explanations() {
  static const std::vector<Explanation> rows = {
#define WL_EXPLANATION(id, title, meaning, evidence, advice, saving) \
  {Scope::kProgram, id, title, meaning, evidence, advice, saving},
#include "warplens/explain/program.def"
#undef WL_EXPLANATION
#define WL_EXPLANATION(id, title, meaning, evidence, advice, saving) \
  {Scope::kKernel, id, title, meaning, evidence, advice, saving},
#include "warplens/explain/kernel.def"
#undef WL_EXPLANATION
#define WL_EXPLANATION(id, title, meaning, evidence, advice, saving) \
  {Scope::kCheck, id, title, meaning, evidence, advice, saving},
#include "warplens/explain/check.def"
#undef WL_EXPLANATION
#define WL_EXPLANATION(id, title, meaning, evidence, advice, saving) \
  {Scope::kMemory, id, title, meaning, evidence, advice, saving},
#include "warplens/explain/memory.def"
#undef WL_EXPLANATION
#define WL_EXPLANATION(id, title, meaning, evidence, advice, saving) \
  {Scope::kHang, id, title, meaning, evidence, advice, saving},
#include "warplens/explain/hang.def"
#undef WL_EXPLANATION
  };
  return rows;
}

const Explanation* find_explanation(std::string_view id, Scope scope) {
  const Explanation* found = nullptr;
  for (const Explanation& e : all_explanations()) {
    if (e.id != id) continue;
    if (e.scope == scope) return &e;
    if (!found) found = &e;
  }
  return found;
}

Result<std::string> explain(std::string_view id, Scope scope, Format format, size_t width) {
  std::vector<const Explanation*> chosen;
  std::vector<std::string> ids;
  for (const Explanation& e : all_explanations()) {
    ids.emplace_back(e.id);
    if (id == "all") chosen.push_back(&e);
  }
  if (const Explanation* one = find_explanation(id, scope)) chosen = {one};
  if (chosen.empty()) {
    const std::string near = nearest(id, ids);
    return usage_error(fmt::format("--explain {}: no finding of that name{}; --explain all shows every one", id,
                                   near.empty() ? "" : fmt::format(" (did you mean {}?)", near)));
  }
  if (format != Format::kTable) return render(table_of(chosen), format, 0);
  std::vector<std::string> texts;
  for (const Explanation* e : chosen) texts.push_back(to_text(*e, width ? std::min<size_t>(width, 100) : 100));
  return join(texts, "\n");
}

}  // namespace warplens::explain
