/* Runs PTX kernels on the CPU: load PTX, launch kernels on host memory, read counters, defects and errors. C99 and C++.
 *
 * Functions that return a pointer return NULL on failure. Functions that return int return 0 on success and -1 on
 * failure. After a failure, warplens_last_error() gives the cause, the place and the remedy. A text is valid as long as
 * the object that returned it. Use a module from one thread at a time; different modules are independent. */
#ifndef WARPLENS_H
#define WARPLENS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WARPLENS_API __attribute__((visibility("default")))
#else
#define WARPLENS_API
#endif

/* This number grows with each addition. warplens_api_version() returns the number of the loaded library. */
#define WARPLENS_API_VERSION 1
WARPLENS_API int warplens_api_version(void);
WARPLENS_API const char* warplens_version(void); /* "0.1.0" */

/* The last error of the calling thread, or "". Valid until the thread's next failing call. */
WARPLENS_API const char* warplens_last_error(void);

/* ---- Modules ---- */

typedef struct warplens_module warplens_module;

/* Parses PTX text. Messages call it `name`, which may be NULL. */
WARPLENS_API warplens_module* warplens_load_ptx(const char* ptx, const char* name);
WARPLENS_API void warplens_module_free(warplens_module* module);
WARPLENS_API size_t warplens_kernel_count(const warplens_module* module);
WARPLENS_API const char* warplens_kernel_name(const warplens_module* module, size_t index); /* NULL past the end */

/* The memory of a __device__ or __constant__ variable. Read or write it between launches, not during one. */
WARPLENS_API int warplens_symbol(warplens_module* module, const char* name, void** data, size_t* size_bytes);

/* ---- Memory ---- Kernels may access memory that these functions allocate or add. Kernels receive host pointers.
 * Sizes are bytes. `name` stands for the memory in messages and may be NULL. */

WARPLENS_API void* warplens_allocate(warplens_module* module, size_t size_bytes, const char* name);
WARPLENS_API int warplens_free(warplens_module* module, void* data);
WARPLENS_API int warplens_add_memory(warplens_module* module, void* data, size_t size_bytes, const char* name,
                                     int writable);
WARPLENS_API int warplens_remove_memory(warplens_module* module, void* data);
/* Adds the whole address space of this process. Checks then report no access as out of bounds. */
WARPLENS_API void warplens_add_all_memory(warplens_module* module);

/* ---- Launches ---- */

enum {                            /* bits of warplens_launch_options.checks */
       WARPLENS_CHECK_MEMORY = 1, /* out of bounds, use after free, misaligned */
       WARPLENS_CHECK_RACE = 2,
       WARPLENS_CHECK_INIT = 4, /* reads of bytes that nothing has written */
       WARPLENS_CHECK_SYNC = 8  /* divergent barriers, missing lanes of a mask */
};

typedef struct warplens_launch_options {
  size_t struct_size;                     /* sizeof(warplens_launch_options), for compatibility */
  const char* kernel;                     /* NULL: the only kernel of the module */
  uint32_t grid[3], block[3], cluster[3]; /* 0 means 1 */
  uint32_t shared_bytes;                  /* dynamic shared memory of a block */
  int cooperative;
  void** args; /* args[i] points at the i-th argument's value, as for cuLaunchKernel */
  size_t arg_count;
  uint32_t checks;
  uint32_t threads;          /* CPU threads; 0: all */
  uint64_t max_instructions; /* warp instructions; 0: no limit */
  double timeout_s;          /* 0: none */
} warplens_launch_options;

typedef struct warplens_result warplens_result;

/* Runs a kernel to its end. Returns NULL if the request is wrong. If the kernel itself fails, the result says so: see
 * warplens_result_fault(). */
WARPLENS_API warplens_result* warplens_launch(warplens_module* module, const warplens_launch_options* options);
WARPLENS_API void warplens_result_free(warplens_result* result);

/* The cause and place of a failure that stopped the kernel, or NULL. */
WARPLENS_API const char* warplens_result_fault(const warplens_result* result);
WARPLENS_API const char* warplens_result_output(const warplens_result* result); /* of the kernel's printf */
WARPLENS_API double warplens_result_seconds(const warplens_result* result);

/* Defects that the checks found: the kind ("race", "out-of-bounds", ...), a text with the places, and the count. */
WARPLENS_API size_t warplens_report_count(const warplens_result* result);
WARPLENS_API const char* warplens_report_id(const warplens_result* result, size_t index);
WARPLENS_API const char* warplens_report_text(const warplens_result* result, size_t index);
WARPLENS_API uint64_t warplens_report_times(const warplens_result* result, size_t index);

/* Counters of the whole launch, by index or by name ("warp_instructions", "global_sectors", ...). */
WARPLENS_API size_t warplens_counter_count(const warplens_result* result);
WARPLENS_API const char* warplens_counter_name(const warplens_result* result, size_t index);
WARPLENS_API int warplens_counter(const warplens_result* result, const char* name, double* value);

/* ---- The entry point of gpuocelot ---- Runs the first kernel of `ptx` on any memory of this process. args[i] is the
 * value of the i-th argument, not its address: a host pointer, or a number of at most 8 bytes in its low bytes. Parsed
 * modules are cached, so another call with the same text is cheap. Errors go to standard error and to
 * warplens_last_error(). Several threads may call it at the same time. */
WARPLENS_API void ptx_run(const char* ptx, int n_args, void** args, int block_x, int block_y, int block_z, int grid_x,
                          int grid_y, int grid_z, int shared_bytes);

#ifdef __cplusplus
}
#endif
#endif
