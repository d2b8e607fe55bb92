// The launches of a file, ready to be run as PTX or as machine code, again and again.
#pragma once
#include <cstring>
#include <ctime>
#include <map>
#include <string>

#include "warplens/base/files.h"
#include "warplens/launch/contents.h"
#include "warplens/launch/description.h"
#include "warplens/launch/parameters.h"
#include "warplens/launch/source.h"
#include "warplens/run/sass/machine.h"
#include "warplens/session/machine_run.h"
#include "warplens/session/module.h"

namespace warplens::benchmarks {

inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct LoadedLaunches {
  launch::Description description;
  launch::Source source;
  std::unique_ptr<session::Module> module;
  std::map<std::string, simt::Address, std::less<>> buffers;

  /// Errors: of the file and its source.
  Status load(const std::string& path) {
    WL_ASSIGN(const std::string json, read_file(path));
    const size_t slash = path.rfind('/');
    WL_ASSIGN(description, launch::parse_description(json, slash == std::string::npos ? "." : path.substr(0, slash)));
    WL_TRY(launch::settle(description));
    WL_ASSIGN(source, launch::load_source(description, ""));
    WL_ASSIGN(module, session::Module::load(source.module, {source.ptx, source.arch, source.cubin, source.kernels}));
    for (const auto& buffer : description.buffers) {
      WL_ASSIGN(const auto contents, launch::contents_of(buffer));
      WL_ASSIGN(const simt::Address at, module->memory.allocate(contents.size(), buffer.name));
      std::memcpy(reinterpret_cast<void*>(at), contents.data(), contents.size());
      buffers[buffer.name] = at;
    }
    return {};
  }

  Result<simt::Launch> configure(size_t index) const {
    const launch::LaunchSpec& spec = description.launches[index];
    simt::Launch config;
    WL_ASSIGN(const ptx::Function* function, module->ptx->kernel(source.kernels[index]));
    const launch::AddressOf address_of = [&](std::string_view name) { return buffers.find(name)->second; };
    const launch::EncodeMap no_maps = [](const launch::TensorMapSpec&, uint64_t) -> Result<std::vector<uint8_t>> {
      return unsupported("launches with tensor maps are not timed");
    };
    WL_ASSIGN(config.parameters, launch::pack_parameters(launch::layout_of(*function), spec.args, address_of, no_maps));
    static_cast<simt::LaunchShape&>(config) = spec;
    return config;
  }

  /// The kernel's machine code on one thread; `program` is the program.
  Result<simt::sass_machine::MachineLaunch> machine_launch(size_t index, const simt::sass_machine::Program** program) {
    WL_ASSIGN(session::Kernel* const kernel, module->kernel(source.kernels[index]));
    *program = &kernel->program;
    WL_ASSIGN(simt::Launch config, configure(index));
    config.threads = 1;
    return session::set_up(*kernel, config, simt::device_of(config, kernel->program.architecture), {});
  }
};

}  // namespace warplens::benchmarks
