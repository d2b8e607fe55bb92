// The same of the driver's interface: a line a call, its code and the sticky error after it.
// nvcc -arch=sm_90 -cudart shared -o error_codes_driver error_codes_driver.cu; ./error_codes_driver > error_codes_driver.txt
#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <string>

#include "error_codes.cuh"

/// Calls are found by their names: the program needs no libcuda to be linked.
template <class F>
F* driver(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<F*>(dlsym(library, name));
}
#define CU(name, ...) static_cast<int>(driver<decltype(name)>(#name)(__VA_ARGS__))
#define CU2(name, ...) static_cast<int>(driver<decltype(name##_v2)>(#name "_v2")(__VA_ARGS__))

const std::string kPtx =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .align 4 .b8 variable[16];\n"
    ".visible .entry store(.param .u64 p) { .reg .b64 a; .reg .b32 b; ld.param.u64 a,[p]; mov.u32 b,1; st.global.u32 [a],b; ret; }\n";

CUcontext context;
CUmodule module;
CUfunction store;
CUstream stream;
CUevent event;
CUdeviceptr memory;
int host[64];
void prepare() {
  CU(cuInit, 0);
  CU(cuDevicePrimaryCtxRetain, &context, 0);
  CU(cuCtxSetCurrent, context);
  CU(cuModuleLoadData, &module, kPtx.c_str());
  CU(cuModuleGetFunction, &store, module, "store");
  CU(cuStreamCreate, &stream, 0);
  CU(cuEventCreate, &event, 0);
  CU2(cuMemAlloc, &memory, 4096);
}
int launch(unsigned grid, unsigned block, unsigned shared_bytes, CUdeviceptr at) {
  void* arguments[] = {&at};
  const int code = CU(cuLaunchKernel, store, grid, 1, 1, block, 1, 1, shared_bytes, nullptr, arguments, nullptr);
  return code ? code : CU(cuCtxSynchronize);
}
int load(std::string text) {
  CUmodule made;
  text.resize(text.size() + 64);
  return CU(cuModuleLoadData, &made, text.data());
}
std::string replaced(const std::string& what, const std::string& by) {
  std::string text = kPtx;
  return text.replace(text.find(what), what.size(), by);
}
/// The start of a fat binary that claims more than there is, or nothing.
std::string fat_binary(uint64_t size_bytes, uint16_t version = 1) {
  std::string out(4096, '\0');
  const uint32_t magic = 0xba55ed50;
  const uint16_t header = 16;
  std::memcpy(out.data(), &magic, 4);
  std::memcpy(out.data() + 4, &version, 2);
  std::memcpy(out.data() + 6, &header, 2);
  std::memcpy(out.data() + 8, &size_bytes, 8);
  return out;
}
std::string elf(uint16_t machine) {
  std::string out(4096, '\0');
  std::memcpy(out.data(), "\x7f" "ELF\2\1\1", 7);
  std::memcpy(out.data() + 18, &machine, 2);
  return out;
}
CUmemAllocationProp property() {
  CUmemAllocationProp out{};
  out.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  out.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return out;
}
struct NoContext {
  NoContext() { CU(cuCtxSetCurrent, nullptr); }
  ~NoContext() { CU(cuCtxSetCurrent, context); }
};

#define CASE(name, ...) {name, []() -> int { __VA_ARGS__; }}
const std::vector<Case> kCases = {
    CASE("init_flags", return CU(cuInit, 1)),
    CASE("device_99", CUdevice d; return CU(cuDeviceGet, &d, 99)),
    CASE("device_-1", CUdevice d; return CU(cuDeviceGet, &d, -1)),
    CASE("device_null", return CU(cuDeviceGet, nullptr, 0)),
    CASE("count_null", return CU(cuDeviceGetCount, nullptr)),
    CASE("name_null", return CU(cuDeviceGetName, nullptr, 64, 0)),
    CASE("name_99", char s[64]; return CU(cuDeviceGetName, s, 64, 99)),
    CASE("attribute_bad", int k; return CU(cuDeviceGetAttribute, &k, static_cast<CUdevice_attribute>(9999), 0)),
    CASE("attribute_99", int k; return CU(cuDeviceGetAttribute, &k, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99)),
    CASE("total_null", return CU2(cuDeviceTotalMem, nullptr, 0)),
    CASE("version_null", return CU(cuDriverGetVersion, nullptr)),
    CASE("context_get_null", return CU(cuCtxGetCurrent, nullptr)),
    CASE("context_pop_empty", NoContext none; CUcontext c; return CU2(cuCtxPopCurrent, &c)),
    CASE("context_push_null", return CU2(cuCtxPushCurrent, nullptr)),
    CASE("context_destroy_null", return CU2(cuCtxDestroy, nullptr)),
    CASE("context_device_without", NoContext none; CUdevice d; return CU(cuCtxGetDevice, &d)),
    CASE("context_limit_bad", return CU(cuCtxSetLimit, static_cast<CUlimit>(99), 1)),
    CASE("context_limit_get_bad", size_t n; return CU(cuCtxGetLimit, &n, static_cast<CUlimit>(99))),
    CASE("context_cache_bad", return CU(cuCtxSetCacheConfig, static_cast<CUfunc_cache>(9))),
    CASE("primary_flags_bad", return CU2(cuDevicePrimaryCtxSetFlags, 0, 0x10000)),
    CASE("primary_state_99", unsigned f; int a; return CU(cuDevicePrimaryCtxGetState, 99, &f, &a)),
    CASE("without_alloc", NoContext none; CUdeviceptr p; return CU2(cuMemAlloc, &p, 64)),
    CASE("without_copy", NoContext none; return CU2(cuMemcpyHtoD, memory, host, 4)),
    CASE("without_load", NoContext none; return load(kPtx)),
    CASE("without_stream", NoContext none; CUstream s; return CU(cuStreamCreate, &s, 0)),
    CASE("without_synchronize", NoContext none; return CU(cuCtxSynchronize)),
    CASE("without_launch", NoContext none; return launch(1, 1, 0, memory)),
    CASE("load_null", CUmodule m; return CU(cuModuleLoadData, &m, nullptr)),
    CASE("load_null_out", return CU(cuModuleLoadData, nullptr, kPtx.c_str())),
    CASE("load_text", return load("no code at all")),
    CASE("load_empty", return load("")),
    CASE("load_syntax", return load(replaced("ret;", "retire;"))),
    CASE("load_new_version", return load(replaced("8.0", "99.0"))),
    CASE("load_new_target", return load(replaced("sm_80", "sm_200"))),
    CASE("load_unresolved", return load(replaced("ret;", "call nobody; ret;"))),
    CASE("load_zero_elf", return load(elf(190))),
    CASE("load_host_elf", return load(elf(62))),
    CASE("load_empty_fatbin", return load(fat_binary(0))),
    CASE("load_long_fatbin", return load(fat_binary(4000))),
    CASE("load_fatbin_version", return load(fat_binary(0, 9))),
    CASE("load_no_file", CUmodule m; return CU(cuModuleLoad, &m, "/no/such/file")),
    CASE("load_file_of_text", CUmodule m; return CU(cuModuleLoad, &m, "/etc/passwd")),
    CASE("load_option_bad", CUmodule m; CUjit_option o[] = {static_cast<CUjit_option>(999)}; void* v[] = {nullptr};
         return CU(cuModuleLoadDataEx, &m, kPtx.c_str(), 1, o, v)),
    CASE("unload_null", return CU(cuModuleUnload, nullptr)),
    CASE("function_missing", CUfunction f; return CU(cuModuleGetFunction, &f, module, "missing")),
    CASE("function_null_name", CUfunction f; return CU(cuModuleGetFunction, &f, module, nullptr)),
    CASE("function_null_module", CUfunction f; return CU(cuModuleGetFunction, &f, nullptr, "store")),
    CASE("function_variable", CUfunction f; return CU(cuModuleGetFunction, &f, module, "variable")),
    CASE("global_missing", CUdeviceptr p; size_t n; return CU2(cuModuleGetGlobal, &p, &n, module, "missing")),
    CASE("global_of_function", CUdeviceptr p; size_t n; return CU2(cuModuleGetGlobal, &p, &n, module, "store")),
    CASE("global_null_out", return CU2(cuModuleGetGlobal, nullptr, nullptr, module, "variable")),
    CASE("function_attribute_bad", int k; return CU(cuFuncGetAttribute, &k, static_cast<CUfunction_attribute>(99), store)),
    CASE("function_attribute_null", int k; return CU(cuFuncGetAttribute, &k, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr)),
    CASE("function_set_read_only", return CU(cuFuncSetAttribute, store, CU_FUNC_ATTRIBUTE_NUM_REGS, 3)),
    CASE("function_set_shared", return CU(cuFuncSetAttribute, store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20)),
    CASE("launch_null", return CU(cuLaunchKernel, nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr)),
    CASE("launch_grid_0", return launch(0, 1, 0, memory)),
    CASE("launch_block_0", return launch(1, 0, 0, memory)),
    CASE("launch_block_2048", return launch(1, 2048, 0, memory)),
    CASE("launch_shared", return launch(1, 1, 1 << 20, memory)),
    CASE("launch_no_arguments", return CU(cuLaunchKernel, store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr)),
    CASE("launch_both_arguments", CUdeviceptr p = memory; void* a[] = {&p}; size_t n = 8;
         void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &p, CU_LAUNCH_PARAM_BUFFER_SIZE, &n, CU_LAUNCH_PARAM_END};
         return CU(cuLaunchKernel, store, 1, 1, 1, 1, 1, 1, 0, nullptr, a, extra)),
    CASE("launch_short_buffer", CUdeviceptr p = memory; size_t n = 4;
         void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &p, CU_LAUNCH_PARAM_BUFFER_SIZE, &n, CU_LAUNCH_PARAM_END};
         return CU(cuLaunchKernel, store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra)),
    CASE("launch_cooperative_large", CUdeviceptr p = memory; void* a[] = {&p};
         return CU(cuLaunchCooperativeKernel, store, 1 << 20, 1, 1, 1024, 1, 1, 0, nullptr, a)),
    CASE("occupancy_0", int n; return CU(cuOccupancyMaxActiveBlocksPerMultiprocessor, &n, store, 0, 0)),
    CASE("occupancy_null", int n; return CU(cuOccupancyMaxActiveBlocksPerMultiprocessor, &n, nullptr, 32, 0)),
    CASE("alloc_0", CUdeviceptr p; return CU2(cuMemAlloc, &p, 0)),
    CASE("alloc_huge", CUdeviceptr p; return CU2(cuMemAlloc, &p, size_t{1} << 50)),
    CASE("alloc_null", return CU2(cuMemAlloc, nullptr, 64)),
    CASE("alloc_pitch_element_3", CUdeviceptr p; size_t n; return CU2(cuMemAllocPitch, &p, &n, 64, 4, 3)),
    CASE("alloc_host_0", void* p; return CU2(cuMemAllocHost, &p, 0)),
    CASE("alloc_managed_flags", CUdeviceptr p; return CU(cuMemAllocManaged, &p, 64, 9)),
    CASE("free_0", return CU2(cuMemFree, 0)),
    CASE("free_other", return CU2(cuMemFree, 12345)),
    CASE("free_middle", return CU2(cuMemFree, memory + 16)),
    CASE("free_host_other", return CU(cuMemFreeHost, host)),
    CASE("copy_null", return CU2(cuMemcpyHtoD, 0, host, 4)),
    CASE("copy_host_null", return CU2(cuMemcpyHtoD, memory, nullptr, 4)),
    CASE("copy_0", return CU2(cuMemcpyHtoD, 0, nullptr, 0)),
    CASE("copy_2d_null", return CU2(cuMemcpy2D, nullptr)),
    CASE("set_null", return CU2(cuMemsetD8, 0, 0, 4)),
    CASE("set_misaligned", return CU2(cuMemsetD32, memory + 1, 0, 4)),
    CASE("set_misaligned_16", return CU2(cuMemsetD16, memory + 1, 0, 4)),
    CASE("range_other", CUdeviceptr p; size_t n; return CU2(cuMemGetAddressRange, &p, &n, 12345)),
    CASE("pointer_attribute_host", int k; return CU(cuPointerGetAttribute, &k, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(host))),
    CASE("pointer_attribute_bad", int k; return CU(cuPointerGetAttribute, &k, static_cast<CUpointer_attribute>(999), memory)),
    CASE("info_null", return CU2(cuMemGetInfo, nullptr, nullptr)),
    CASE("stream_flags", CUstream s; return CU(cuStreamCreate, &s, 9)),
    CASE("stream_null_out", return CU(cuStreamCreate, nullptr, 0)),
    CASE("stream_destroy_null", return CU2(cuStreamDestroy, nullptr)),
    CASE("stream_wait_null", return CU(cuStreamWaitEvent, stream, nullptr, 0)),
    CASE("stream_context_null", return CU(cuStreamGetCtx, stream, nullptr)),
    CASE("event_flags", CUevent e; return CU(cuEventCreate, &e, 0x40)),
    CASE("event_record_null", return CU(cuEventRecord, nullptr, stream)),
    CASE("event_elapsed_unrecorded", float t; return CU(cuEventElapsedTime, &t, event, event)),
    CASE("event_destroy_null", return CU2(cuEventDestroy, nullptr)),
    CASE("host_function_null", return CU(cuLaunchHostFunc, stream, nullptr, nullptr)),
    CASE("reserve_1", CUdeviceptr p; return CU(cuMemAddressReserve, &p, 1, 0, 0, 0)),
    CASE("reserve_flags", CUdeviceptr p; return CU(cuMemAddressReserve, &p, 2 << 20, 0, 0, 1)),
    CASE("create_1", CUmemGenericAllocationHandle h; auto q = property(); return CU(cuMemCreate, &h, 1, &q, 0)),
    CASE("create_null", CUmemGenericAllocationHandle h; return CU(cuMemCreate, &h, 2 << 20, nullptr, 0)),
    CASE("create_device_99", CUmemGenericAllocationHandle h; auto q = property(); q.location.id = 99; return CU(cuMemCreate, &h, 2 << 20, &q, 0)),
    CASE("map_nothing", return CU(cuMemMap, 12345, 2 << 20, 0, 0, 0)),
    CASE("unmap_nothing", return CU(cuMemUnmap, 12345, 2 << 20)),
    CASE("access_unmapped", CUdeviceptr p; CU(cuMemAddressReserve, &p, 2 << 20, 0, 0, 0);
         CUmemAccessDesc a{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}; return CU(cuMemSetAccess, p, 2 << 20, &a, 1)),
    CASE("copy_mapped_no_access", CUdeviceptr p; CU(cuMemAddressReserve, &p, 2 << 20, 0, 0, 0); CUmemGenericAllocationHandle h; auto q = property();
         CU(cuMemCreate, &h, 2 << 20, &q, 0); CU(cuMemMap, p, 2 << 20, 0, h, 0); return CU2(cuMemcpyHtoD, p, host, 4)),
    CASE("granularity_null", return CU(cuMemGetAllocationGranularity, nullptr, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM)),
    CASE("release_nothing", return CU(cuMemRelease, 0)),
    CASE("link_create_null", return CU2(cuLinkCreate, 0, nullptr, nullptr, nullptr)),
    CASE("link_garbage", CUlinkState s; CU2(cuLinkCreate, 0, nullptr, nullptr, &s);
         return CU2(cuLinkAddData, s, CU_JIT_INPUT_PTX, host, 64, "x", 0, nullptr, nullptr)),
    CASE("link_nothing", CUlinkState s; void* p; size_t n; CU2(cuLinkCreate, 0, nullptr, nullptr, &s); return CU(cuLinkComplete, s, &p, &n)),
    CASE("procedure_missing", void* p = &p; CUdriverProcAddressQueryResult r; return CU2(cuGetProcAddress, "cuNoSuchCall", &p, 13000, 0, &r)),
    CASE("procedure_null", CUdriverProcAddressQueryResult r; return CU2(cuGetProcAddress, "cuInit", nullptr, 13000, 0, &r)),
    CASE("error_name_99999", const char* s; return CU(cuGetErrorName, static_cast<CUresult>(99999), &s)),
    CASE("error_name_null", return CU(cuGetErrorName, CUDA_SUCCESS, nullptr)),
    CASE("capture_mode_bad", return CU2(cuStreamBeginCapture, stream, static_cast<CUstreamCaptureMode>(9))),
    CASE("capture_end_without", CUgraph g; return CU(cuStreamEndCapture, stream, &g)),
    CASE("graph_flags", CUgraph g; return CU(cuGraphCreate, &g, 1)),
    CASE("graph_launch_null", return CU(cuGraphLaunch, nullptr, stream)),
    CASE("array_0", CUarray a; CUDA_ARRAY_DESCRIPTOR q{0, 0, CU_AD_FORMAT_FLOAT, 1}; return CU2(cuArrayCreate, &a, &q)),
    CASE("array_3_channels", CUarray a; CUDA_ARRAY_DESCRIPTOR q{4, 4, CU_AD_FORMAT_FLOAT, 3}; return CU2(cuArrayCreate, &a, &q)),
    CASE("array_destroy_null", return CU(cuArrayDestroy, nullptr)),
    CASE("levels_null", CUDA_ARRAY3D_DESCRIPTOR q{4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0}; return CU(cuMipmappedArrayCreate, nullptr, &q, 1)),
    CASE("levels_null_desc", CUmipmappedArray m; return CU(cuMipmappedArrayCreate, &m, nullptr, 1)),
    CASE("level_null", CUarray a; return CU(cuMipmappedArrayGetLevel, &a, nullptr, 0)),
    CASE("levels_destroy_null", return CU(cuMipmappedArrayDestroy, nullptr)),
    CASE("levels_destroy", CUmipmappedArray m; CUDA_ARRAY3D_DESCRIPTOR q{4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0}; CU(cuMipmappedArrayCreate, &m, &q, 2);
         return CU(cuMipmappedArrayDestroy, m)),
    CASE("texture_null", return CU(cuTexObjectCreate, nullptr, nullptr, nullptr, nullptr)),
    CASE("tensor_map_null", return CU(cuTensorMapEncodeTiled, nullptr, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, nullptr, nullptr, nullptr, nullptr, nullptr,
         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)),
    CASE("store_null", return launch(1, 1, 0, 0)),
    CASE("store_misaligned", return launch(1, 1, 0, memory + 1)),
    CASE("alloc_after_fault", launch(1, 1, 0, 0); CUdeviceptr p; return CU2(cuMemAlloc, &p, 64)),
    CASE("destroyed_stream", CUstream s; CU(cuStreamCreate, &s, 0); CU2(cuStreamDestroy, s); return CU(cuStreamSynchronize, s)),
    CASE("destroyed_event", CUevent e; CU(cuEventCreate, &e, 0); CU2(cuEventDestroy, e); return CU(cuEventQuery, e)),
    CASE("unloaded_function", CUmodule m; CUfunction f; CU(cuModuleLoadData, &m, kPtx.c_str()); CU(cuModuleGetFunction, &f, m, "store"); CU(cuModuleUnload, m);
         int k; return CU(cuFuncGetAttribute, &k, CU_FUNC_ATTRIBUTE_NUM_REGS, f)),
};

int main(int argc, char** argv) {
  if (argc > 1) prepare();
  return run_cases(kCases, [] { return CU(cuCtxSynchronize); }, argc, argv);
}
