// A program's fat binary, loaded for one GPU: its variables in device memory, its kernels ready to be launched.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/gpu/device.h"
#include "warplens/isa/fatbin/fatbin.h"
#include "warplens/report/ptx_listing.h"
#include "warplens/session/module.h"

namespace warplens::cuda_api {

using session::Kernel, simt::Variable;

/// The GPU that this host thread works on.
int& current_device();

/// The object behind a program's handle: its image, and the module made of it at first use.
class Module {
 public:
  /// `fatbin` is the container in the program's own memory. Nothing is read before the first use. `checked`: its PTX is
  /// loaded too, for checks.
  Module(const void* fatbin, const gpu::Device& device, simt::Memory& memory, bool checked)
      : fatbin_(fatbin), device_(device), memory_(memory), checked_(checked) {}

  /// The same for one image that the program passes: a cubin, PTX, or a container of its own.
  Module(std::string image, const gpu::Device& device, simt::Memory& memory, bool checked)
      : image_(std::move(image)), device_(device), memory_(memory), checked_(checked) {}

  /// The containers that were linked to make it, ended by a zero: its PTX is theirs.
  void linked_of(const void* const* containers) { linked_of_ = containers; }

  /// Each device has its own variables, but those that are managed.
  void is_of_program() { of_each_device_ = true; }
  /// All devices and the host share this variable. Errors: those of variable().
  Result<Variable> manage(const std::string& name);

  /// Reads it now. Errors: those of kernel().
  Status load() { return loaded(current_device()).status(); }
  /// Errors: no image for the device, with those there are; a damaged one; no such kernel.
  Result<Kernel*> kernel(const std::string& name, int device = current_device());
  /// Errors as above. For the current device.
  Result<Variable> variable(std::string_view name);
  /// The kernels of its machine code, mangled. Errors: as of load().
  Result<std::vector<std::string>> kernel_names();
  /// True if the kernel is of this one, on any device.
  bool holds(const Kernel& kernel) const;
  /// The text of a kernel's PTX: of the images, or of Triton's cache. Empty if none is known.
  std::vector<report::PtxLine> ptx_of(const std::string& kernel) const;
  /// As of session::Module, of one that is loaded.
  void constants_changed() { (*loaded(current_device()))->constants_changed(); }
  void constants_exposed() { (*loaded(current_device()))->constants_exposed(); }

 private:
  /// The images to choose from: those of the container, or the one that was handed over.
  Result<std::vector<fatbin::Image>> images() const;
  /// The images of the containers that were linked.
  Result<std::vector<std::vector<fatbin::Image>>> linked_images() const;
  Result<std::string> choose_code() const;
  Result<std::optional<std::string>> link_again() const;
  Result<std::shared_ptr<const ptx::Module>> choose_ptx() const;
  Result<std::unique_ptr<session::Module>> make(int device);
  /// The first device's, for another one; empty if there are none.
  simt::sass_machine::FindVariable managed_variables(int device);
  Result<session::Module*> loaded(int device);

  const void* fatbin_ = nullptr;
  const void* const* linked_of_ = nullptr;
  std::string image_;  // where there is no fatbin_
  const gpu::Device& device_;
  simt::Memory& memory_;
  bool checked_ = false;
  bool of_each_device_ = false;
  std::set<std::string, std::less<>> managed_;  // variables that all devices share: they are the first one's
  Status problem_;                              // why it cannot be loaded
  std::map<int, std::unique_ptr<session::Module>> loaded_;  // by device
};

}  // namespace warplens::cuda_api
