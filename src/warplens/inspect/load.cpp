#include "warplens/inspect/load.h"

#include <algorithm>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/assemble.h"
#include "warplens/build/compile/compile.h"
#include "warplens/inspect/count.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/fatbin/fatbin.h"
#include "warplens/isa/ptx/inline_lines.h"
#include "warplens/isa/ptx/parser.h"

namespace warplens::inspect {
namespace {

namespace fs = std::filesystem;

enum class Format { kCubin, kCarrier, kPtx, kCuda };

Format sniff(std::string_view bytes, const std::string& path) {
  if (cubin::is_cubin(bytes)) return Format::kCubin;
  if (fatbin::may_carry(bytes)) return Format::kCarrier;
  if (path.ends_with(".ptx")) return Format::kPtx;
  if (path.ends_with(".cu")) return Format::kCuda;
  const size_t version = bytes.find(".version");
  return version != std::string_view::npos && bytes.find(".target", version) != std::string_view::npos ? Format::kPtx
                                                                                                       : Format::kCuda;
}

Status add_ptx(const std::string& text, const std::string& name, Report& report) {
  WL_ASSIGN(const ptx::Module module, ptx::parse(text, name));
  count_ptx(module, text, report);
  return {};
}

Status add_cubin(std::string_view bytes, const std::string& name, Report& report) {
  auto cubin = cubin::read_cubin(bytes);
  if (!cubin.ok()) return cubin.status().in(name);
  count_sass(*cubin, report);
  return {};
}

/// SASS of PTX text; what goes wrong is a note, as the report has the PTX.
Status add_assembled(const std::string& text, const std::string& name, const Options& options, Report& report) {
  if (!options.assemble) return {};
  const std::string arch = options.arch.empty() ? report.architecture : options.arch;
  auto assembled = compile::assemble(text, arch, {"-lineinfo"});
  if (!assembled.ok()) {
    report.notes.push_back("no SASS: " + assembled.status().message());
    return {};
  }
  return add_cubin(assembled->cubin, name, report);
}

Status add_source(const std::string& text, const std::string& path, const Options& options, Report& report) {
  compile::Request request;
  request.source = text;
  request.path = path;
  if (!options.arch.empty()) request.arch = options.arch;
  request.options = options.compiler;
  if (std::find(request.options.begin(), request.options.end(), "-lineinfo") == request.options.end()) {
    request.options.push_back("-lineinfo");
  }
  WL_ASSIGN(const compile::Compiled compiled, compile::compile(request));
  WL_TRY(add_ptx(compiled.ptx, path, report));
  if (compiled.cubin.empty()) return add_assembled(compiled.ptx, path, options, report);
  return add_cubin(compiled.cubin, path, report);
}

std::string shown(const json::Value& value) {
  if (const std::string* text = value.string()) return *text;
  if (const bool* flag = value.boolean()) return *flag ? "true" : "false";
  const auto whole = value.integer();
  return whole ? fmt::format("{}", *whole) : "";
}

/// The launch options that Triton keeps beside a kernel.
Status add_metadata(const std::string& text, const std::string& name, Report& report) {
  auto parsed = json::parse(text);
  if (!parsed.ok()) return parsed.status().in(name);
  for (const char* key :
       {"name", "num_warps", "num_stages", "num_ctas", "shared", "global_scratch_size", "triton_version"}) {
    const json::Value* value = parsed->find(key);
    if (value != nullptr && !shown(*value).empty()) report.metadata.emplace_back(key, shown(*value));
  }
  return {};
}

/// Files of the folder and of the folders right in it, by extension, in order of name.
std::vector<std::string> files_of(const std::string& folder, const std::string& extension) {
  std::vector<std::string> out;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder, error); !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    if (it.depth() > 1) it.disable_recursion_pending();
    if (it->is_regular_file(error) && it->path().extension() == extension) out.push_back(it->path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Status add_folder(const std::string& folder, const Options& options, Report& report) {
  const auto ptx = files_of(folder, ".ptx"), cubins = files_of(folder, ".cubin");
  if (ptx.empty() && cubins.empty()) {
    return not_found(fmt::format("{}: no .ptx and no .cubin in this folder; a Triton cache folder has both", folder));
  }
  for (const std::string& path : files_of(folder, ".json")) {
    if (fs::path(path).filename().string().starts_with("__grp__")) continue;  // Triton's list of the group's files
    WL_ASSIGN(const std::string text, read_file(path));
    WL_TRY(add_metadata(text, path, report));
  }
  for (const std::string& path : ptx) {
    WL_ASSIGN(std::string bytes, read_file(path));
    const std::string text = ptx::with_true_lines(std::move(bytes));
    WL_TRY(add_ptx(text, path, report));
    if (cubins.empty()) WL_TRY(add_assembled(text, path, options, report));
  }
  for (const std::string& path : cubins) {
    WL_ASSIGN(const std::string bytes, read_file(path));
    WL_TRY(add_cubin(bytes, path, report));
  }
  return {};
}

Status add_file(const std::string& path, const Options& options, Report& report) {
  WL_ASSIGN(std::string bytes, read_file(path));
  switch (sniff(bytes, path)) {
    case Format::kCubin: return add_cubin(bytes, path, report);
    case Format::kCarrier: return add_carried(bytes, options, report);
    case Format::kCuda: return add_source(bytes, path, options, report);
    case Format::kPtx: break;
  }
  const std::string text = ptx::with_true_lines(std::move(bytes));
  WL_TRY(add_ptx(text, path, report));
  return add_assembled(text, path, options, report);
}

}  // namespace

Result<Report> load(const std::string& path, const Options& options) {
  Report report;
  report.source = path;
  std::error_code ignored;
  WL_TRY(fs::is_directory(path, ignored) ? add_folder(path, options, report) : add_file(path, options, report));
  for (Kernel& kernel : report.kernels) explain(kernel);
  return report;
}

}  // namespace warplens::inspect
