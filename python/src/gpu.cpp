// Kernels on a GPU through the driver, in the primary context that PyTorch and the CUDA runtime use; arrays of other
// libraries.
#include <fmt/ranges.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
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

  /// What a launch in `start` would load is loaded now.
  void make_ready(const std::string& kernel) {
    const cuda::ContextGuard inside = take_gpu(cuda::ContextGuard::enter(*device_));
    check_gpu(function_of(kernel).status());
  }
  const cuda::Device& device() const { return *device_; }

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

  Status start(const std::string& kernel, const cuda::Launch& launch) {
    WL_ASSIGN(const cuda::FunctionHandle function, function_of(kernel));
    const Status status = cuda::launch(*device_, function, launch);
    if (status.ok()) return status;
    const auto &grid = launch.grid, &block = launch.block;
    return status.in(fmt::format("{}[({},{},{}), ({},{},{})] with {} bytes of shared memory", kernel, grid[0], grid[1],
                                 grid[2], block[0], block[1], block[2], launch.shared_bytes));
  }

  Status finish(uint64_t stream) const {
    const nb::gil_scoped_release unlocked;
    return device_->driver().check(device_->driver().stream_synchronize(stream_of(stream)), "the kernel failed");
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
    cuda::Launch launch;
    launch.grid = grid, launch.block = block, launch.shared_bytes = shared_bytes, launch.stream = stream_of(stream);
    launch.parameters = {reinterpret_cast<const uint8_t*>(parameters.c_str()), parameters.size()};
    launch.parameter_offsets = offsets, launch.cooperative = cooperative;
    return start(kernel, launch);
  }

  std::unique_ptr<cuda::Device> device_;
  std::unique_ptr<cuda::Module> module_;
  std::map<std::string, cuda::FunctionHandle> functions_;
};

/// Launches made ready, one after another: only the stream and the addresses of their tensors are missing.
class GpuPlan {
 public:
  using Place =
      std::pair<size_t, size_t>;  // a byte of the parameters, and the number of the tensor whose address it is

  void add(GpuModule& module, const std::string& kernel, Dim3 grid, Dim3 block, uint32_t shared_bytes, bool cooperative,
           const nb::bytes& parameters, const Offsets& offsets, const std::vector<Place>& addresses) {
    module.make_ready(kernel);
    Entry entry{&module, kernel};
    entry.launch.grid = grid, entry.launch.block = block, entry.launch.shared_bytes = shared_bytes;
    entry.launch.cooperative = cooperative, entry.launch.parameter_offsets = offsets;
    entry.parameters.assign(parameters.c_str(), parameters.c_str() + parameters.size());
    entry.addresses = addresses;
    entries_.push_back(std::move(entry));
  }

  /// A tensor map among the parameters of the launch added last; element_type and swizzle as the driver numbers them.
  void add_map(Place place, int element_type, std::vector<uint64_t> dimensions, std::vector<uint64_t> strides_bytes,
               std::vector<uint32_t> box, int swizzle) {
    entries_.back().maps.push_back(
        {place, element_type, std::move(dimensions), std::move(strides_bytes), std::move(box), swizzle});
  }

  void run(const std::vector<uint64_t>& tensors, uint64_t stream, bool wait) {
    if (entries_.empty()) return;
    const cuda::ContextGuard inside = take_gpu(cuda::ContextGuard::enter(entries_[0].module->device()));
    for (Entry& entry : entries_) {
      for (const auto& [at, tensor] : entry.addresses) std::memcpy(&entry.parameters[at], &tensors.at(tensor), 8);
      for (Map& map : entry.maps) check_gpu(fill_in(entry, map, tensors.at(map.place.second)));
      entry.launch.parameters = entry.parameters;
      entry.launch.stream = stream_of(stream);
      check_gpu(entry.module->start(entry.kernel, entry.launch));
    }
    if (wait) check_gpu(entries_.back().module->finish(stream).in(entries_.back().kernel));
  }

 private:
  struct Map {
    Place place;
    int element_type;
    std::vector<uint64_t> dimensions, strides_bytes;
    std::vector<uint32_t> box;
    int swizzle;
    uint64_t address = 0;  // that its bytes are for
  };
  struct Entry {
    GpuModule* module;
    std::string kernel;
    cuda::Launch launch = {};
    std::vector<uint8_t> parameters = {};
    std::vector<Place> addresses = {};
    std::vector<Map> maps = {};
  };

  static Status fill_in(Entry& entry, Map& map, uint64_t address) {
    if (map.address == address) return {};
    const cuda::Driver& driver = entry.module->device().driver();
    if (driver.encode_tiled == nullptr)
      return unsupported("the CUDA driver here makes no tensor maps: one of CUDA 12 or later does");
    struct alignas(64) {
      uint8_t bytes[128];
    } made;
    constexpr int kNoInterleave = 0, kPromote128 = 2, kZerosOutside = 0;
    const std::vector<uint32_t> element_strides(map.dimensions.size(), 1);
    const auto rank = static_cast<unsigned>(map.dimensions.size());
    WL_TRY(
        driver
            .check(driver.encode_tiled(&made, map.element_type, rank, reinterpret_cast<void*>(address),
                                       map.dimensions.data(), map.strides_bytes.data(), map.box.data(),
                                       element_strides.data(), kNoInterleave, map.swizzle, kPromote128, kZerosOutside),
                   "the driver refuses a tensor map")
            .in(fmt::format("{}", fmt::join(map.dimensions, " x "))));
    std::memcpy(&entry.parameters[map.place.first], made.bytes, sizeof made.bytes);
    map.address = address;
    return {};
  }

  std::vector<Entry> entries_;
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
  nb::class_<GpuPlan>(module, "GpuPlan", "Launches made ready: only the stream and the tensors' addresses are missing.")
      .def(nb::init<>())
      .def("add", &GpuPlan::add, nb::keep_alive<1, 2>(), "module"_a, "kernel"_a, "grid"_a, "block"_a, "shared_bytes"_a,
           "cooperative"_a, "parameters"_a, "offsets"_a, "addresses"_a,
           "A launch after those before; `addresses`: bytes of the parameters, and which tensor's address each is.")
      .def("add_map", &GpuPlan::add_map, "place"_a, "element_type"_a, "dimensions"_a, "strides_bytes"_a, "box"_a,
           "swizzle"_a, "A tensor map among the parameters of the launch added last.")
      .def("run", &GpuPlan::run, "tensors"_a, "stream"_a, "wait"_a, "Launches all on a stream, with these addresses.");
  module.def("gpu_info", &gpu_info, "ordinal"_a,
             "name and arch of a GPU. Raises FileNotFoundError without a driver. Makes no context.");
  module.def("gpu_of", &gpu_of, "address"_a, "The number of the GPU whose memory holds an address.");
  module.def("copy", &copy, "host"_a, "device"_a, "bytes"_a, "stream"_a, "to_host"_a,
             "Copies after what the stream was given so far is done.");
  module.def("dlpack_memory", &dlpack_memory, "array"_a,
             "(address, bytes, DLPack device type, device number) of an array with __dlpack__.");
}

}  // namespace warplens::python
