// Types that programs exchange with the CUDA runtime, laid out as in CUDA 13's headers on 64-bit Linux.
#pragma once
#include <cstddef>
#include <cstdint>

namespace warplens::cuda_api {

inline constexpr int kRuntimeVersion = 13000;

enum Error : int {
#define ERROR(number, name, text) name = number,
#include "warplens/cuda_api/errors.def"
#undef ERROR
};

struct Dim3 {
  uint32_t x, y, z;
};

enum CopyKind : int { kHostToHost = 0, kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kDefault = 4 };

struct DeviceProperties {
  char name[256];
  uint8_t uuid[16];
  char luid[8];
  uint32_t luid_device_node_mask;
  size_t total_global_mem, shared_mem_per_block;
  int regs_per_block, warp_size;
  size_t mem_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3];
  size_t total_const_mem;
  int major, minor;
  size_t texture_alignment, texture_pitch_alignment;
  int multi_processor_count, integrated, can_map_host_memory;
  int textures_and_surfaces[39];
  size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus_id, pci_device_id, pci_domain_id, tcc_driver, async_engine_count;
  int unified_addressing, memory_bus_width, l2_cache_size, persisting_l2_cache_max_size;
  int max_threads_per_multi_processor, stream_priorities_supported, global_l1_cache_supported;
  int local_l1_cache_supported;
  size_t shared_mem_per_multiprocessor;
  int regs_per_multiprocessor, managed_memory, is_multi_gpu_board, multi_gpu_board_group_id;
  int host_native_atomic_supported, pageable_memory_access, concurrent_managed_access;
  int compute_preemption_supported, can_use_host_pointer_for_registered_mem, cooperative_launch;
  size_t shared_mem_per_block_optin;
  int pageable_memory_access_uses_host_page_tables, direct_managed_mem_access_from_host;
  int max_blocks_per_multi_processor, access_policy_max_window_size;
  size_t reserved_shared_mem_per_block;
  int host_register_supported, sparse_cuda_array_supported, host_register_read_only_supported;
  int timeline_semaphore_interop_supported, memory_pools_supported, gpu_direct_rdma_supported;
  uint32_t gpu_direct_rdma_flush_writes_options;
  int gpu_direct_rdma_writes_ordering;
  uint32_t memory_pool_supported_handle_types;
  int deferred_mapping_cuda_array_supported, ipc_event_supported, cluster_launch;
  int rest[64];
};
static_assert(sizeof(DeviceProperties) == 1008);
static_assert(offsetof(DeviceProperties, major) == 360 && offsetof(DeviceProperties, surface_alignment) == 552);
static_assert(offsetof(DeviceProperties, l2_cache_size) == 596);
static_assert(offsetof(DeviceProperties, shared_mem_per_block_optin) == 672);
static_assert(offsetof(DeviceProperties, cluster_launch) == 748);

struct FunctionAttributes {
  size_t shared_bytes, constant_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
  int max_dynamic_shared_bytes, preferred_shared_carveout, cluster_must_be_set;
  int required_cluster_width, required_cluster_height, required_cluster_depth;
  int cluster_scheduling_policy, non_portable_cluster_allowed;
  int rest[17];
};
static_assert(sizeof(FunctionAttributes) == 144 && offsetof(FunctionAttributes, non_portable_cluster_allowed) == 72);

struct LaunchAttribute {
  int id;
  int padding;
  union {
    uint8_t bytes[64];
    int number;
    Dim3 dim;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);
enum LaunchAttributeId : int { kAttributeCooperative = 2, kAttributeCluster = 4 };

struct LaunchConfiguration {
  Dim3 grid, block;
  size_t dynamic_shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  uint32_t attribute_count;
};
static_assert(sizeof(LaunchConfiguration) == 56);

enum PointerKind : int { kUnregistered = 0, kHostPointer = 1, kDevicePointer = 2, kManagedPointer = 3 };
struct PointerAttributes {
  int kind, device;
  void *device_pointer, *host_pointer;
  long rest[8];
};
static_assert(sizeof(PointerAttributes) == 88);

struct Extent {
  size_t width, height, depth;
};
struct PitchedPointer {
  void* pointer;
  size_t pitch, x_bytes, y_rows;
};
struct Position {
  size_t x, y, z;
};
struct Copy3D {
  void* source_array;
  Position source_position;
  PitchedPointer source;
  void* target_array;
  Position target_position;
  PitchedPointer target;
  Extent extent;
  int kind;
};
static_assert(sizeof(Copy3D) == 160);

/// Bits of each channel, and their kind: 0 signed, 1 unsigned, 2 floats.
struct ChannelDescription {
  int x, y, z, w, kind;
};

enum ResourceKind : int { kArrayResource = 0, kMipmapResource = 1, kLinearResource = 2, kPitchResource = 3 };
struct ResourceDescription {
  int kind;
  union {
    void* array;
    struct {
      void* pointer;
      ChannelDescription channels;
      size_t size;  // bytes; of rows with a pitch their width in texels, then the pitch
      size_t height, pitch;
    } linear;
    int room[32];
  };
  unsigned flags;
};
static_assert(sizeof(ResourceDescription) == 144 && offsetof(ResourceDescription, flags) == 136);

struct TextureDescription {
  int address_mode[3], filter_linear, read_normalized, srgb;
  float border[4];
  int normalized_coordinates;
  unsigned max_anisotropy;
  int mipmap_filter_linear;
  float mipmap_bias, mipmap_least, mipmap_most;
  int no_trilinear_optimization, seamless_cubemap;
};
static_assert(sizeof(TextureDescription) == 72);

struct KernelNodeParameters {
  void* function;
  Dim3 grid, block;
  uint32_t shared_bytes;
  void** arguments;
  void** extra;
};
static_assert(sizeof(KernelNodeParameters) == 56);

struct FillParameters {
  void* target;
  size_t pitch;
  uint32_t value, element_bytes;
  size_t width, height;  // elements, rows
};

struct HostParameters {
  void (*function)(void*);
  void* data;
};

struct AllocationParameters {
  int kind, handles, location, device;
  void* rest;
  size_t most_bytes;
  uint8_t room[56];
  const void* access;
  size_t access_count, size_bytes;
  void* pointer;
};
static_assert(sizeof(AllocationParameters) == 120);

}  // namespace warplens::cuda_api
