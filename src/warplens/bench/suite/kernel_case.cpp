#include "warplens/bench/suite/kernel_case.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/bench/harness/check_output.h"
#include "warplens/launch/contents.h"

namespace warplens::bench {
namespace {

Status fill_in(std::string& text, const Point& point) {
  WL_ASSIGN(text, filled_in(text, point));
  return {};
}

Result<launch::Flags> flags_at(launch::Flags flags, const Point& point) {
  for (std::string* text : {&flags.kernel, &flags.grid, &flags.block, &flags.cluster, &flags.shared})
    WL_TRY(fill_in(*text, point));
  for (auto* list : {&flags.options, &flags.args, &flags.symbols}) {
    for (std::string& text : *list) WL_TRY(fill_in(text, point));
  }
  return flags;
}

}  // namespace

double KernelCase::tolerance_for(launch::DType dtype) const {
  return tolerance > 0 ? tolerance : default_tolerance(launch::info(dtype).name);
}

namespace {

/// All launches at one point of the axes.
Result<launch::Description> description_at(const KernelRequest& request, const Point& point) {
  launch::Description out;
  if (request.launch_file.empty()) {
    WL_ASSIGN(const launch::Flags flags, flags_at(request.flags, point));
    WL_ASSIGN(out, launch::description_of(flags));
  } else {
    WL_ASSIGN(const std::string text, filled_in(request.launch_file, point));
    Result<launch::Description> description = launch::parse_description(text, request.folder);
    if (!description.ok()) return description.status().in(request.flags.source);
    out = std::move(*description);
    if (const Status chosen = launch::keep_launches(out, request.flags.kernel); !chosen.ok())
      return chosen.in(request.flags.source);
  }
  WL_TRY(launch::settle(out));
  return out;
}

/// The kernel, with its number among the launches of the same one where there are several.
std::string name_of_launch(const launch::Description& description, size_t number) {
  const std::string& kernel = description.launches[number].kernel;
  size_t same = 0, place = 0;
  for (size_t i = 0; i < description.launches.size(); ++i) {
    if (description.launches[i].kernel != kernel) continue;
    ++same;
    if (i <= number) place = same;
  }
  return same == 1 ? kernel : fmt::format("{} #{}", kernel, place);
}

/// Those of `references` whose buffers this launch gets; with one launch alone all are wanted.
Status add_references(const std::vector<std::string>& texts, const Point& point, bool alone, KernelCase& out) {
  for (std::string text : texts) {
    WL_TRY(fill_in(text, point));
    Result<Reference> reference = parse_reference(text, out.description);
    if (!reference.ok() && alone) return reference.status();
    if (reference.ok()) out.references.push_back(std::move(*reference));
  }
  return {};
}

}  // namespace

Result<std::vector<KernelCase>> cases_at(const KernelRequest& request, const Point& point) {
  WL_ASSIGN(const launch::Description all, description_at(request, point));
  std::vector<KernelCase> out;
  for (size_t i = 0; i < all.launches.size(); ++i) {
    KernelCase& each = out.emplace_back();
    each.point = point;
    each.tolerance = request.tolerance;
    each.name = name_of_launch(all, i);
    each.description = all;
    each.description.launches = {all.launches[i]};
    if (all.launches.size() > 1) launch::drop_unused_buffers(each.description);
    if (!request.bytes.empty()) {
      WL_ASSIGN(const int64_t bytes, whole_number(request.bytes, point));
      each.bytes = static_cast<double>(bytes);
    }
    if (!request.flops.empty()) {
      WL_ASSIGN(const int64_t flops, whole_number(request.flops, point));
      each.flops = static_cast<double>(flops);
    }
    WL_TRY(add_references(request.references, point, all.launches.size() == 1, each));
  }
  if (out.empty()) return usage_error(request.flags.source + ": has no launches");
  return out;
}

}  // namespace warplens::bench
