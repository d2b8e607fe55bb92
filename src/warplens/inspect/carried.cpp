// Fat binaries, and the programs, libraries and object files that carry them.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/build/compile/assemble.h"
#include "warplens/inspect/count.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/fatbin/choose.h"
#include "warplens/isa/ptx/inline_lines.h"
#include "warplens/isa/ptx/parser.h"

namespace warplens::inspect {
namespace {

using fatbin::Image;

std::string kind_name(const Image& image) {
  switch (image.kind) {
    case fatbin::Kind::kPtx: return "PTX";
    case fatbin::Kind::kCubin: return "machine code";
    case fatbin::Kind::kLto: return "LTO";
    default: return fmt::format("kind {}", image.code);
  }
}

CarriedImage listed(const Image& image) {
  CarriedImage out;
  out.kind = kind_name(image);
  out.target = image.target();
  out.name = image.name;
  out.packed_bytes = image.payload.size();
  out.bytes = image.packing == fatbin::Packing::kNone ? image.payload.size() : image.unpacked_bytes;
  out.relocatable = image.relocatable;
  return out;
}

/// Counts images one after the other, each kernel of the first that has it.
class Counter {
 public:
  Counter(const std::vector<Image>& images, const Options& options, int cc, Report& report)
      : images_(images), options_(options), arch_(fmt::format("sm_{}", cc)), report_(report) {}

  void add(const Image& image) {
    const Result<std::string> code = fatbin::unpack(image);
    Status status = code.status();
    if (code.ok()) status = image.kind == fatbin::Kind::kCubin ? add_cubin(image, *code) : add_ptx(image, *code);
    if (!status.ok()) note(fmt::format("{} for {}: {}", kind_name(image), image.target(), status.message()));
  }

  /// Links what the file has for link-time optimisation as nvcc would, and counts that; `first` is one image of it.
  void add_linked(std::string_view file, const Image& first) {
    const auto kind = fatbin::is_fatbin(file) ? compile::LtoFile::kFatbin
                      : cubin::is_elf(file)   ? compile::LtoFile::kObject
                                              : compile::LtoFile::kLibrary;
    const Result<compile::Assembled> linked = compile::link_lto(std::string(file), kind, arch_);
    if (!linked.ok())
      return note("it only has code for link-time optimisation, which becomes machine code at the link: " +
                  linked.status().message());
    note("linked here from its code for link-time optimisation");
    const Status status = add_cubin(first, linked->cubin);
    if (!status.ok()) note(status.message());
  }

 private:
  void note(const std::string& text) {
    if (std::ranges::find(report_.notes, text) == report_.notes.end()) report_.notes.push_back(text);
  }

  CarriedImage& listed_as(const Image& image) { return report_.images[static_cast<size_t>(&image - images_.data())]; }

  const Kernel* known(const std::string& name) const {
    const auto found = std::ranges::find(report_.kernels, name, &Kernel::name);
    return found == report_.kernels.end() ? nullptr : &*found;
  }

  Status add_cubin(const Image& image, const std::string& code) {
    WL_ASSIGN(cubin::Cubin cubin, cubin::read_cubin(code));
    std::erase_if(cubin.functions, [&](const cubin::Function& function) {
      const Kernel* kernel = known(function.name);
      return kernel != nullptr && kernel->has_sass;
    });
    for (const std::string& text : std::exchange(cubin.notes, {})) note(text);
    mark(image, cubin.functions);
    count_sass(cubin, report_);
    return {};
  }

  /// PTX for another architecture than the machine code's may be of other source: it counts where there is none alone.
  Status add_ptx(const Image& image, const std::string& code) {
    const std::string text = ptx::with_true_lines(code);
    WL_ASSIGN(ptx::Module module, ptx::parse(text, report_.source));
    const bool same = arch_ == fmt::format("sm_{}", image.architecture);
    bool without_sass = false;
    std::erase_if(module.functions, [&](const ptx::Function& function) {
      const Kernel* kernel = known(function.name);
      without_sass = without_sass || (kernel == nullptr && function.is_kernel && !function.is_declaration);
      return kernel != nullptr && (kernel->has_ptx || !same);
    });
    mark(image, module.functions);
    const std::string arch = report_.architecture;
    count_ptx(module, text, report_);
    if (!arch.empty()) report_.architecture = arch;
    return without_sass ? assemble(image, text) : Status{};
  }

  Status assemble(const Image& image, const std::string& text) {
    if (!options_.assemble) return {};
    const Result<compile::Assembled> made = compile::assemble(text, arch_, {"-lineinfo"});
    if (!made.ok()) return made.status().in("no SASS");
    return add_cubin(image, made->cubin);
  }

  template <typename Functions>
  void mark(const Image& image, const Functions& functions) {
    CarriedImage& row = listed_as(image);
    for (const auto& function : functions) {
      if (!function.is_kernel || std::ranges::find(row.kernels, function.name) != row.kernels.end()) continue;
      row.kernels.push_back(function.name);
      row.shown = true;
    }
  }

  const std::vector<Image>& images_;
  const Options& options_;
  std::string arch_;
  Report& report_;
};

}  // namespace

Status add_carried(std::string_view bytes, const Options& options, Report& report) {
  Result<std::vector<Image>> read = fatbin::images_of_file(bytes);
  if (!read.ok()) return read.status().in(report.source);
  if (read->empty()) return not_found(report.source + ": there is no device code in it");
  for (const Image& image : *read) report.images.push_back(listed(image));
  const int cc = fatbin::compute_capability(*read, options.arch);
  std::vector<Image> runnable = *read;  // to be read, the device linker's inputs are as good as any
  for (Image& image : runnable) image.relocatable = false;
  Counter counter(runnable, options, cc, report);
  for (const Image* image : fatbin::suitable(runnable, cc)) counter.add(*image);
  const auto to_link = std::ranges::find_if(runnable, [&](const Image& image) {
    return image.kind == fatbin::Kind::kLto && static_cast<int>(image.architecture) == cc;
  });
  if (report.kernels.empty() && to_link != runnable.end()) counter.add_linked(bytes, *to_link);
  if (report.kernels.empty() && report.notes.empty())
    return not_found(
        fmt::format("{}: nothing in it runs on sm_{}; it has {}", report.source, cc, fatbin::list_targets(*read)));
  if (report.architecture.empty()) report.architecture = fmt::format("sm_{}", cc);
  return {};
}

}  // namespace warplens::inspect
