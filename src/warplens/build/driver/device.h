// One GPU, its memory, modules and timed launches: owners over the driver API.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/build/driver/driver.h"

namespace warplens::cuda {

/// Device 0 (or another) with its primary context, current on this thread while it lives.
class Device {
 public:
  static Result<Device> open(int ordinal = 0);
  Device(Device&& other) noexcept
      : driver_(other.driver_), ordinal_(std::exchange(other.ordinal_, -1)), context_(other.context_) {}
  Device& operator=(Device&&) = delete;
  ~Device();

  const Driver& driver() const { return *driver_; }
  int ordinal() const { return ordinal_; }
  Context context() const { return context_; }
  Result<std::string> name() const;
  Result<std::string> arch() const;  // "sm_90"
  Result<int> attribute(int id) const;
  Status synchronize() const;

 private:
  Device(const Driver* driver, int ordinal, Context context) : driver_(driver), ordinal_(ordinal), context_(context) {}
  const Driver* driver_;
  int ordinal_;
  Context context_;
};

/// Makes a device's context current, and the one that was current before again at its end.
class ContextGuard {
 public:
  static Result<ContextGuard> enter(const Device& device);
  ContextGuard(ContextGuard&& other) noexcept
      : driver_(std::exchange(other.driver_, nullptr)), before_(other.before_) {}
  ContextGuard& operator=(ContextGuard&&) = delete;
  ~ContextGuard();

 private:
  ContextGuard(const Driver* driver, Context before) : driver_(driver), before_(before) {}
  const Driver* driver_;  // nullptr: nothing to restore
  Context before_;
};

/// Device memory, freed at its end.
class Memory {
 public:
  static Result<Memory> allocate(const Device& device, size_t size_bytes);
  Memory(Memory&& other) noexcept
      : driver_(other.driver_), pointer_(std::exchange(other.pointer_, 0)), size_bytes_(other.size_bytes_) {}
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();
  DevicePointer pointer() const { return pointer_; }
  size_t size_bytes() const { return size_bytes_; }
  Status write(std::span<const uint8_t> bytes) const;
  Result<std::vector<uint8_t>> read() const;

 private:
  Memory(const Driver* driver, DevicePointer pointer, size_t size_bytes)
      : driver_(driver), pointer_(pointer), size_bytes_(size_bytes) {}
  const Driver* driver_;
  DevicePointer pointer_;
  size_t size_bytes_;
};

/// PTX (compiled by the driver) or a cubin, loaded.
class Module {
 public:
  /// The error holds the driver's compile log.
  static Result<Module> load(const Device& device, std::string image);
  Module(Module&& other) noexcept : driver_(other.driver_), handle_(std::exchange(other.handle_, nullptr)) {}
  Module& operator=(Module&&) = delete;
  ~Module();
  Result<FunctionHandle> function(const std::string& name) const;
  struct Global {
    DevicePointer pointer;
    size_t size_bytes;
  };
  Result<Global> global(const std::string& name) const;

 private:
  Module(const Driver* driver, ModuleHandle handle) : driver_(driver), handle_(handle) {}
  const Driver* driver_;
  ModuleHandle handle_;
};

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t shared_bytes = 0;
  bool cooperative = false;
  std::span<const uint8_t> parameters;  // the parameter block
  StreamHandle stream = nullptr;        // the default one
  /// Where each parameter begins in them; when given, the driver gets them one by one and places them itself.
  std::vector<size_t> parameter_offsets{};
};

/// Asynchronous; raises the function's limits on dynamic shared memory and cluster size as needed.
Status launch(const Device& device, FunctionHandle function, const Launch& launch);

/// A pair of events around work on the default stream.
class Stopwatch {
 public:
  static Result<Stopwatch> make(const Device& device);
  Stopwatch(Stopwatch&& other) noexcept
      : driver_(other.driver_),
        begin_(std::exchange(other.begin_, nullptr)),
        end_(std::exchange(other.end_, nullptr)) {}
  Stopwatch& operator=(Stopwatch&&) = delete;
  ~Stopwatch();
  Status start() const;
  /// Waits for the work since `start`; its time on the GPU, to half a microsecond.
  Result<double> stop_ns() const;

 private:
  explicit Stopwatch(const Driver* driver) : driver_(driver) {}
  const Driver* driver_;
  EventHandle begin_ = nullptr, end_ = nullptr;
};

}  // namespace warplens::cuda
