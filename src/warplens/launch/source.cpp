#include "warplens/launch/source.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/build/compile/compile.h"
#include "warplens/build/compile/includes.h"
#include "warplens/build/compile/kernel_names.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/fatbin/choose.h"
#include "warplens/isa/ptx/inline_lines.h"
#include "warplens/isa/ptx/parser.h"
#include "warplens/launch/read_input.h"
#include "warplens/output/source_excerpt.h"

namespace warplens::launch {
namespace {

/// PTX begins with `.version`, after comments.
bool is_ptx(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view content = trim(line);
    if (content.empty() || content.starts_with("//")) continue;
    return content.starts_with(".version");
  }
  return false;
}

/// The template instances among the kernels' names: "scale<float>".
std::vector<std::string> instances(const Description& description) {
  std::vector<std::string> names;
  for (const LaunchSpec& launch : description.launches) {
    if (contains(launch.kernel, "<") && std::find(names.begin(), names.end(), launch.kernel) == names.end())
      names.push_back(launch.kernel);
  }
  return names;
}

/// Names of instances may be short of arguments that only a launch or an instantiation tells: then the source's own
/// instances are compiled, and one of them is chosen.
Result<compile::Compiled> compile_instances(compile::Request request) {
  Result<compile::Compiled> compiled = compile::compile(request);
  if (compiled.ok() || request.expressions.empty() || !contains(compiled.status().message(), "name expression"))
    return compiled;
  const std::string wanted = join(request.expressions, ", ");
  request.expressions.clear();
  Result<compile::Compiled> whole = compile::compile(request);
  if (whole.ok() && !compile::entry_names(whole->ptx).empty()) return whole;
  return invalid_input(
      fmt::format("{}: no instance '{}' can be made: name all arguments of the template, as in -k "
                  "'scale<float, 4>'",
                  request.path, wanted));
}

Status compile_source(const Description& description, std::string text, Source& source,
                      std::map<std::string, std::string>& lowered) {
  compile::Request request{.source = std::move(text),
                           .path = source.path,
                           .arch = source.arch,
                           .options = description.options,
                           .expressions = instances(description),
                           .compiler = description.compiler};
  // Line information costs nothing at run time and gives every report its source line.
  if (std::ranges::none_of(request.options, [](const std::string& o) {
        return o.ends_with("-lineinfo") || o.ends_with("-generate-line-info") || o == "-G";
      }))
    request.options.push_back("-lineinfo");
  WL_ASSIGN(compile::Compiled compiled, compile_instances(request));
  source.compiled = true;
  source.ptx = std::move(compiled.ptx);
  source.cubin = std::move(compiled.cubin);
  source.log = std::move(compiled.log);
  source.compiler = std::move(compiled.compiler);
  lowered = std::move(compiled.lowered);
  return {};
}

Status read_code(const Description& description, std::string text, Source& source) {
  source.cubin = std::move(text);
  Result<cubin::Cubin> code = cubin::read_cubin(source.cubin);
  if (!code.ok()) return code.status().in(source.path);
  source.code = std::make_shared<const cubin::Cubin>(std::move(*code));
  source.arch = fmt::format("sm_{}", source.code->architecture);
  std::vector<std::string> names;
  for (const cubin::Function& function : source.code->functions) {
    if (function.is_kernel) names.push_back(function.name);
  }
  for (const LaunchSpec& launch : description.launches) {
    Result<std::string> name = compile::choose_kernel(names, launch.kernel);
    if (!name.ok()) return name.status().in(source.path);
    source.kernels.push_back(std::move(*name));
  }
  return {};
}

Status choose_kernels(const Description& description, const std::map<std::string, std::string>& lowered,
                      bool has_templates, Source& source) {
  const std::vector<std::string> entries = compile::entry_names(source.ptx);
  const bool may_be_template = source.compiled && has_templates;
  for (const LaunchSpec& launch : description.launches) {
    if (const auto exact = lowered.find(launch.kernel); exact != lowered.end()) {
      source.kernels.push_back(exact->second);
      continue;
    }
    Result<std::string> name = compile::choose_kernel(entries, launch.kernel);
    if (!name.ok() && name.status().code() == ErrorCode::kNotFound && may_be_template && !launch.kernel.empty())
      return not_found(fmt::format("{}: {}; an instance of a template is named with its arguments: -k '{}<float>'",
                                   source.path, name.status().message(),
                                   launch.kernel.substr(0, launch.kernel.find('<'))));
    if (!name.ok()) return name.status().in(source.path);
    source.kernels.push_back(std::move(*name));
  }
  return {};
}

}  // namespace

Result<ParameterLayout> parameter_layout(const Source& source, const std::string& kernel) {
  if (source.module) return layout_of(*source.module->function(kernel));
  return layout_of(*source.code->function(kernel));
}

namespace {

/// The types of each launch's kernel, and whether its arguments are that. `text` is empty where there is no CUDA C++.
Status check_signatures(const Description& description, std::string_view text, Source& source) {
  for (size_t i = 0; i < description.launches.size(); ++i) {
    Signature signature = signature_of(source.kernels[i], text);
    const Result<ParameterLayout> layout = parameter_layout(source, source.kernels[i]);
    if (layout.ok() && layout->slots.size() != signature.size()) signature.clear();  // a macro stands for parameters
    source.signatures.push_back(std::move(signature));
    WL_TRY(check_types(source.kernels[i], source.signatures[i], description.launches[i].args, description));
  }
  return {};
}

std::vector<std::string> kernels_in(const fatbin::Image& image, const std::string& code) {
  if (image.kind == fatbin::Kind::kPtx) return compile::entry_names(code);
  std::vector<std::string> names;
  if (const auto read = cubin::read_cubin(code); read.ok()) {
    for (const cubin::Function& function : read->functions) {
      if (function.is_kernel) names.push_back(function.name);
    }
  }
  return names;
}

/// Whether there is a kernel for each launch; the error names the first that there is none for, and what there is.
Status have_kernels(const Description& description, const std::vector<std::string>& names) {
  for (const LaunchSpec& launch : description.launches) WL_TRY(compile::choose_kernel(names, launch.kernel).status());
  return {};
}

/// The code in a fat binary, an executable or a library that has the launches' kernels and runs on `arch`; "": on the
/// newest GPU that there is machine code for. `ptx_first`: PTX, where there is any.
Result<std::string> code_within(const Description& description, const std::string& arch, std::string_view file,
                                bool ptx_first) {
  Result<std::vector<fatbin::Image>> read = fatbin::images_of_file(file);
  if (!read.ok()) return read.status().in(description.source);
  const std::vector<fatbin::Image>& images = *read;
  if (images.empty()) return not_found(fmt::format("{}: there is no device code in it", description.source));
  const int cc = fatbin::compute_capability(images, arch);
  std::set<std::string> all;
  std::vector<const fatbin::Image*> suitable = fatbin::suitable(images, cc);
  if (ptx_first)
    std::ranges::stable_partition(suitable, [](const fatbin::Image* i) { return i->kind == fatbin::Kind::kPtx; });
  for (const fatbin::Image* image : suitable) {
    WL_ASSIGN(std::string code, fatbin::unpack(*image));
    const std::vector<std::string> names = kernels_in(*image, code);
    if (have_kernels(description, names).ok()) return code;
    all.insert(names.begin(), names.end());
  }
  const std::string where =
      fmt::format("{}: of its images ({}), none that runs on sm_{} has all kernels of the launches", description.source,
                  fatbin::list_targets(images), cc);
  WL_TRY(have_kernels(description, {all.begin(), all.end()}).in(where));
  return not_found(where + ": the launches' kernels are in different images; run them one at a time");
}

/// `text` holds what was read; of CUDA C++ it stays.
Result<Source> read_source(const Description& description, const std::string& arch, bool ptx_first, std::string* text) {
  Source source;
  source.path = description.source;
  source.arch = !description.arch.empty() ? description.arch : arch;
  if (fatbin::may_carry(*text)) {
    WL_ASSIGN(*text, code_within(description, source.arch, *text, ptx_first));
  }
  if (cubin::is_cubin(*text)) {
    WL_TRY(read_code(description, std::exchange(*text, ""), source));
    return source;
  }
  std::map<std::string, std::string> lowered;
  if (is_ptx(*text)) {
    source.ptx = ptx::with_true_lines(std::exchange(*text, ""));
  } else {
    if (source.arch.empty()) source.arch = "sm_90";
    WL_TRY(compile_source(description, *text, source, lowered));
  }
  {
    const TimedScope timed("parse PTX");
    WL_ASSIGN(ptx::Module module, ptx::parse(source.ptx, source.path));
    source.module = std::make_shared<const ptx::Module>(std::move(module));
  }
  const std::string target = source.module->targets.empty() ? "sm_90" : source.module->targets[0];
  // PTX for sm_90a cannot be assembled for sm_90, which is what a GPU that runs it calls itself.
  if (source.arch.empty() || (!source.compiled && target == source.arch + 'a')) source.arch = target;
  WL_TRY(choose_kernels(description, lowered, contains(*text, "template"), source));
  return source;
}

}  // namespace

Result<Source> load_source(const Description& description, const std::string& arch, bool ptx_first) {
  WL_ASSIGN(std::string text, read_input(description.source));
  show_sources_in(std::filesystem::path(description.source).parent_path().string());
  for (const std::string& folder : compile::search_folders(description.options)) show_sources_in(folder);
  WL_ASSIGN(Source source, read_source(description, arch, ptx_first, &text));
  WL_TRY(check_signatures(description, text, source));
  return source;
}

}  // namespace warplens::launch
