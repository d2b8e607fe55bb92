#include "warplens/build/compile/compile.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "warplens/base/regular_opens.h"
#include "warplens/base/sha256.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/build/compile/cache.h"
#include "warplens/build/compile/host_code.h"
#include "warplens/build/compile/includes.h"
#include "warplens/build/compile/nvcc.h"
#include "warplens/build/compile/nvrtc.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/build/compile/torch_source.h"

namespace warplens::compile {
namespace {

constexpr const char* kFormat = "warplens compile 1";  // change it when what is stored changes

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Empty when the result must not be cached.
Result<std::string> cache_key(const Request& request, const Toolkit& tools) {
  const Includes includes = scan_includes(request.source, folder_of(request.path), search_folders(request.options));
  WL_TRY(includes.readable);
  if (includes.computed) return std::string();
  std::error_code ignored;  // relative paths in line information are told from the working folder
  const std::string folder = std::filesystem::current_path(ignored).string();
  Sha256 key;
  key.add_field(kFormat).add_field(request.source).add_field(request.path).add_field(folder).add_field(request.arch);
  for (const std::string& option : request.options) key.add_field("option").add_field(option);
  for (const std::string& expression : request.expressions) key.add_field("instance").add_field(expression);
  if (!request.compiler.empty()) key.add_field("compiler").add_field(request.compiler);
  key.add_field(file_identity(tools.nvrtc)).add_field(file_identity(tools.nvcc)).add_field(includes.digest);
  return key.hex();
}

Compiled from_pieces(Pieces pieces) {
  Compiled compiled{std::move(pieces["ptx"]),
                    std::move(pieces["cubin"]),
                    std::move(pieces["log"]),
                    std::move(pieces["compiler"]),
                    {},
                    true};
  for (auto& [name, bytes] : pieces) {
    if (name.starts_with("lowered:")) compiled.lowered[replace_all(name.substr(8), "\x01", " ")] = bytes;
  }
  return compiled;
}

Pieces to_pieces(const Compiled& compiled) {
  Pieces pieces = {
      {"ptx", compiled.ptx}, {"cubin", compiled.cubin}, {"log", compiled.log}, {"compiler", compiled.compiler}};
  for (const auto& [expression, name] : compiled.lowered)
    pieces["lowered:" + replace_all(expression, " ", "\x01")] = name;
  return pieces;
}

/// What a copy of this process tells: the result, or its error.
Pieces to_answer(const Result<NvrtcOutput>& output) {
  if (!output.ok())
    return {{"error", output.status().message()},
            {"code", fmt::format("{}", static_cast<int>(output.status().code()))}};
  return to_pieces({output->ptx, output->cubin, output->log, "nvrtc", output->lowered});
}

Result<Compiled> from_answer(std::string_view text) {
  std::optional<Pieces> pieces = deserialize(text);
  if (!pieces || pieces->empty()) return internal_error("NVRTC ended early");
  if (const auto error = pieces->find("error"); error != pieces->end())
    return Status(static_cast<ErrorCode>(parse_int((*pieces)["code"]).value_or(0)), error->second);
  Compiled compiled = from_pieces(std::move(*pieces));
  compiled.cached = false;
  return compiled;
}

/// Compilers say puzzling things about files of other kinds.
Status check_source(std::string_view source) {
  const std::string_view text = trim(source);
  if (text.empty()) return invalid_input("is empty");
  if (source.find('\0') != std::string_view::npos)
    return invalid_input("is a binary file, but not a cubin; give CUDA C++, PTX or a cubin");
  if (text.front() == '{' || text.front() == '[')
    return invalid_input(
        "looks like JSON; give CUDA C++, PTX or a cubin (`warplens kernel` and `bench` take launch files)");
  return {};
}

Result<Compiled> run_nvrtc(const Request& request, const Toolkit& tools) {
  std::vector<std::string> options = {"-arch=" + request.arch, "-I" + folder_of(request.path)};
  options.insert(options.end(), request.options.begin(), request.options.end());
  for (const std::string& folder : tools.includes) options.push_back("-I" + folder);
  // What a PyTorch extension's host and kernels share stands there without __device__.
  if (contains(request.source, kTorchHeader)) options.push_back("--device-as-default-execution-space");
  const std::string name = request.path.empty() ? "source.cu" : request.path;
  WL_TRY(load_nvrtc(tools.nvrtc));
  WL_ASSIGN(const std::string answer, run_library("NVRTC", [&] {
              return serialize(
                  to_answer(compile_with_nvrtc(tools.nvrtc, request.source, name, options, request.expressions)));
            }));
  return from_answer(answer);
}

Result<Compiled> run_nvcc(const Request& request, const Toolkit& tools) {
  WL_ASSIGN(NvccOutput output, compile_with_nvcc(tools.nvcc, request.source, request.path, request.arch,
                                                 request.options, request.expressions));
  return Compiled{std::move(output.ptx), "", std::move(output.log), "nvcc"};
}

Result<Compiled> run_compiler(const Request& request, const Toolkit& tools) {
  const std::string host = host_code_reason(request.source);
  if (!host.empty() && !tools.nvcc.empty()) return run_nvcc(request, tools);
  if (!host.empty())
    return unsupported(fmt::format(
        "it has host code, {}, which needs nvcc, and nvcc is not installed; move the kernels into a separate file, "
        "or get nvcc: {}",
        host, toolkit_advice()));
  const bool wants_nvcc = request.compiler == "nvcc" || tools.nvrtc.empty();
  if (wants_nvcc && !tools.nvcc.empty()) return run_nvcc(request, tools);
  Result<Compiled> compiled = run_nvrtc(request, tools);
  if (compiled.ok() && wants_nvcc)
    compiled->log += "nvcc was requested but is missing. NVRTC compiled instead; for some kernels its code differs\n";
  if (compiled.ok() || tools.nvcc.empty() || !nvcc_may_help(compiled.status().message())) return compiled;
  return run_nvcc(request, tools);
}

Result<Compiled> compile_source(const Request& request) {
  const std::string name = request.path.empty() ? "source" : request.path;
  WL_TRY(check_source(request.source).in(name));
  const Toolkit& tools = toolkit();
  WL_ASSIGN(const std::string key, cache_key(request, tools));
  if (!key.empty()) {
    if (std::optional<Pieces> pieces = load_cached(key)) return from_pieces(std::move(*pieces));
  }
  Result<Compiled> compiled = internal_error("the compiler did not run");
  with_regular_opens([&] { compiled = run_compiler(request, tools); });
  if (!compiled.ok()) return compiled.status().in(name);
  // A cache that cannot be written costs time, nothing else.
  if (!key.empty()) (void)store_cached(key, to_pieces(*compiled));
  return compiled;
}

/// The request with torch's own headers, which lie in `folder`. They need nvcc, C++20 and half a minute.
Request with_torch_of(const std::string& folder, const Request& asked) {
  Request request = asked;
  const std::string shown = asked.path.empty() ? "source.cu" : asked.path;
  request.source = fmt::format("#line 1 \"{}\"\n{}", shown, with_own_torch(asked.source));
  request.path.clear();
  request.compiler = "nvcc";
  std::vector<std::string>& options = request.options;
  if (std::ranges::none_of(options, [](const std::string& option) { return contains(option, "-std"); }))
    options.push_back("-std=c++20");
  const std::string root = folder.substr(0, folder.find("/torch/csrc/"));
  for (const std::string& place : {folder_of(asked.path), root, root + "/torch/csrc/api/include"})
    options.push_back("-I" + place);
  options.push_back("--expt-relaxed-constexpr");
  return request;
}

/// Does a compiler miss a name or a header that torch's own might have?
bool misses_something(std::string_view message) {
  return contains(message, "undefined") || contains(message, "has no") || contains(message, "cannot open") ||
         contains(message, "not a template") || contains(message, "could not open");
}

}  // namespace

Result<Compiled> compile(const Request& asked) {
  const TimedScope timed("compile");
  WL_TRY(check_arch(asked.arch));
  WL_TRY(check_compiler(asked.compiler));
  const std::string header(torch_header(asked.source));
  if (header.empty()) return compile_source(asked);
  std::error_code ignored;
  for (const std::string& folder : search_folders(asked.options)) {
    if (std::filesystem::exists(folder + "/" + header, ignored)) return compile_source(with_torch_of(folder, asked));
  }
  Request served = asked;
  served.source = with_served_torch(asked.source);
  Result<Compiled> compiled = compile_source(served);
  const Toolkit& tools = toolkit();
  if (compiled.ok() || tools.torch.empty() || tools.nvcc.empty() || !misses_something(compiled.status().message()))
    return compiled;
  return compile_source(with_torch_of(tools.torch, asked));
}

Status check_compiler(const std::string& name) {
  if (name.empty() || name == "nvrtc" || name == "nvcc") return {};
  return usage_error(fmt::format("'{}' is not a compiler; write nvrtc or nvcc", name));
}

Status check_arch(const std::string& arch) {
  const std::string_view text = arch;
  const size_t skip = text.starts_with("sm_") ? 3 : text.starts_with("compute_") ? 8 : 0;
  const std::string_view digits =
      text.substr(skip, std::min(text.find_first_not_of("0123456789", skip), text.size()) - skip);
  const std::string_view suffix = text.substr(skip + digits.size());
  if (skip != 0 && digits.size() >= 2 && digits.size() <= 3 && (suffix.empty() || suffix == "a" || suffix == "f"))
    return {};
  return usage_error(fmt::format("'{}' is not an architecture; write it like sm_90, sm_90a or sm_100", arch));
}

}  // namespace warplens::compile
