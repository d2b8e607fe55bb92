#include "warplens/build/compile/assemble.h"

#include <algorithm>

#include "warplens/base/dynamic_library.h"
#include "warplens/base/files.h"
#include "warplens/base/sha256.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/cache.h"
#include "warplens/build/compile/refused.h"
#include "warplens/build/compile/run_tool.h"
#include "warplens/build/compile/toolkit.h"

namespace warplens::compile {
namespace {

Result<Assembled> with_ptxas(const std::string& ptxas, const std::string& ptx, const std::string& arch,
                             const std::vector<std::string>& options) {
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string input = folder.path() + "/in.ptx", output = folder.path() + "/out.cubin";
  WL_TRY(write_file(input, ptx, true));
  std::vector<std::string> command = {ptxas, "-arch=" + arch, "-o", output};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(input);
  WL_ASSIGN(const ProcessOutput done, run_tool(command));
  if (done.exit_code != 0)  // in the words of a driver, which has no file either
    return refused(std::string(trim(replace_all(done.output, input, "application ptx input"))));
  WL_ASSIGN(std::string cubin, read_file(output));
  return Assembled{std::move(cubin), done.output};
}

/// The functions of nvJitLink.h that turn PTX, or what is there for link-time optimisation, into a cubin.
struct JitLink {
  using Handle = struct OpaqueLink*;
  using Code = int;
  Code (*create)(Handle*, uint32_t, const char**) = nullptr;
  Code (*destroy)(Handle*) = nullptr;
  Code (*add)(Handle, int, const void*, size_t, const char*) = nullptr;
  Code (*complete)(Handle) = nullptr;
  Code (*cubin_size)(Handle, size_t*) = nullptr;
  Code (*cubin)(Handle, void*) = nullptr;
  Code (*error_size)(Handle, size_t*) = nullptr;
  Code (*error_log)(Handle, char*) = nullptr;
};

Result<JitLink> load_jit_link(const std::string& path) {
  WL_ASSIGN(const DynamicLibrary library, DynamicLibrary::open({path}));
  JitLink link;
  WL_TRY(library.find("nvJitLinkCreate", link.create));
  WL_TRY(library.find("nvJitLinkDestroy", link.destroy));
  WL_TRY(library.find("nvJitLinkAddData", link.add));
  WL_TRY(library.find("nvJitLinkComplete", link.complete));
  WL_TRY(library.find("nvJitLinkGetLinkedCubinSize", link.cubin_size));
  WL_TRY(library.find("nvJitLinkGetLinkedCubin", link.cubin));
  WL_TRY(library.find("nvJitLinkGetErrorLogSize", link.error_size));
  WL_TRY(library.find("nvJitLinkGetErrorLog", link.error_log));
  return link;
}

Result<Assembled> with_jit_link(const std::string& path, const std::vector<LinkInput>& inputs,
                                const std::vector<std::string>& texts) {
  WL_ASSIGN(const JitLink link, load_jit_link(path));
  std::vector<const char*> arguments;
  for (const std::string& text : texts) arguments.push_back(text.c_str());
  JitLink::Handle handle = nullptr;
  if (link.create(&handle, static_cast<uint32_t>(arguments.size()), arguments.data()) != 0)
    return invalid_input(fmt::format("nvJitLink takes none of: {}", join(texts, " ")));
  Assembled result;
  size_t size = 0;
  const bool added = std::ranges::all_of(inputs, [&](const LinkInput& input) {
    const size_t end = input.kind == LinkInput::Kind::kPtx ? 1 : 0;  // PTX is a text with a zero behind it
    return link.add(handle, static_cast<int>(input.kind), input.bytes.c_str(), input.bytes.size() + end,
                    input.name.c_str()) == 0;
  });
  const bool linked = added && link.complete(handle) == 0 && link.cubin_size(handle, &size) == 0;
  if (linked) {
    result.cubin.resize(size);
    link.cubin(handle, result.cubin.data());
  } else if (link.error_size(handle, &size) == 0 && size > 0) {
    result.log.resize(size);
    link.error_log(handle, result.log.data());
  }
  link.destroy(&handle);
  if (!linked)
    return refused("nvJitLink: " + std::string(result.log.empty() ? "these cannot be linked" : result.log.c_str()));
  return result;
}

/// What each kind of file is called, so that nvlink knows it.
const char* ending_of(LinkInput::Kind kind) {
  using Kind = LinkInput::Kind;
  return kind == Kind::kFatbin ? ".fatbin" : kind == Kind::kObject ? ".o" : kind == Kind::kLibrary ? ".a" : ".cubin";
}

Result<Assembled> with_nvlink(const std::string& nvlink, const std::vector<LinkInput>& inputs,
                              const std::string& arch) {
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string output = folder.path() + "/out.cubin";
  std::vector<std::string> command = {nvlink, "-arch=" + arch, "-o", output};
  Assembled result;
  for (const LinkInput& input : inputs) {
    const std::string path = fmt::format("{}/{}{}", folder.path(), command.size(), ending_of(input.kind));
    std::string bytes = input.bytes;
    if (input.kind == LinkInput::Kind::kPtx) {
      WL_ASSIGN(Assembled made, assemble(input.bytes, arch, {"-c", "-v"}));
      bytes = std::move(made.cubin);
      result.log += made.log;
    }
    WL_TRY(write_file(path, bytes, true));
    command.push_back(path);
  }
  WL_ASSIGN(const ProcessOutput done, run_tool(command));
  if (done.exit_code != 0) return refused(done.output);
  WL_ASSIGN(result.cubin, read_file(output));
  return result;
}

std::vector<std::string> jit_options(const std::string& arch, const std::vector<std::string>& options) {
  std::vector<std::string> texts = {"-arch=" + arch};
  for (const std::string& option : options)
    texts.push_back(option.starts_with("-O") || option == "-v" ? option : "-Xptxas=" + option);
  return texts;
}

}  // namespace

Result<Assembled> assemble(const std::string& ptx, const std::string& arch, const std::vector<std::string>& options) {
  const Toolkit& tools = toolkit();
  const std::string& assembler = tools.ptxas.empty() ? tools.nvjitlink : tools.ptxas;
  if (assembler.empty()) return not_found("no PTX assembler (ptxas or libnvJitLink) found; " + toolkit_advice());
  Sha256 key;
  key.add_field("assemble").add_field(file_identity(assembler)).add_field(arch).add_field(ptx);
  for (const std::string& option : options) key.add_field(option);
  const std::string digest = key.hex();
  if (std::optional<Pieces> cached = load_cached(digest))
    return Assembled{std::move((*cached)["cubin"]), std::move((*cached)["log"])};
  Result<Assembled> made = tools.ptxas.empty() ? with_jit_link(assembler, {{LinkInput::Kind::kPtx, ptx, "input"}},
                                                               jit_options(arch, options))
                                               : with_ptxas(assembler, ptx, arch, options);
  // A cache that cannot be written costs time, nothing else.
  if (made.ok()) (void)store_cached(digest, {{"cubin", made->cubin}, {"log", made->log}});
  return made;
}

Result<Assembled> link_lto(const std::string& file, LtoFile kind, const std::string& arch) {
  const std::string& linker = toolkit().nvjitlink;
  if (linker.empty()) return not_found("no libnvJitLink found; " + toolkit_advice());
  return with_jit_link(linker, {{static_cast<LinkInput::Kind>(kind), file, "input"}},
                       {"-arch=" + arch, "-lto", "-lineinfo"});
}

Result<Assembled> link(const std::vector<LinkInput>& inputs, const std::string& arch) {
  using Kind = LinkInput::Kind;
  if (inputs.size() == 1 && inputs[0].kind == Kind::kPtx) return assemble(inputs[0].bytes, arch, {"-v"});
  if (inputs.size() == 1 && inputs[0].kind == Kind::kCubin) return Assembled{inputs[0].bytes, ""};
  const Toolkit& tools = toolkit();
  if (!tools.nvjitlink.empty()) return with_jit_link(tools.nvjitlink, inputs, {"-arch=" + arch});
  const std::string linker = tools.ptxas.substr(0, tools.ptxas.rfind('/') + 1) + "nvlink";
  if (tools.ptxas.empty() || file_identity(linker).empty())
    return not_found("linking several images needs libnvJitLink or nvlink, and neither was found; " + toolkit_advice());
  return with_nvlink(linker, inputs, arch);
}

}  // namespace warplens::compile
