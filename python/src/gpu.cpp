// Kernels on a GPU through the driver, in the primary context that PyTorch and the CUDA runtime use; arrays of other
// libraries.
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>

#include "module.h"
#include "status.h"
#include "warplens/base/text.h"
#include "warplens/build/driver/stream.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {
namespace {

using Dim3 = std::array<uint32_t, 3>;
using Offsets = std::vector<size_t>;

/// What the driver reports is a RuntimeError, as in PyTorch.
void check_gpu(const Status& status) {
  if (!status.ok()) raise(status.code() == ErrorCode::kIo ? internal_error(status.message()) : status);
}

template <typename T>
T take_gpu(Result<T> result) {
  check_gpu(result.status());
  return std::move(result).value();
}

cuda::StreamHandle stream_of(uint64_t handle) { return reinterpret_cast<cuda::StreamHandle>(handle); }

/// A module loaded on one GPU, with the kernels asked for so far.
class GpuModule {
 public:
  GpuModule(const nb::bytes& image, int ordinal) {
    device_ = std::make_unique<cuda::Device>(take_gpu(open_beside(ordinal)));
    const cuda::ContextGuard inside = take_gpu(cuda::ContextGuard::enter(*device_));
    module_ = std::make_unique<cuda::Module>(
        take_gpu(cuda::Module::load(*device_, std::string(image.c_str(), image.size()))));
  }
  GpuModule(const GpuModule&) = delete;
  ~GpuModule() {
    const Result<cuda::ContextGuard> inside = cuda::ContextGuard::enter(*device_);
    module_.reset();
  }

  void launch(const std::string& kernel, Dim3 grid, Dim3 block, const nb::bytes& parameters, uint64_t stream,
              uint32_t shared_bytes, bool wait, const Offsets& offsets, bool cooperative) {
    const cuda::ContextGuard inside = take_gpu(cuda::ContextGuard::enter(*device_));
    check_gpu(start(kernel, grid, block, parameters, stream, shared_bytes, offsets, cooperative));
    if (wait) check_gpu(finish(stream).in(kernel));
  }

  double timed_launch(const std::string& kernel, Dim3 grid, Dim3 block, const nb::bytes& parameters, uint64_t stream,
                      uint32_t shared_bytes, const Offsets& offsets, bool cooperative) {
    const cuda::ContextGuard inside = take_gpu(cuda::ContextGuard::enter(*device_));
    const cuda::Event begin = take_gpu(cuda::Event::make(*device_)), end = take_gpu(cuda::Event::make(*device_));
    check_gpu(function_of(kernel).status());
    check_gpu(begin.record(stream_of(stream)));
    check_gpu(start(kernel, grid, block, parameters, stream, shared_bytes, offsets, cooperative));
    check_gpu(end.record(stream_of(stream)));
    check_gpu(finish(stream).in(kernel));
    return take_gpu(cuda::Event::elapsed_ns(begin, end));
  }

 private:
  /// Opening a device makes its context current; the one that was current before comes back.
  static Result<cuda::Device> open_beside(int ordinal) {
    WL_ASSIGN(const cuda::Driver* const driver, cuda::driver());
    cuda::Context before = nullptr;
    WL_TRY(driver->check(driver->context_get(&before), "cannot read the current CUDA context"));
    Result<cuda::Device> device = cuda::Device::open(ordinal);
    if (before != nullptr) driver->context_set(before);
    return device;
  }

  Result<cuda::FunctionHandle> function_of(const std::string& kernel) {
    const auto found = functions_.find(kernel);
    if (found != functions_.end()) return found->second;
    WL_ASSIGN(const cuda::FunctionHandle function, module_->function(kernel));
    int registers = 0;  // asking loads it now, and not in the middle of a timed launch
    WL_TRY(device_->driver().check(device_->driver().function_get(&registers, cuda::kFunctionRegisters, function),
                                   "cannot load the kernel"));
    return functions_.emplace(kernel, function).first->second;
  }

  Status start(const std::string& kernel, Dim3 grid, Dim3 block, const nb::bytes& parameters, uint64_t stream,
               uint32_t shared_bytes, const Offsets& offsets, bool cooperative) {
    WL_ASSIGN(const cuda::FunctionHandle function, function_of(kernel));
    cuda::Launch launch;
    launch.grid = grid, launch.block = block, launch.shared_bytes = shared_bytes, launch.stream = stream_of(stream);
    launch.parameters = {reinterpret_cast<const uint8_t*>(parameters.c_str()), parameters.size()};
    launch.parameter_offsets = offsets, launch.cooperative = cooperative;
    const Status status = cuda::launch(*device_, function, launch);
    if (status.ok()) return status;
    return status.in(fmt::format("{}[({},{},{}), ({},{},{})] with {} bytes of shared memory", kernel, grid[0], grid[1],
                                 grid[2], block[0], block[1], block[2], shared_bytes));
  }

  Status finish(uint64_t stream) const {
    const nb::gil_scoped_release unlocked;
    return device_->driver().check(device_->driver().stream_synchronize(stream_of(stream)), "the kernel failed");
  }

  std::unique_ptr<cuda::Device> device_;
  std::unique_ptr<cuda::Module> module_;
  std::map<std::string, cuda::FunctionHandle> functions_;
};

Record gpu_info(int ordinal) {
  const cuda::Driver& driver = *take_gpu(cuda::driver());
  char name[256] = {};
  int major = 0, minor = 0;
  check_gpu(driver.check(driver.device_name(name, sizeof name, ordinal), "cannot read the GPU's name"));
  check_gpu(driver.check(driver.device_attribute(&major, cuda::kDeviceMajor, ordinal),
                         "cannot read an attribute of the GPU"));
  check_gpu(driver.check(driver.device_attribute(&minor, cuda::kDeviceMinor, ordinal),
                         "cannot read an attribute of the GPU"));
  nb::dict out;
  out["name"] = std::string(name), out["arch"] = "sm_" + std::to_string(10 * major + minor);
  return out;
}

int gpu_of(uint64_t address) {
  const cuda::Driver& driver = *take_gpu(cuda::driver());
  int ordinal = 0;
  check_gpu(driver.check(driver.pointer_attribute(&ordinal, cuda::kPointerDeviceOrdinal, address),
                         "not an address of GPU memory"));
  return ordinal;
}

/// Between a stream's device memory and the host, in the stream's order.
void copy(uint64_t host, uint64_t device, uint64_t bytes, uint64_t stream, bool to_host) {
  const cuda::Driver& driver = *take_gpu(cuda::driver());
  const nb::gil_scoped_release unlocked;
  int code = driver.stream_synchronize(stream_of(stream));
  if (code == 0)
    code = to_host ? driver.copy_out(reinterpret_cast<void*>(host), device, bytes)
                   : driver.copy_in(device, reinterpret_cast<void*>(host), bytes);
  const Status status = driver.check(code, "cannot copy between the GPU and the host");
  const nb::gil_scoped_acquire locked;
  check_gpu(status);
}

/// (address, bytes, DLPack device type, device number) of anything with __dlpack__.
nb::typed<nb::tuple, int, int, int, int> dlpack_memory(nb::handle object) {
  const auto array = nb::cast<nb::ndarray<>>(object);
  int64_t expected = 1;
  for (size_t axis = array.ndim(); axis-- > 0; expected *= static_cast<int64_t>(array.shape(axis)))
    if (array.shape(axis) > 1 && array.stride(axis) != expected)
      raise(invalid_input("an array argument is not contiguous; pass a contiguous copy"));
  return nb::make_tuple(reinterpret_cast<uint64_t>(array.data()), array.nbytes(), array.device_type(),
                        array.device_id());
}

}  // namespace

void bind_gpu(nb::module_& module) {
  nb::class_<GpuModule>(module, "GpuModule", "Machine code or PTX loaded on a GPU, in its primary context.")
      .def(nb::init<const nb::bytes&, int>(), "image"_a, "ordinal"_a)
      .def("launch", &GpuModule::launch, "kernel"_a, "grid"_a, "block"_a, "parameters"_a, "stream"_a, "shared_bytes"_a,
           "wait"_a, "offsets"_a = Offsets(), "cooperative"_a = false,
           "Launches on a stream; `wait` until it is done, so that its errors come from here.")
      .def("timed_launch", &GpuModule::timed_launch, "kernel"_a, "grid"_a, "block"_a, "parameters"_a, "stream"_a,
           "shared_bytes"_a, "offsets"_a = Offsets(), "cooperative"_a = false,
           "Launches, waits, and returns the nanoseconds between events before and after.");
  module.def("gpu_info", &gpu_info, "ordinal"_a,
             "name and arch of a GPU. Raises FileNotFoundError without a driver. Makes no context.");
  module.def("gpu_of", &gpu_of, "address"_a, "The number of the GPU whose memory holds an address.");
  module.def("copy", &copy, "host"_a, "device"_a, "bytes"_a, "stream"_a, "to_host"_a,
             "Copies after what the stream was given so far is done.");
  module.def("dlpack_memory", &dlpack_memory, "array"_a,
             "(address, bytes, DLPack device type, device number) of an array with __dlpack__.");
}

}  // namespace warplens::python
