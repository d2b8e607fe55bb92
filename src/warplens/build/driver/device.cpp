#include "warplens/build/driver/device.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::cuda {

Result<Device> Device::open(int ordinal) {
  WL_ASSIGN(const Driver* const driver, cuda::driver());
  int count = 0;
  WL_TRY(driver->check(driver->device_count(&count), "cannot count the GPUs"));
  if (ordinal >= count) return not_found(fmt::format("no GPU {}; the driver shows {}", ordinal, count));
  Context context = nullptr;
  WL_TRY(driver->check(driver->primary_retain(&context, ordinal), "cannot open the GPU"));
  Device device(driver, ordinal, context);
  WL_TRY(driver->check(driver->context_set(context), "cannot use the GPU"));
  return device;
}

Device::~Device() {
  if (ordinal_ >= 0) driver_->primary_release(ordinal_);
}

Result<ContextGuard> ContextGuard::enter(const Device& device) {
  const Driver& driver = device.driver();
  Context before = nullptr;
  WL_TRY(driver.check(driver.context_get(&before), "cannot read the current CUDA context"));
  if (before == device.context()) return ContextGuard(nullptr, nullptr);
  WL_TRY(driver.check(driver.context_set(device.context()), "cannot use the GPU"));
  return ContextGuard(&driver, before);
}

ContextGuard::~ContextGuard() {
  if (driver_ != nullptr) driver_->context_set(before_);
}

Result<std::string> Device::name() const {
  char text[256] = {};
  WL_TRY(driver_->check(driver_->device_name(text, sizeof text, ordinal_), "cannot read the GPU's name"));
  return std::string(text);
}

Result<int> Device::attribute(int id) const {
  int value = 0;
  WL_TRY(driver_->check(driver_->device_attribute(&value, id, ordinal_), "cannot read an attribute of the GPU"));
  return value;
}

Result<std::string> Device::arch() const {
  WL_ASSIGN(const int major, attribute(kDeviceMajor));
  WL_ASSIGN(const int minor, attribute(kDeviceMinor));
  return fmt::format("sm_{}{}", major, minor);
}

Status Device::synchronize() const { return driver_->check(driver_->context_synchronize(), "the GPU reports"); }

Result<Memory> Memory::allocate(const Device& device, size_t size_bytes) {
  DevicePointer pointer = 0;
  const Driver& driver = device.driver();
  WL_TRY(driver.check(driver.allocate(&pointer, std::max<size_t>(size_bytes, 1)), "cannot allocate GPU memory")
             .in(fmt::format("{} bytes", size_bytes)));
  return Memory(&driver, pointer, size_bytes);
}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(pointer_, other.pointer_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

Memory::~Memory() {
  if (pointer_ != 0) driver_->free(pointer_);
}

Status Memory::write(std::span<const uint8_t> bytes) const {
  if (bytes.size() > size_bytes_) return internal_error("more bytes than were allocated");
  return driver_->check(driver_->copy_in(pointer_, bytes.data(), bytes.size()), "cannot copy to the GPU");
}

Result<std::vector<uint8_t>> Memory::read() const {
  std::vector<uint8_t> bytes(size_bytes_);
  WL_TRY(driver_->check(driver_->copy_out(bytes.data(), pointer_, size_bytes_), "cannot copy from the GPU"));
  return bytes;
}

Result<Module> Module::load(const Device& device, std::string image) {
  const Driver& driver = device.driver();
  image.push_back('\0');  // PTX must end with one; a cubin does not mind
  std::string log(1 << 16, '\0');
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  ModuleHandle handle = nullptr;
  const int code = driver.module_load(&handle, image.data(), 2, options, values);
  if (code != 0)
    return driver.check(code, "the driver cannot load the module").in(log.c_str()[0] ? log.c_str() : "module");
  return Module(&driver, handle);
}

Module::~Module() {
  if (handle_ != nullptr) driver_->module_unload(handle_);
}

Result<FunctionHandle> Module::function(const std::string& name) const {
  FunctionHandle handle = nullptr;
  WL_TRY(driver_->check(driver_->module_function(&handle, handle_, name.c_str()), "no such kernel in the module")
             .in(name));
  return handle;
}

Result<Module::Global> Module::global(const std::string& name) const {
  Global global{};
  WL_TRY(driver_
             ->check(driver_->module_global(&global.pointer, &global.size_bytes, handle_, name.c_str()),
                     "no such variable in the module")
             .in(name));
  return global;
}

Status launch(const Device& device, FunctionHandle function, const Launch& launch) {
  const Driver& driver = device.driver();
  if (launch.shared_bytes > 0)  // with what the kernel declares it may be more than the 48 KiB that need no asking
    WL_TRY(driver.check(driver.function_set(function, kFunctionMaxDynamicShared, static_cast<int>(launch.shared_bytes)),
                        "too much dynamic shared memory"));
  LaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (launch.cooperative) {
    attributes[count].id = kLaunchCooperative;
    attributes[count++].value.cooperative = 1;
  }
  const uint32_t cluster = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  if (cluster > 8)
    WL_TRY(
        driver.check(driver.function_set(function, kFunctionNonPortableCluster, 1), "clusters of more than 8 blocks"));
  if (cluster > 1) {
    attributes[count] = {.id = kLaunchClusterDimension};
    std::copy_n(launch.cluster.begin(), 3, attributes[count++].value.cluster);
  }
  LaunchConfig config{{launch.grid[0], launch.grid[1], launch.grid[2]},
                      {launch.block[0], launch.block[1], launch.block[2]},
                      launch.shared_bytes,
                      launch.stream,
                      attributes,
                      count};
  size_t size = launch.parameters.size();
  if (!launch.parameter_offsets.empty()) {
    std::vector<void*> parameters;
    for (const size_t offset : launch.parameter_offsets)
      parameters.push_back(const_cast<uint8_t*>(launch.parameters.data()) + offset);
    return driver.check(driver.launch(&config, function, parameters.data(), nullptr), "the launch was refused");
  }
  void* extra[] = {kParamBuffer, const_cast<uint8_t*>(launch.parameters.data()), kParamBufferSize, &size, kParamEnd};
  return driver.check(driver.launch(&config, function, nullptr, size == 0 ? nullptr : extra), "the launch was refused");
}

Result<Stopwatch> Stopwatch::make(const Device& device) {
  Stopwatch watch(&device.driver());
  WL_TRY(watch.driver_->check(watch.driver_->event_create(&watch.begin_, 0), "cannot create an event"));
  WL_TRY(watch.driver_->check(watch.driver_->event_create(&watch.end_, 0), "cannot create an event"));
  return watch;
}

Stopwatch::~Stopwatch() {
  for (const EventHandle event : {begin_, end_}) {
    if (event != nullptr) driver_->event_destroy(event);
  }
}

Status Stopwatch::start() const {
  return driver_->check(driver_->event_record(begin_, nullptr), "cannot record an event");
}

Result<double> Stopwatch::stop_ns() const {
  WL_TRY(driver_->check(driver_->event_record(end_, nullptr), "cannot record an event"));
  WL_TRY(driver_->check(driver_->event_synchronize(end_), "the GPU reports"));
  float ms = 0;
  WL_TRY(driver_->check(driver_->event_elapsed(&ms, begin_, end_), "cannot read the events"));
  return ms * 1e6;
}

}  // namespace warplens::cuda
