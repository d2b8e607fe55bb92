// Types of CUDA 12's runtime with another layout than CUDA 13's, as its headers define them on 64-bit
// Linux.
#pragma once
#include "warplens/cuda_api/abi.h"

namespace warplens::cudart12 {

struct DeviceProperties {
  char name[256];
  uint8_t uuid[16];
  char luid[8];
  uint32_t luid_device_node_mask;
  size_t total_global_mem, shared_mem_per_block;
  int regs_per_block, warp_size;
  size_t mem_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3];
  int clock_rate;  // kHz
  size_t total_const_mem;
  int major, minor;
  size_t texture_alignment, texture_pitch_alignment;
  int device_overlap, multi_processor_count, kernel_exec_timeout_enabled, integrated, can_map_host_memory, compute_mode;
  int textures_and_surfaces[39];
  size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus_id, pci_device_id, pci_domain_id, tcc_driver, async_engine_count;
  int unified_addressing, memory_clock_rate, memory_bus_width, l2_cache_size, persisting_l2_cache_max_size;
  int max_threads_per_multi_processor, stream_priorities_supported, global_l1_cache_supported;
  int local_l1_cache_supported;
  size_t shared_mem_per_multiprocessor;
  int regs_per_multiprocessor, managed_memory, is_multi_gpu_board, multi_gpu_board_group_id;
  int host_native_atomic_supported, single_to_double_ratio, pageable_memory_access, concurrent_managed_access;
  int compute_preemption_supported, can_use_host_pointer_for_registered_mem, cooperative_launch;
  int cooperative_multi_device_launch;
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
static_assert(sizeof(DeviceProperties) == 1032);
static_assert(offsetof(DeviceProperties, major) == 360 && offsetof(DeviceProperties, surface_alignment) == 568);
static_assert(offsetof(DeviceProperties, shared_mem_per_block_optin) == 696);

struct PointerAttributes {
  int kind, device;
  void *device_pointer, *host_pointer;
};
static_assert(sizeof(PointerAttributes) == 24);

/// The first bytes of CUDA 13's.
struct ResourceDescription {
  uint8_t bytes[64];
};

}  // namespace warplens::cudart12
